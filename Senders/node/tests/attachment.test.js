import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  AttachmentError, attachmentPointer, PreparedMessage, sealAttachment, SealingError, uploadAttachment,
} from '../index.js';
import { attachmentKeys } from '../lib/attachment.js';
import { paddedByteCount, storedByteCount } from '../lib/attachment-pointer.js';
import { openChunks } from './device.js';
import { ca, startServer } from './server.js';
import { refused, temporaryFolder } from './setting.js';

const options = { url: 'https://files.example.com/v1/blobs/0', type: 'image/png' };

test('what was sealed opens, and has the length that the pointer says', async (t) => {
  const folder = await temporaryFolder(t);
  for (const size of [0, 1, 2, 9, 1_000, 16_383, 16_384, 16_385, 100_000, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 2_500_000]) {
    const content = randomBytes(size);
    await writeFile(`${folder}/file`, content);
    const sealed = await sealAttachment(`${folder}/file`, `${folder}/${size}`);
    const stored = await readFile(`${folder}/${size}`);
    assert.deepEqual([sealed.size, sealed.stored], [size, stored.length]);
    assert.equal((await stat(`${folder}/${size}`)).mode & 0o777, 0o600);
    const [key, id] = [sealed.key, sealed.id].map((text) => Buffer.from(text, 'base64url'));
    const opened = openChunks(stored, attachmentKeys(key, id, stored.subarray(0, 24)));
    assert.ok(opened.subarray(0, size).equals(content) && opened.subarray(size).every((byte) => byte === 0));
    const pointer = attachmentPointer(sealed, options);
    assert.deepEqual(JSON.parse(new PreparedMessage({ body: 'b', attachments: [pointer] }).body).attachments, [pointer]);
  }
});

test('padding is Padmé, exact up to the longest file', () => {
  const long = 2 ** 40;
  const known = [[0, 0], [1, 1], [2, 2], [3, 3], [9, 10], [1_000, 1_024], [long - 1, long], [long, long]];
  for (const [size, padded] of known) {
    assert.equal(paddedByteCount(size), padded);
  }
  for (let i = 0; i < 20_000; i += 1) {
    const size = Math.floor(2 ** (Math.random() * 40));
    const exponent = BigInt(size.toString(2).length - 1);
    if (exponent === 0n) continue;
    const mask = (1n << (exponent - BigInt(exponent.toString(2).length))) - 1n;
    assert.equal(BigInt(paddedByteCount(size)), (BigInt(size) + mask) & ~mask);
    assert.ok(storedByteCount(size) > size);
  }
});

test('a file is not overwritten, and none is left after an error', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(`${folder}/file`, 'x');
  await writeFile(`${folder}/there`, 'y');
  await refused(AttachmentError, 'exists', () => sealAttachment(`${folder}/file`, `${folder}/there`));
  await refused(AttachmentError, 'system', () => sealAttachment(`${folder}/none`, `${folder}/new`));
  await refused(AttachmentError, 'not-a-file', () => sealAttachment(folder, `${folder}/new`));
  await writeFile(`${folder}/growing`, Buffer.alloc(4_000_000));
  const sealing = sealAttachment(`${folder}/growing`, `${folder}/new`);
  let isSettled = false;
  const settled = sealing.catch(() => {}).then(() => { isSettled = true; });
  while (!isSettled) await appendFile(`${folder}/growing`, 'x');
  await settled;
  await refused(AttachmentError, 'changed', () => sealing);
  assert.deepEqual((await readdir(folder)).sort(), ['file', 'growing', 'there']);
});

test('a pointer that a device would refuse is not made', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(`${folder}/file`, 'x');
  const sealed = await sealAttachment(`${folder}/file`, `${folder}/sealed`);
  const wrong = [
    { url: 'http://files.example.com/' }, { url: undefined }, { type: 'image' }, { type: 'Image/png' },
    { type: `a/${'b'.repeat(63)}` }, { name: 'x'.repeat(65) }, { name: '\0' }, { name: 1 },
  ];
  for (const change of wrong) {
    await refused(AttachmentError, 'invalid-pointer', () => attachmentPointer(sealed, { ...options, ...change }));
  }
  const pointer = attachmentPointer(sealed, options);
  const message = (attachments, more = {}) => () => new PreparedMessage({ body: 'b', attachments, ...more });
  const changed = [{ thumbnail: true }, { stored: 1 }, { more: 1 }].map((change) => [{ ...pointer, ...change }]);
  const lists = [[pointer, pointer], ...changed, 'x', [null]];
  for (const list of lists) await refused(SealingError, 'invalid-member', message(list));
  await refused(SealingError, 'invalid-member', message([pointer], { op: 'test' }));
});

test('a sealed file is uploaded with PUT, again after a 503 and a lost connection', async (t) => {
  const path = `${await temporaryFolder(t)}/sealed`;
  const content = randomBytes(300_000);
  await writeFile(path, content);
  const server = await startServer(t, ['reset', { status: 503 }, { status: 201 }], { certificate: 'files' });
  await uploadAttachment(path, `${server.url}/f?signature=s`, { ca, delay: 1 });
  assert.equal(server.requests.length, 3);
  const { method, path: asked, headers, body } = server.requests[2];
  assert.deepEqual([method, asked, headers['content-length']], ['PUT', '/f?signature=s', '300000']);
  assert.ok(body.equals(content));
});

test('an upload that is refused is not tried again, and the error does not have the URL', async (t) => {
  const path = `${await temporaryFolder(t)}/sealed`;
  await writeFile(path, Buffer.alloc(2_000_000));
  for (const status of [401, 403, 302, 404, 413]) {
    const code = status === 401 || status === 403 ? 'unauthorized' : 'refused';
    const early = (request, response) => { response.writeHead(status).end(); request.resume(); };
    for (const answer of [{ status }, early]) {
      const server = await startServer(t, [answer], { certificate: 'files' });
      const url = `${server.url}/f?signature=s`;
      const error = await refused(AttachmentError, code, () => uploadAttachment(path, url, { ca, delay: 1 }));
      assert.equal(error.status, status);
      assert.equal(server.requests.length, 1);
      assert.ok(!error.stack.includes('signature'));
    }
  }
  const server = await startServer(t, [{ status: 201 }], { certificate: 'files' });
  await refused(AttachmentError, 'not-trusted', () => uploadAttachment(path, `${server.url}/f`, { delay: 1 }));
  for (const url of ['http://localhost/f', 'https://', 'https://a b/', undefined]) {
    await refused(AttachmentError, 'malformed-url', () => uploadAttachment(path, url));
  }
});
