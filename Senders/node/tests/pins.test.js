import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BundleError, FilePins, MemoryPins, PinError, Recipient, resetSuites } from '../index.js';
import { Pin, pinName } from '../lib/pins.js';
import { TestDevice } from './device.js';
import { refused, temporaryFolder } from './setting.js';

const topic = 'com.example.chat';
const now = 1_800_000_000_000;

/** Verifies as every sender does. */
const verify = (device, pins, bundle, options = {}) => Recipient.verify(
  { bundle, identity: device.identity, topic, pins, now, ...options },
);

const stored = async (folder, device) => {
  const name = `${folder}/${pinName(device.identity, topic)}`;
  return Promise.all((await readdir(name)).map((number) => readFile(`${name}/${number}`)));
};

test('an older bundle, another one of the same epoch, and one of the future are refused, and change no pin', async (t) => {
  const folder = `${await temporaryFolder(t)}/pins`;
  const device = new TestDevice();
  const newest = device.bundle({ epoch: now });
  await verify(device, new FilePins(folder), newest);
  const before = await stored(folder, device);
  const bundles = {
    'rolled-back': device.bundle({ epoch: now - 1 }),
    equivocation: device.bundle({ epoch: now, issuedAt: now - 1 }),
    'not-yet-valid': device.bundle({ epoch: now + 300_001, issuedAt: now }),
    'bad-signature': newest.replace(/..$/, (end) => (end === 'AA' ? 'BA' : 'AA')),
  };
  for (const [code, bundle] of Object.entries(bundles)) {
    await refused(BundleError, code, () => verify(device, new FilePins(folder), bundle));
    assert.deepEqual(await stored(folder, device), before);
  }
  await verify(device, new FilePins(folder), newest);
  await verify(device, new FilePins(folder), device.bundle({ epoch: now + 300_000, issuedAt: now }));
  await refused(BundleError, 'rolled-back', () => verify(device, new FilePins(folder), newest));
});

test('a bundle of a changed identity is refused', async () => {
  const [pinned, other] = [new TestDevice(), new TestDevice()];
  await refused(BundleError, 'other-identity', () => verify(pinned, new MemoryPins(), other.bundle({ epoch: now })));
});

test('a suite that was seen is held, until a person resets it; the epoch stays', async () => {
  const device = new TestDevice();
  const pins = new MemoryPins();
  const values = { epoch: BigInt(now), digest: Buffer.alloc(32), highestSuites: [2, 0], issuedAt: now, fetchedAt: now };
  await pins.update(pinName(device.identity, topic), () => new Pin(values).encoded(device.identity, topic));
  const newer = device.bundle({ epoch: now + 1 });
  await refused(BundleError, 'suite-downgrade', () => verify(device, pins, newer));
  await resetSuites(pins, device.identity, topic);
  await refused(BundleError, 'rolled-back', () => verify(device, pins, device.bundle({ epoch: now - 1 })));
  await verify(device, pins, newer);
});

test('a class that is not offered for a while is held to its past', async () => {
  const device = new TestDevice();
  const pins = new MemoryPins();
  const name = pinName(device.identity, topic);
  const values = { epoch: BigInt(now), digest: Buffer.alloc(32), highestSuites: [1, 2], issuedAt: now, fetchedAt: now };
  await pins.update(name, () => new Pin(values).encoded(device.identity, topic));
  await verify(device, pins, device.bundle({ epoch: now + 1 }));
  let pin;
  await pins.update(name, (bytes) => { pin = Pin.decoded(bytes, device.identity, topic); return null; });
  assert.deepEqual([pin.epoch, pin.highestSuites], [BigInt(now + 1), [1, 2]]);
});

test('a bundle without the wanted class is refused', async () => {
  const device = new TestDevice();
  const options = { protectionClass: 'unlocked' };
  await refused(BundleError, 'no-prekey', () => verify(device, new MemoryPins(), device.bundle({ epoch: now }), options));
});

test('damaged pins, and a folder that others may write to, are typed errors', async (t) => {
  const folder = `${await temporaryFolder(t)}/pins`;
  const device = new TestDevice();
  const bundle = device.bundle({ epoch: now });
  await verify(device, new FilePins(folder), bundle);
  const path = `${folder}/${pinName(device.identity, topic)}/1`;
  const pin = await readFile(path);
  for (let length = 0; length < pin.length; length += 1) {
    await writeFile(path, pin.subarray(0, length));
    await refused(PinError, 'damaged', () => verify(device, new FilePins(folder), bundle));
  }
  for (let bit = 0; bit < pin.length * 8; bit += 3) {
    const damaged = Buffer.from(pin);
    damaged[bit >> 3] ^= 1 << (bit & 7);
    await writeFile(path, damaged);
    await refused(PinError, 'damaged', () => verify(device, new FilePins(folder), bundle));
  }
  await writeFile(path, Buffer.concat([pin, Buffer.of(0)]));
  await refused(PinError, 'damaged', () => verify(device, new FilePins(folder), bundle));
  await chmod(folder, 0o777);
  await refused(PinError, 'writable-by-others', () => verify(device, new FilePins(folder), bundle));
  await writeFile(`${folder}/../file`, '');
  await refused(PinError, 'system', () => verify(device, new FilePins(`${folder}/../file/pins`), bundle));
});

test('processes that race lose no change', async (t) => {
  const folder = await temporaryFolder(t);
  const mark = fileURLToPath(new URL('mark.js', import.meta.url));
  await Promise.all([0, 60, 120, 180].map((start) => promisify(execFile)(process.execPath, [mark, folder, String(start), '60'])));
  let marks;
  await new FilePins(folder).update('marks', (bytes) => { marks = bytes; return null; });
  assert.ok(marks.equals(Buffer.alloc(240, 1)));
  const names = await readdir(`${folder}/marks`);
  assert.ok(names.length < 8, `${names.length} files are left`);
});

test('a copy is fetched anew after 7 days', async () => {
  const device = new TestDevice();
  const pins = new MemoryPins();
  const bundle = device.bundle({ epoch: now - 86_400_000 * 8 });
  const recipient = await verify(device, pins, bundle, { fetchedAt: now - 86_400_000 * 7 });
  assert.ok(recipient.needsRefresh(now));
  assert.ok(!recipient.needsRefresh(now - 1));
  assert.ok(recipient.needsRefresh(now - 86_400_000 * 8));
  // The same bytes, fetched again: the earlier copy does not make them older.
  assert.ok(!(await verify(device, pins, bundle)).needsRefresh(now));
  assert.ok(!(await verify(device, pins, bundle, { fetchedAt: now - 86_400_000 * 7 })).needsRefresh(now));
});

test('whatever comes instead of a bundle is refused by a typed error', async () => {
  const device = new TestDevice();
  const bundle = device.bundle({ epoch: now });
  const bytes = Buffer.from(bundle, 'base64url');
  const others = [undefined, null, 1, {}, [], '', 'A', '=', 'ä', `${bundle}A`, `${bundle}\n`, 'A'.repeat(10_000_000)];
  for (let length = 0; length < bytes.length; length += 1) others.push(bytes.subarray(0, length).toString('base64url'));
  for (let i = 0; i < bytes.length; i += 1) {
    const changed = Buffer.from(bytes);
    changed[i] ^= 1 << (i % 8);
    others.push(changed.toString('base64url'));
  }
  for (const other of others) {
    await assert.rejects(verify(device, new MemoryPins(), other), BundleError);
  }
});
