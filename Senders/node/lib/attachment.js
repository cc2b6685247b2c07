import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { paddedByteCount, storedByteCount } from './attachment-pointer.js';
import { lengthPrefixed } from './bytes.js';
import { AttachmentError } from './errors.js';
import { exchange, retrying } from './http.js';

const byteCountMax = 2 ** 40;
const chunkByteCount = 16_384;
/** Chunks that are read and written at once. */
const batchCount = 64;
const keyLabel = Buffer.from('c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0');

/** Derives a file's keys: HKDF-Expand with SHA-512 (docs/protocol.md, section 21). */
export function attachmentKeys(key, id, salt) {
  const info = Buffer.concat([keyLabel, salt, lengthPrefixed('SealedPush/1 attachment'), id]);
  const hmac = (...parts) => parts.reduce((mac, part) => mac.update(part), createHmac('sha512', key)).digest();
  const first = hmac(info, Buffer.of(1));
  const bytes = Buffer.concat([first, hmac(first, info, Buffer.of(2))]);
  return { salt, key: bytes.subarray(0, 32), baseNonce: bytes.subarray(32, 44), commitment: bytes.subarray(44, 76) };
}

/** The nonce of a chunk: the base nonce XOR its number, which stays below 2^32. */
function chunkNonce(baseNonce, number) {
  const nonce = Buffer.from(baseNonce);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
  return nonce;
}

/**
 * Seals a file in parts: the head, then many chunks at once. The last chunk is shorter, and may be empty.
 *
 * @param {(byteCount: number) => Promise<Buffer>} read gives exactly so many of the file's next bytes
 */
export async function* sealedParts(read, size, keys) {
  yield Buffer.concat([keys.salt, keys.commitment]);
  const padded = paddedByteCount(size);
  const lastChunk = Math.floor(padded / chunkByteCount);
  for (let number = 0; number <= lastChunk;) {
    const start = number * chunkByteCount;
    const batch = Buffer.alloc(Math.min(batchCount * chunkByteCount, padded - start)); // Zeros behind the file's end.
    (await read(Math.max(0, Math.min(batch.length, size - start)))).copy(batch);
    const parts = [];
    for (const end = Math.min(number + batchCount, lastChunk + 1); number < end; number += 1) {
      const chunkStart = number * chunkByteCount - start;
      parts.push(sealedChunk(batch.subarray(chunkStart, chunkStart + chunkByteCount), keys, number));
    }
    yield Buffer.concat(parts);
    batch.fill(0);
  }
}

function sealedChunk(chunk, { key, baseNonce }, number) {
  const cipher = createCipheriv('aes-256-gcm', key, chunkNonce(baseNonce, number));
  return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Seals a file under keys of its own. Memory does not grow with the file.
 *
 * @param {string} from the file
 * @param {string} to a new file for the host, of mode 0600; after an error there is none
 * @returns {Promise<{ id: string, key: string, size: number, stored: number }>} for `attachmentPointer`; `key` is
 *   secret, as it opens the file
 * @throws {AttachmentError} `not-a-file`, `too-long`, `exists`, `changed` while it was read, `system`
 */
export async function sealAttachment(from, to) {
  const source = await translated(open(from, 'r'));
  try {
    const status = await translated(source.stat());
    if (!status.isFile()) throw new AttachmentError('not-a-file', 'only a regular file can be sealed');
    if (status.size > byteCountMax) throw new AttachmentError('too-long', 'a file has 2^40 bytes at most');
    const sealed = await translated(open(to, 'wx', 0o600));
    const [key, id] = [randomBytes(32), randomBytes(16)];
    const keys = attachmentKeys(key, id, randomBytes(24));
    try {
      await translated(writeSealed(source, sealed, status.size, keys));
      return {
        id: id.toString('base64url'), key: key.toString('base64url'), size: status.size,
        stored: storedByteCount(status.size),
      };
    } catch (error) {
      await unlink(to).catch(() => {}); // The first error says more.
      throw error;
    } finally {
      for (const secret of [key, keys.key, keys.baseNonce]) secret.fill(0);
      await sealed.close();
    }
  } finally {
    await source.close();
  }
}

async function writeSealed(source, sealed, size, keys) {
  const changed = () => new AttachmentError('changed', 'the file changed its length while it was read');
  const buffer = Buffer.alloc(batchCount * chunkByteCount);
  const read = async (byteCount) => {
    for (let filled = 0; filled < byteCount;) {
      const { bytesRead } = await source.read(buffer, filled, byteCount - filled);
      if (bytesRead === 0) throw changed();
      filled += bytesRead;
    }
    return buffer.subarray(0, byteCount);
  };
  for await (const part of sealedParts(read, size, keys)) await sealed.writeFile(part);
  if ((await source.read(buffer, 0, 1)).bytesRead > 0) throw changed();
  buffer.fill(0);
  await sealed.sync();
}

/**
 * Uploads a sealed file with one HTTPS `PUT`, as to a pre-signed URL of S3, and only `Content-Length` beside it. A
 * connection that breaks means starting again.
 *
 * @param {string} path the sealed file; it must not change meanwhile
 * @param {string} url of `https`; its query may be a secret, and stands in no error
 * @param {object} [options]
 * @param {string | Buffer} [options.ca] authorities to trust in place of the system's (PEM)
 * @param {AbortSignal} [options.signal] ends the upload and its retries
 * @throws {AttachmentError} `unauthorized`, `refused`, `connection`, `not-trusted`, `malformed-answer`, `system`
 */
export async function uploadAttachment(path, url, { ca, signal, ...retries } = {}) {
  if (!isHTTPS(url)) {
    throw new AttachmentError('malformed-url', 'a file is uploaded to a URL of https');
  }
  const { size } = await translated(stat(path));
  await retrying({ attemptCountMax: 6, ...retries, signal }, async () => {
    const body = createReadStream(path, { end: Math.max(0, size - 1) });
    const headers = { 'content-length': size };
    const { status } = await exchange(AttachmentError, { url, method: 'PUT', headers, body, ca, signal });
    if ([200, 201, 204].includes(status)) return;
    if (status === 401 || status === 403) {
      throw new AttachmentError('unauthorized', 'the host refuses the URL', { status });
    }
    throw new AttachmentError('refused', `the host answered ${status}`, { status, isRetryable: status >= 500 });
  });
}

function isHTTPS(url) {
  try {
    return /^https:\/\/[!-~]+$/.test(url) && new URL(url).username === '';
  } catch {
    return false;
  }
}

async function translated(action) {
  try {
    return await action;
  } catch (error) {
    if (error instanceof AttachmentError) throw error;
    if (error.code === 'EEXIST') throw new AttachmentError('exists', 'a file is never overwritten');
    const { code } = error;
    throw new AttachmentError('system', `a file could not be read or written: ${code}`, { systemCode: code });
  }
}
