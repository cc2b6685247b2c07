import { createCipheriv, createHmac, generateKeyPairSync } from 'node:crypto';
import { rawPublicKey, x25519 } from './primitives.js';

// HPKE (RFC 9180) in Base mode, single shot: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305; empty aad.
const kemSuite = Buffer.concat([Buffer.from('KEM'), Buffer.of(0x00, 0x20)]);
const hpkeSuite = Buffer.concat([Buffer.from('HPKE'), Buffer.of(0x00, 0x20, 0x00, 0x01, 0x00, 0x03)]);
const version = Buffer.from('HPKE-v1');
const empty = Buffer.alloc(0);

function hmac(key, ...parts) {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** RFC 9180 section 4, `LabeledExtract`. */
const extract = (suite, salt, label, input) => hmac(salt, version, suite, label, input);

/** RFC 9180 section 4, `LabeledExpand`, for at most one block of HKDF: 32 bytes. */
const expand = (suite, key, label, info, byteCount) => hmac(
  key, Buffer.of(0, byteCount), version, suite, label, info, Buffer.of(1),
).subarray(0, byteCount);

// The same for every message: no PSK, no PSK id.
const pskIDHash = extract(hpkeSuite, empty, 'psk_id_hash', empty);

/**
 * Seals under a new ephemeral key.
 *
 * @param {Buffer} plaintext
 * @param {{ bytes: Buffer, keyObject: KeyObject }} recipientKey `bytes` are hashed as they came
 * @param {Buffer} info
 * @param {{ privateKey: KeyObject, publicKey: KeyObject }} [ephemeral] for test vectors only: never use a key twice
 * @returns {{ encapsulatedKey: Buffer, ciphertext: Buffer } | null} null if the recipient's key has low order
 */
export function hpkeSeal(plaintext, recipientKey, info, ephemeral = generateKeyPairSync('x25519')) {
  const dh = x25519(ephemeral.privateKey, recipientKey.keyObject);
  if (!dh) return null;
  const encapsulatedKey = rawPublicKey(ephemeral.publicKey);
  const prk = extract(kemSuite, empty, 'eae_prk', dh);
  const kemContext = Buffer.concat([encapsulatedKey, recipientKey.bytes]);
  const shared = expand(kemSuite, prk, 'shared_secret', kemContext, 32);
  const secret = extract(hpkeSuite, shared, 'secret', empty);
  const context = Buffer.concat([Buffer.of(0), pskIDHash, extract(hpkeSuite, empty, 'info_hash', info)]);
  const key = expand(hpkeSuite, secret, 'key', context, 32);
  const nonce = expand(hpkeSuite, secret, 'base_nonce', context, 12);
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  for (const bytes of [dh, prk, shared, secret, key, nonce]) bytes.fill(0);
  return { encapsulatedKey, ciphertext };
}
