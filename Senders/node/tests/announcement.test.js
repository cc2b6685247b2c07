import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Announcement, AnnouncementError, SenderIdentity } from '../index.js';
import { lengthPrefixed } from '../lib/bytes.js';
import { isValidSignature } from '../lib/primitives.js';
import { refused } from './setting.js';

const topic = 'com.example.chat';
const announcedAt = 1_800_000_000_000;
const [old, successor] = [SenderIdentity.generate(), SenderIdentity.generate()];

function assertSigned(bytes, signedByteCount, { publicKey }) {
  const input = Buffer.concat([lengthPrefixed('SealedPush/1 sender'), bytes.subarray(0, signedByteCount)]);
  assert.ok(isValidSignature(bytes.subarray(signedByteCount, signedByteCount + 64), input, publicKey.bytes));
}

test('a succession is signed by the new key, and then by the old one', () => {
  const { bytes } = Announcement.succession(old, successor, topic, { announcedAt });
  assert.equal(bytes.length, 203 + topic.length);
  assert.deepEqual([...bytes.subarray(0, 2)], [1, 1]);
  assert.ok(bytes.subarray(2, 34).equals(old.publicKey.bytes));
  assert.equal(Number(bytes.readBigUInt64BE(34)), announcedAt);
  assert.equal(bytes.toString('latin1', 43, 59), topic);
  assert.ok(bytes.subarray(59, 91).equals(successor.publicKey.bytes));
  assertSigned(bytes, bytes.length - 128, successor);
  assertSigned(bytes, bytes.length - 64, old);
});

test('a revocation is signed by the key that is over', () => {
  const announcement = Announcement.revocation(old, topic, { announcedAt });
  assert.equal(announcement.bytes.length, 107 + topic.length);
  assert.deepEqual([...announcement.bytes.subarray(0, 2)], [1, 2]);
  assertSigned(announcement.bytes, announcement.bytes.length - 64, old);
  assert.equal(announcement.text, announcement.bytes.toString('base64url'));
});

test('without a time it is announced now', () => {
  const before = Date.now();
  const at = Number(Announcement.revocation(old, topic).bytes.readBigUInt64BE(34));
  assert.ok(before <= at && at <= Date.now());
});

test('what every device would refuse is not made', async () => {
  await refused(AnnouncementError, 'same-key', () => Announcement.succession(old, old, topic));
  for (const wrong of [-1, 2 ** 53, 1.5, '1', NaN, null]) {
    const options = { announcedAt: wrong };
    await refused(AnnouncementError, 'announced-at', () => Announcement.succession(old, successor, topic, options));
    await refused(AnnouncementError, 'announced-at', () => Announcement.revocation(old, topic, options));
  }
  Announcement.revocation(old, topic, { announcedAt: 2 ** 53 - 1 });
  for (const wrong of ['', 'a'.repeat(156), 'com.exämple', undefined]) {
    await refused(AnnouncementError, 'topic', () => Announcement.succession(old, successor, wrong));
    await refused(AnnouncementError, 'topic', () => Announcement.revocation(old, wrong));
  }
});
