import { createHash, createPrivateKey, createPublicKey, diffieHellman, verify } from 'node:crypto';

// Private keys go to node:crypto as DER (RFC 8410), a constant head and the 32 bytes: JWK would put them into strings.
// Public keys go as JWK, which is some twenty times as fast.
const privateHeads = {
  Ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  X25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
};

/** The private key of 32 bytes, which stay the caller's to wipe. */
export function privateKeyObject(curve, secret) {
  const der = Buffer.concat([privateHeads[curve], secret]);
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } finally {
    der.fill(0);
  }
}

export function publicKeyObject(curve, bytes) {
  return createPublicKey({ key: { kty: 'OKP', crv: curve, x: bytes.toString('base64url') }, format: 'jwk' });
}

/** The 32 bytes of a public key. */
export const rawPublicKey = (publicKey) => Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');

export function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const p = 2n ** 255n - 19n;
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;
/** The y of the eight points whose order divides 8; the last two are those of order 8. */
const smallOrderY = new Set([
  0n, 1n, p - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
].map(String));

const littleEndian = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** True for a canonical encoding of a point that is not of small order, whatever its sign bit (section 2). */
export function isAcceptablePoint(bytes) {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  return y < p && !smallOrderY.has(String(y));
}

/**
 * Verifies an Ed25519 signature: what libraries disagree about is checked first, then they verify without the cofactor.
 *
 * @source docs/protocol.md, section 2.
 */
export function isValidSignature(signature, message, publicKey) {
  return littleEndian(signature.subarray(32)) < groupOrder
    && isAcceptablePoint(publicKey) && isAcceptablePoint(signature.subarray(0, 32))
    && verify(null, message, publicKeyObject('Ed25519', publicKey), signature);
}

/** X25519's shared secret; null if it is all zero, as with a public key of low order. */
export function x25519(privateKey, publicKey) {
  let secret;
  try {
    secret = diffieHellman({ privateKey, publicKey });
  } catch {
    return null; // OpenSSL refuses the all-zero secret itself.
  }
  return secret.every((byte) => byte === 0) ? null : secret;
}
