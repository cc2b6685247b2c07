import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { IdentityKey, KeyError, SenderIdentity, SenderKey } from '../index.js';
import { isValidSignature, privateKeyObject } from '../lib/primitives.js';
import { checkout, refused, temporaryFolder } from './setting.js';

test('a key is saved with mode 0600, loaded again, and never overwritten', async (t) => {
  const folder = await temporaryFolder(t);
  const path = `${folder}/sender.key`;
  const sender = SenderIdentity.generate();
  await sender.save(path);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.match(await readFile(path, 'utf8'), /^sealedpush-sender-key-1\nsender [\w-]{43}\n$/);
  const loaded = await SenderIdentity.load(path);
  assert.equal(loaded.publicKey.text, sender.publicKey.text);
  const message = Buffer.from('m');
  assert.ok(isValidSignature(loaded.sign(message), message, sender.publicKey.bytes));
  await refused(KeyError, 'exists', () => SenderIdentity.generate().save(path));
  assert.deepEqual(await readdir(folder), ['sender.key']);
  assert.equal((await SenderIdentity.load(path)).publicKey.text, sender.publicKey.text);
});

test('an example key loads only where that is asked for', async () => {
  const path = `${checkout}keys-example/sender.key`;
  await refused(KeyError, 'example-key', () => SenderIdentity.load(path));
  const sender = await SenderIdentity.load(path, { allowsExampleKeys: true });
  assert.equal(sender.publicKey.text, (await SenderKey.load(`${checkout}keys-example/sender.pub`)).text);
});

test('a file that others may read, that is missing, or no file is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const path = `${folder}/sender.key`;
  await SenderIdentity.generate().save(path);
  await chmod(path, 0o640);
  await refused(KeyError, 'permissions-too-loose', () => SenderIdentity.load(path));
  await refused(KeyError, 'not-found', () => SenderIdentity.load(`${folder}/none`));
  await mkdir(`${folder}/folder`);
  await refused(KeyError, 'malformed', () => SenderIdentity.load(`${folder}/folder`));
  await refused(KeyError, 'system', () => SenderIdentity.generate().save(`${folder}/none/key`));
});

test('any other content is refused by a typed error that does not repeat it', async (t) => {
  const path = `${await temporaryFolder(t)}/sender.key`;
  const seed = randomBytes(32).toString('base64url');
  const contents = [
    '', '\n', 'sealedpush-sender-key-1\n', `sealedpush-sender-key-1\nsender ${seed}\nsender ${seed}\n`,
    `sealedpush-sender-key-1\nsender ${seed}A\n`, `sealedpush-sender-key-1\nsender ${seed.slice(1)}\n`,
    `sealedpush-sender-key-1\nsender  ${seed}\n`, `sealedpush-sender-key-1\nsender ${seed.slice(0, 42)}=\n`,
    `sealedpush-sender-key-1\nsender ${seed.slice(0, 42)}B\n`, `sealedpush-sender-key-1\nkey ${seed}\n`,
    `sealedpush-device-key-1\nsender ${seed}\n`, `sender ${seed}\n`, `sealedpush-sender-key-2\nsender ${seed}\n`,
    randomBytes(65_537), ...Array.from({ length: 200 }, () => randomBytes(80)),
  ];
  for (const content of contents) {
    await writeFile(path, content, { mode: 0o600 });
    const error = await refused(KeyError, 'malformed', () => SenderIdentity.load(path));
    assert.ok(!error.stack.includes(seed.slice(1, 30)));
  }
  await writeFile(path, `# a comment\n\nsealedpush-sender-key-1\n# another\nsender ${seed}`);
  await SenderIdentity.load(path);
});

test('a public key is read for its role alone', async () => {
  const { text, bytes } = SenderIdentity.generate().publicKey;
  assert.equal(SenderKey.parse(` ${text}\n`).text, text);
  await refused(KeyError, 'wrong-prefix', () => IdentityKey.parse(text));
  await refused(KeyError, 'not-a-key', () => SenderKey.parse(`${text}A`));
  await refused(KeyError, 'not-a-key', () => SenderKey.parse(text.slice(0, -1)));
  await refused(KeyError, 'not-a-key', () => new IdentityKey(bytes.subarray(1)));
});

test('a key that is not canonical or of small order is refused', async () => {
  const points = [
    '00'.repeat(32), `01${'00'.repeat(31)}`, `01${'00'.repeat(30)}80`, `ec${'ff'.repeat(30)}7f`, `ed${'ff'.repeat(30)}7f`,
    `ee${'ff'.repeat(31)}`, '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];
  for (const point of points) await refused(KeyError, 'not-a-key', () => new SenderKey(Buffer.from(point, 'hex')));
});

test('a private key cannot be printed', () => {
  const seed = randomBytes(32);
  const sender = new SenderIdentity(seed);
  const printed = inspect(sender, { depth: null, showHidden: true }) + JSON.stringify(sender);
  for (const encoding of ['hex', 'base64', 'base64url']) assert.ok(!printed.includes(seed.toString(encoding)));
});

test('a signature whose R has small order is refused, which OpenSSL takes', () => {
  const sha512 = (...parts) => createHash('sha512').update(Buffer.concat(parts)).digest();
  const number = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const seed = randomBytes(32);
  const secret = sha512(seed).subarray(0, 32);
  secret[0] &= 248;
  secret[31] = (secret[31] & 127) | 64;
  const key = createPublicKey(privateKeyObject('Ed25519', seed));
  const [publicKey, message] = [new SenderIdentity(seed).publicKey.bytes, Buffer.from('m')];
  // The neutral point for R, so that S is the challenge times the private scalar.
  const R = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
  const s = (number(sha512(R, publicKey, message)) * number(secret)) % order;
  const signature = (scalar) => Buffer.concat([R, Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()]);
  assert.ok(verify(null, message, key, signature(s)));
  assert.ok(!isValidSignature(signature(s), message, publicKey));
  const honest = new SenderIdentity(seed).sign(message);
  const beyond = Buffer.concat([honest.subarray(0, 32), signature(number(honest.subarray(32)) + order).subarray(32)]);
  assert.ok(isValidSignature(honest, message, publicKey));
  assert.ok(!isValidSignature(beyond, message, publicKey));
});
