import { createHash } from 'node:crypto';
import { fromBase64url, lengthPrefixed } from './bytes.js';

const hashCount = 5_200;
const mark = Buffer.from('SPS1');

function digitsOf(key) {
  const sha512 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha512')).digest();
  let digest = sha512(lengthPrefixed('SealedPush/1 safety'), key);
  for (let count = 1; count < hashCount; count += 1) digest = sha512(digest, key);
  return Array.from({ length: 6 }, (_, i) => String(digest.readUIntBE(5 * i, 5) % 100_000).padStart(5, '0')).join(' ');
}

/**
 * The number that two people compare to exclude a third in the middle: twelve groups of five digits.
 *
 * Takes some 10 milliseconds, on purpose. The order of the keys does not matter.
 *
 * @param {IdentityKey | SenderKey} one
 * @param {IdentityKey | SenderKey} other
 * @source docs/protocol.md, section 17.
 */
export const safetyNumber = (one, other) => [digitsOf(one.bytes), digitsOf(other.bytes)].sort().join(' ');

/** The text of a QR code with both keys, 91 characters. */
export const safetyCode = (one, other) => Buffer.concat(
  [mark, ...[one.bytes, other.bytes].sort(Buffer.compare)],
).toString('base64url');

/** @returns {'match' | 'mismatch' | 'not-a-code'} what a scanned text is; `not-a-code` compared nothing */
export function compareSafetyCode(scanned, one, other) {
  const bytes = typeof scanned === 'string' && scanned.length === 91 ? fromBase64url(scanned) : null;
  const isCode = bytes?.subarray(0, 4).equals(mark) && Buffer.compare(bytes.subarray(4, 36), bytes.subarray(36)) <= 0;
  if (!isCode) return 'not-a-code';
  return scanned === safetyCode(one, other) ? 'match' : 'mismatch';
}
