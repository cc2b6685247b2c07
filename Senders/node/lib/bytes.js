const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const values = new Int8Array(256).fill(-1);
alphabet.forEach((character, value) => { values[character] = value; });

/**
 * Decodes canonical base64url without padding: no other character, no set bit behind the last byte.
 *
 * @param {string | Uint8Array} text a secret stays in bytes, which can be wiped
 * @returns {Buffer | null} null for any other text
 */
export function fromBase64url(text) {
  const characters = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  if (characters.length % 4 === 1) return null;
  const bytes = Buffer.alloc(Math.floor((characters.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let end = 0;
  for (const character of characters) {
    if (values[character] < 0) return null;
    bits = ((bits << 6) | values[character]) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[end++] = bits >> bitCount;
    }
  }
  return (bits & ((1 << bitCount) - 1)) === 0 ? bytes : null;
}

/** Encodes 32 bytes as 43 characters that can be wiped, which those of a string cannot. */
export function base64urlOfSecret(secret) {
  const bits = (index) => (secret[index] ?? 0);
  return Buffer.from(Array.from({ length: Math.ceil((secret.length * 8) / 6) }, (_, i) => {
    const byte = Math.floor((i * 6) / 8);
    return alphabet[(((bits(byte) << 8) | bits(byte + 1)) >> (10 - ((i * 6) % 8))) & 63];
  }));
}

/** One length byte, then the bytes: LP(x) of docs/protocol.md. */
export function lengthPrefixed(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** A big-endian unsigned 64-bit number. */
export function u64(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}

/** Takes bytes from the front, and throws the caller's error where there are too few. */
export class ByteReader {
  constructor(bytes, shortage) {
    Object.assign(this, { bytes, shortage, position: 0 });
  }

  take(byteCount) {
    const end = this.position + byteCount;
    if (end > this.bytes.length) throw this.shortage();
    const taken = this.bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }

  u8() { return this.take(1)[0]; }

  /** @returns {bigint} */
  u64() { return this.take(8).readBigUInt64BE(); }

  lengthPrefixed() { return this.take(this.u8()); }

  get isAtEnd() { return this.position === this.bytes.length; }
}
