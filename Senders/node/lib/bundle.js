import { generateKeyPairSync } from 'node:crypto';
import { ByteReader, fromBase64url, lengthPrefixed } from './bytes.js';
import { BundleError } from './errors.js';
import { isValidSignature, publicKeyObject, sha256, x25519 } from './primitives.js';

export const byteCountMax = 2838;
const timeEnd = 2n ** 53n;
const clockSkewMax = 5n * 60_000n;
const validityMax = 60n * 86_400_000n;
/** Length of a prekey for each suite that this package knows. */
const keyByteCounts = new Map([[1, 32]]);

const refused = (code, message, fields) => new BundleError(code, message, fields);
const malformed = () => refused('malformed', 'not a key bundle of this format');

/**
 * Verifies what a bundle alone can show: steps 1 to 6.
 *
 * @param {string} text base64url, untrusted
 * @param {IdentityKey} identity pinned through the application's own channel
 * @param {string} topic the app's bundle id
 * @throws {BundleError}
 * @source docs/protocol.md, section 3.
 */
export function parseBundle(text, identity, topic) {
  const isShort = typeof text === 'string' && text.length <= Math.ceil((byteCountMax * 4) / 3);
  const bytes = isShort ? fromBase64url(text) : null;
  if (!bytes) throw malformed();
  const reader = new ByteReader(bytes, malformed);
  const version = reader.u8();
  if (version !== 1) throw refused('unsupported-version', `the bundle has version ${version}`);
  if (!reader.take(32).equals(identity.bytes)) throw refused('other-identity', 'the bundle is of another identity');
  const epoch = reader.u64();
  const issuedAt = reader.u64();
  if (!reader.lengthPrefixed().equals(Buffer.from(topic))) throw refused('other-topic', 'the bundle is of another app');
  const count = reader.u8();
  if (count < 1 || count > 4) throw malformed();
  const entries = Array.from({ length: count }, () => takeEntry(reader));
  const signed = bytes.subarray(0, reader.position);
  const signature = reader.take(64);
  if (!reader.isAtEnd) throw malformed();
  const input = Buffer.concat([lengthPrefixed('SealedPush/1 bundle'), signed]);
  if (!isValidSignature(signature, input, identity.bytes)) {
    throw refused('bad-signature', 'the identity did not sign the bundle');
  }
  const order = entries.map((entry) => entry.suite * 256 + entry.protectionClass);
  if (order.some((number, i) => i > 0 && number <= order[i - 1]) || issuedAt >= timeEnd) throw malformed();
  return { epoch, issuedAt: Number(issuedAt), entries, digest: sha256(bytes) };
}

function takeEntry(reader) {
  const [suite, protectionClass, notBefore, notAfter] = [reader.u8(), reader.u8(), reader.u64(), reader.u64()];
  if (protectionClass !== 1 && protectionClass !== 2) throw malformed();
  if (!keyByteCounts.has(suite)) throw refused('unsupported-suite', `the bundle has suite ${suite}`, { suite });
  const key = reader.take(keyByteCounts.get(suite));
  return { suite, protectionClass, notBefore, notAfter, key };
}

/**
 * Checks a parsed bundle against the sender's pin and clock: steps 7 to 10.
 *
 * @param {Pin | null} pin null for a device that was not seen before
 * @param {number} now milliseconds since 1970
 * @throws {BundleError}
 */
export function checkBundle({ epoch, digest, entries }, pin, now) {
  const latest = BigInt(now) + clockSkewMax;
  // First: a thief of the identity must not lock its owner out with an epoch of the far future.
  if (epoch > latest) throw refused('not-yet-valid', 'the epoch is ahead of the clock');
  if (pin && epoch < pin.epoch) throw refused('rolled-back', 'a newer bundle was seen');
  if (pin && epoch === pin.epoch && !digest.equals(pin.digest)) {
    throw refused('equivocation', 'another bundle of the same epoch was seen');
  }
  const suites = highestSuites(entries);
  if (pin && suites.some((suite, i) => suite !== 0 && suite < pin.highestSuites[i])) {
    throw refused('suite-downgrade', 'a higher suite was seen; a person decides whether to reset the pin');
  }
  for (const entry of entries) checkTimes(entry, BigInt(now), latest);
  if (entries.some((entry) => isLowOrder(entry.key))) throw refused('low-order-prekey', 'a prekey gives no secrecy');
}

function checkTimes({ notBefore, notAfter }, now, latest) {
  if (notBefore > notAfter || notAfter >= timeEnd || notAfter - notBefore > validityMax) {
    throw refused('validity-too-long', 'a prekey is valid for more than 60 days, or for no time');
  }
  if (notBefore > latest) throw refused('not-yet-valid', 'a prekey is not valid yet');
  if (now > notAfter) throw refused('expired', 'a prekey has expired: the app has not run for long');
}

/** Highest suites of class 1 and class 2; 0 for none. */
export function highestSuites(entries) {
  return [1, 2].map((protectionClass) => Math.max(
    0, ...entries.filter((entry) => entry.protectionClass === protectionClass).map((entry) => entry.suite),
  ));
}

const probe = generateKeyPairSync('x25519').privateKey;

/** True if any private key, which is a multiple of 8, gives the all-zero secret. */
const isLowOrder = (key) => x25519(probe, publicKeyObject('X25519', key)) === null;
