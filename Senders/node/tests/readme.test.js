import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as library from '../index.js';
import { TestDevice } from './device.js';
import { startServer } from './server.js';
import { temporaryFolder } from './setting.js';

const file = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const readme = await readFile(file('README.md'), 'utf8');

test('the examples are the README\'s blocks, byte for byte', async () => {
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
  for (const [i, name] of ['send.mjs', 'relay.mjs', 'group.mjs', 'new-key.mjs'].entries()) {
    assert.equal(blocks[i], await readFile(file(`examples/${name}`), 'utf8'), name);
  }
});

async function senderFolder(t) {
  const folder = await temporaryFolder(t);
  const sender = library.SenderIdentity.generate();
  await sender.save(`${folder}/sender.key`);
  return { folder, sender };
}

async function runExample(name, folder, variables = {}) {
  const options = { cwd: folder, env: { ...process.env, ...variables } };
  const { stdout } = await promisify(execFile)(process.execPath, [file(`examples/${name}`)], options);
  return stdout.split('\n').slice(0, -1);
}

test('the first example seals what its device opens', async (t) => {
  const { folder } = await senderFolder(t);
  const device = new TestDevice();
  await writeFile(`${folder}/identity.pub`, `${device.identity.text}\n`);
  await writeFile(`${folder}/device.bundle`, `${device.bundle()}\n`);
  await runExample('send.mjs', folder);
  const payload = JSON.parse(await readFile(`${folder}/push.json`, 'utf8'));
  assert.deepEqual(payload.aps, { alert: { body: 'You have a new message' }, 'mutable-content': 1 });
  assert.equal(device.open(payload.sealed).body.body, 'See you at eight');
});

test('the example of a group says what became of each device', async (t) => {
  const { folder } = await senderFolder(t);
  const devices = Object.fromEntries(['d0', 'd1', 'd2', 'd3'].map((name) => [name, new TestDevice()]));
  // Another device in the place of d2.
  const bundles = Object.fromEntries(Object.entries({ ...devices, d2: new TestDevice() })
    .map(([name, device]) => [name, device.bundle()]));
  const group = Object.fromEntries(Object.entries(devices).map(([name, { identity }]) => [name, identity.text]));
  await writeFile(`${folder}/group.json`, JSON.stringify(group));
  const listed = (state) => ['d0', 'd1', 'd2'].map((device) => state(device)).concat({ device: 'd3', state: 'missing' });
  const current = listed((device) => ({ device, state: 'current', etag: 't', bundle: bundles[device] }));
  const unchanged = listed((device) => ({ device, state: 'unchanged' }));
  const problem = { type: 'about:blank', title: 'Gone', status: 422, detail: 'Let the app register it.' };
  const taken = {
    status: 202,
    body: { notifications: [{ device: 'd0', id: 'one', trace: 't' }], rejected: [{ index: 1, device: 'd1', problem }] },
  };
  const query = (elements) => ({ status: 200, body: { bundles: elements } });
  const { requests, url } = await startServer(t, [query(current), taken, query(unchanged), taken]);
  for (let i = 0; i < 2; i += 1) {
    const lines = await runExample('group.mjs', folder, { RELAY_URL: url, RELAY_KEY: `spk_${'K'.repeat(43)}` });
    assert.deepEqual(lines, [
      'd2: other-identity', 'd3: the relay does not have it', 'd0: one',
      'd1: the relay answered 422: Gone. Let the app register it.',
    ]);
  }
  const [, { body: first }, { body: second }] = requests;
  assert.deepEqual(JSON.parse(first).recipients.map(({ device }) => device), ['d0', 'd1']);
  assert.deepEqual(JSON.parse(second).devices.map(({ etag }) => etag), ['t', 't', 't', undefined]);
  assert.equal(requests.length, 4);
});

test('the example of a new key announces it', async (t) => {
  const { folder, sender } = await senderFolder(t);
  await runExample('new-key.mjs', folder);
  const successor = await library.SenderIdentity.load(`${folder}/sender-new.key`);
  const bytes = await readFile(`${folder}/succession`);
  const announcedAt = Number(bytes.readBigUInt64BE(34));
  const again = library.Announcement.succession(sender, successor, 'com.example.chat', { announcedAt });
  assert.ok(bytes.equals(again.bytes));
  assert.equal((await readFile(`${folder}/revocation`)).length, 107 + 'com.example.chat'.length);
  await assert.rejects(runExample('new-key.mjs', folder), /a key is never overwritten/);
});

test('the README names every export and every code of an error', async () => {
  for (const name of Object.keys(library)) assert.ok(readme.includes(name), name);
  const { readdir } = await import('node:fs/promises');
  for (const name of await readdir(file('lib'))) {
    const source = await readFile(file(`lib/${name}`), 'utf8');
    for (const [, code] of source.matchAll(/(?:Error|refused|ErrorClass)\(\s*'([a-z-]+)',/g)) {
      assert.ok(readme.includes(`\`${code}\``), `${name}: ${code}`);
    }
  }
});
