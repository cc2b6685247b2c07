// A device for tests: makes bundles, and opens what was sealed. Shares only parsers with the library.

import {
  createDecipheriv, createHash, createHmac, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync, sign, verify,
} from 'node:crypto';
import { IdentityKey } from '../lib/keys.js';

const raw = (key) => Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x, 'base64url');
const publicKey = (crv, bytes) => createPublicKey({ key: { kty: 'OKP', crv, x: bytes.toString('base64url') }, format: 'jwk' });
const lp = (bytes) => Buffer.concat([Buffer.of(bytes.length), Buffer.from(bytes)]);
const hash = (name, ...parts) => parts.reduce((each, part) => each.update(part), createHash(name)).digest();
const u64 = (number) => { const bytes = Buffer.alloc(8); bytes.writeBigUInt64BE(BigInt(number)); return bytes; };

/** `{"thread-id": …}` as this package takes it. */
export const messageOfBody = (body) => Object.fromEntries(Object.entries(body).map(
  ([name, value]) => [name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase()), value],
));

export class TestDevice {
  constructor(topic = 'com.example.chat') {
    this.topic = topic;
    this.identityKey = generateKeyPairSync('ed25519').privateKey;
    this.prekey = generateKeyPairSync('x25519').privateKey;
    this.identity = new IdentityKey(raw(this.identityKey));
  }

  /** A signed bundle with one prekey. */
  bundle({ epoch = Date.now(), issuedAt = epoch, notBefore = issuedAt, notAfter = notBefore + 86_400_000 * 60 } = {}) {
    const signed = Buffer.concat([
      Buffer.of(1), this.identity.bytes, u64(epoch), u64(issuedAt), lp(this.topic), Buffer.of(1),
      Buffer.of(1, 1), u64(notBefore), u64(notAfter), raw(this.prekey),
    ]);
    return Buffer.concat([signed, sign(null, Buffer.concat([lp('SealedPush/1 bundle'), signed]), this.identityKey)])
      .toString('base64url');
  }

  /** Opens a sealed field, checks frame and signature, and gives the body and the frame's values. */
  open(sealed) {
    const envelope = Buffer.from(sealed, 'base64url');
    const header = envelope.subarray(0, 10);
    const fingerprint = hash('sha256', lp('SealedPush/1 prekey'), Buffer.of(1, 1), this.identity.bytes, raw(this.prekey));
    const info = Buffer.concat([lp('SealedPush/1'), header, lp(this.topic), this.identity.bytes, fingerprint]);
    const frame = this.#decrypt(envelope.subarray(10), info);
    const length = frame.readUInt16BE(66);
    const body = frame.subarray(132, 132 + length);
    const input = Buffer.concat([lp('SealedPush/1 message'), info, frame.subarray(0, 68), hash('sha256', body)]);
    const senderKey = publicKey('Ed25519', frame.subarray(32, 64));
    if (!verify(null, input, senderKey, frame.subarray(68, 132))) throw new Error('bad signature');
    if (frame.subarray(132 + length).some((byte) => byte !== 0)) throw new Error('bad padding');
    return {
      messageId: frame.subarray(0, 16).toString('base64url'), sentAt: Number(frame.readBigUInt64BE(16)),
      expiresAt: Number(frame.readBigUInt64BE(24)), flags: frame.readUInt16BE(64), body: JSON.parse(body.toString()),
    };
  }

  /** RFC 9180, by way of node's HKDF where that is possible. */
  #decrypt(sealed, info) {
    const enc = sealed.subarray(0, 32);
    const dh = diffieHellman({ privateKey: this.prekey, publicKey: publicKey('X25519', enc) });
    const kem = Buffer.from('KEM\x00\x20', 'latin1');
    const suite = Buffer.from('HPKE\x00\x20\x00\x01\x00\x03', 'latin1');
    const shared = Buffer.from(hkdfSync('sha256', Buffer.concat([Buffer.from('HPKE-v1'), kem, Buffer.from('eae_prk'), dh]), '',
      Buffer.concat([Buffer.from('\x00\x20HPKE-v1', 'latin1'), kem, Buffer.from('shared_secret'), enc, raw(this.prekey)]), 32));
    const extract = (label, input) => createHmac('sha256', '').update('HPKE-v1').update(suite).update(label).update(input).digest();
    const context = Buffer.concat([Buffer.of(0), extract('psk_id_hash', ''), extract('info_hash', info)]);
    const expand = (label, length) => Buffer.from(hkdfSync('sha256', Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from('secret')]),
      shared, Buffer.concat([Buffer.of(0, length), Buffer.from('HPKE-v1'), suite, Buffer.from(label), context]), length));
    const decipher = createDecipheriv('chacha20-poly1305', expand('key', 32), expand('base_nonce', 12), { authTagLength: 16 });
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(32, -16)), decipher.final()]);
  }
}

/** The padded file of an attachment's stored bytes. */
export function openChunks(stored, { key, baseNonce, commitment }) {
  if (!stored.subarray(24, 56).equals(commitment)) throw new Error('wrong key');
  const parts = [];
  for (let number = 0, start = 56; start < stored.length; number += 1, start += 16_400) {
    const chunk = stored.subarray(start, start + 16_400);
    const nonce = Buffer.from(baseNonce);
    for (let i = 0; i < 4; i += 1) nonce[11 - i] ^= (number >> (8 * i)) & 255;
    const decipher = createDecipheriv('aes-256-gcm', key, nonce);
    decipher.setAuthTag(chunk.subarray(-16));
    parts.push(decipher.update(chunk.subarray(0, -16)), decipher.final());
  }
  return Buffer.concat(parts);
}
