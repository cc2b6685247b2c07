import { createPublicKey, randomBytes, sign } from 'node:crypto';
import { base64urlOfSecret, fromBase64url } from './bytes.js';
import { KeyError } from './errors.js';
import { readSmallFile, writeNewFile } from './files.js';
import { isAcceptablePoint, privateKeyObject, rawPublicKey } from './primitives.js';

const fileByteCountMax = 64 * 1024;
const keyFileFormat = 'sealedpush-sender-key-1';
const exampleMark = '# SealedPush example key';

/** A public Ed25519 key. The role is in its class and in its text: a sender's cannot be pinned as a device's. */
class VerifyingKey {
  /** @param {Uint8Array} bytes 32 bytes: a canonical point, not of small order */
  constructor(bytes) {
    if (!(bytes instanceof Uint8Array) || bytes.length !== 32 || !isAcceptablePoint(bytes)) {
      throw new KeyError('not-a-key', 'not a usable Ed25519 public key');
    }
    this.bytes = Buffer.from(bytes);
  }

  /** Reads the text form; white space around it is ignored. */
  static parse(text) {
    const line = String(text).trim();
    if (!line.startsWith(this.prefix)) {
      throw new KeyError('wrong-prefix', `a public key here begins with '${this.prefix}'`);
    }
    return new this(fromBase64url(line.slice(this.prefix.length)));
  }

  /** Reads a file with the text form. */
  static async load(path) {
    const file = await reading(path, readSmallFile(path, fileByteCountMax));
    return this.parse(file.bytes.toString('latin1'));
  }

  get text() { return this.constructor.prefix + this.bytes.toString('base64url'); }
}

/** A device's identity, IK: senders pin it. */
export class IdentityKey extends VerifyingKey {
  static prefix = 'sealedpush-identity-1:';
}

/** A sender's public key, SK: devices pin it. */
export class SenderKey extends VerifyingKey {
  static prefix = 'sealedpush-sender-1:';
}

/** A sender's private key. Nothing prints it; OpenSSL wipes it when the object is collected. */
export class SenderIdentity {
  #key;

  /** @param {Uint8Array} seed Ed25519's 32 bytes (RFC 8032); the copy that is given stays the caller's to wipe */
  constructor(seed) {
    if (!(seed instanceof Uint8Array) || seed.length !== 32) throw new KeyError('not-a-key', 'a seed has 32 bytes');
    this.#key = privateKeyObject('Ed25519', seed);
    this.publicKey = new SenderKey(rawPublicKey(createPublicKey(this.#key)));
  }

  /** Makes a new key. */
  static generate() { return wiping(randomBytes(32), (seed) => new SenderIdentity(seed)); }

  /**
   * Loads a key file, such as `sealedpush keygen sender` writes.
   *
   * @param {object} [options]
   * @param {boolean} [options.allowsExampleKeys] loads the published keys of keys-example, which protect nothing
   */
  static async load(path, { allowsExampleKeys = false } = {}) {
    const { bytes, mode } = await reading(path, readSmallFile(path, fileByteCountMax));
    return wiping(bytes, () => {
      if (bytes.indexOf(exampleMark) === 0) {
        if (!allowsExampleKeys) throw new KeyError('example-key', `'${path}' is published, and protects nothing`);
      } else if (process.platform !== 'win32' && mode & 0o077) {
        throw new KeyError('permissions-too-loose', `others may read '${path}': its mode must be 0600`);
      }
      return wiping(seedOfKeyFile(bytes, path), (seed) => new SenderIdentity(seed));
    });
  }

  /** Saves the key to a new file of mode 0600; never replaces one. */
  async save(path) {
    const der = this.#key.export({ format: 'der', type: 'pkcs8' });
    const seed = base64urlOfSecret(der.subarray(16));
    const content = Buffer.concat([Buffer.from(`${keyFileFormat}\nsender `), seed, Buffer.of(10)]);
    try {
      await writeNewFile(path, content);
    } catch (error) {
      if (error.code !== 'EEXIST') throw systemError(path, error);
      throw new KeyError('exists', `'${path}' exists; a key is never overwritten`);
    } finally {
      for (const secret of [der, seed, content]) secret.fill(0);
    }
  }

  /** @returns {Buffer} a signature of 64 bytes */
  sign(message) { return sign(null, message, this.#key); }
}

/** Finds the one `sender` line. Works on bytes: a string with the seed could not be wiped. */
function seedOfKeyFile(bytes, path) {
  const lines = [];
  for (let start = 0; start <= bytes.length;) {
    const end = bytes.indexOf(10, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (line.length > 0 && line[0] !== 0x23) lines.push(line);
    if (end < 0) break;
    start = end + 1;
  }
  const [format, key] = lines;
  const seed = lines.length === 2 && format.equals(Buffer.from(keyFileFormat)) && key.length === 50
    && key.indexOf('sender ') === 0 ? fromBase64url(key.subarray(7)) : null;
  if (!seed) throw new KeyError('malformed', `'${path}' is not a file of the format ${keyFileFormat}`);
  return seed;
}

async function reading(path, file) {
  let content;
  try {
    content = await file;
  } catch (error) {
    throw error.code === 'ENOENT' ? new KeyError('not-found', `there is no file '${path}'`) : systemError(path, error);
  }
  if (!content) throw new KeyError('malformed', `'${path}' is empty, too large or no regular file`);
  return content;
}

function systemError(path, { code }) {
  return new KeyError('system', `'${path}' could not be read or written: ${code}`, { systemCode: code });
}

function wiping(secret, use) {
  try {
    return use(secret);
  } finally {
    secret.fill(0);
  }
}
