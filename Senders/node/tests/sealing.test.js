import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { MemoryPins, PreparedMessage, randomID, Recipient, seal, SealingError, SenderIdentity } from '../index.js';
import { TestDevice } from './device.js';
import { refused } from './setting.js';

const sender = SenderIdentity.generate();
const topic = 'com.example.chat';

async function recipientOf(device, options = {}) {
  return Recipient.verify({
    bundle: device.bundle(options), identity: device.identity, topic, pins: new MemoryPins(), now: options.now,
  });
}

test('a device opens what was sealed, and every envelope has one length', async () => {
  const device = new TestDevice();
  const recipient = await recipientOf(device);
  for (const body of ['b', 'b'.repeat(2_600), 'ß🇩🇪\n"\\'.repeat(400)]) {
    const message = new PreparedMessage({ title: 'Ada', body, threadId: 't', userInfo: { a: -1, b: 'ü', c: false } });
    const sealed = seal(sender, message, recipient);
    assert.equal(sealed.sealed.length, 3_840);
    const opened = device.open(sealed.sealed);
    assert.equal(opened.body['thread-id'], 't');
    assert.equal(opened.messageId, message.messageId);
    assert.equal(opened.flags, message.isTruncated ? 1 : 0);
    assert.ok(body.startsWith(opened.body.body));
    assert.equal(opened.expiresAt - opened.sentAt, 86_400_000);
    assert.equal(sealed.payload({ locKey: 'SP_NEW' }).length, 3_923 + 20);
  }
});

test('a call has its own length, no placeholder, and rings for 60 seconds at most', async () => {
  const device = new TestDevice();
  const recipient = await recipientOf(device);
  const sealed = seal(sender, new PreparedMessage({ op: 'call', call: 'room 1' }), recipient);
  assert.equal(sealed.payload().length, 4_919);
  assert.deepEqual(device.open(sealed.sealed).body, { op: 'call', call: 'room 1' });
  const call = { op: 'call', call: 'room 1' };
  await refused(SealingError, 'call-lifetime', () => new PreparedMessage(call, { lifetime: 60_001 }));
});

test('a re-send has the same id, times and text, and another encapsulation and trace', async () => {
  const device = new TestDevice();
  const recipient = await recipientOf(device);
  const receipt = randomID();
  const message = { title: 'Ada', body: 'x'.repeat(4_000), receipt };
  const first = new PreparedMessage(message);
  const { messageId, sentAt, expiresAt } = first;
  const again = new PreparedMessage(message, { messageId, sentAt, expiresAt });
  const [one, other] = [seal(sender, first, recipient), seal(sender, again, recipient)];
  assert.deepEqual(device.open(one.sealed), device.open(other.sealed));
  assert.notEqual(one.sealed.slice(20, 60), other.sealed.slice(20, 60));
  assert.notEqual(one.trace, other.trace);
  const hash = createHash('sha256').update('\x14SealedPush/1 receipt').update(Buffer.from(receipt, 'base64url'));
  assert.equal(one.receiptHash, hash.digest('base64url'));
});

test('a text is cut at the end of a grapheme cluster, and fills its room', async () => {
  for (const cluster of ['é', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '"', '\u0001']) {
    const message = new PreparedMessage({ title: 'T', body: cluster.repeat(2_000) });
    const { body } = JSON.parse(message.body);
    assert.ok(message.isTruncated);
    assert.equal(body.length % cluster.length, 0);
    assert.ok(message.body.length <= 2_690 && message.body.length + Buffer.byteLength(JSON.stringify(cluster)) - 2 > 2_690);
  }
  const exact = new PreparedMessage({ body: 'b'.repeat(2_690 - '{"body":""}'.length) });
  assert.equal(exact.body.length, 2_690);
  assert.ok(!exact.isTruncated);
});

test('what is too long is refused with the number of bytes', async () => {
  const { excessByteCount } = await refused(SealingError, 'too-long', () => new PreparedMessage(
    { body: 'b'.repeat(2_690) }, { overflow: 'refuse' },
  ));
  assert.equal(excessByteCount, 11);
  await refused(SealingError, 'too-long', () => new PreparedMessage({ title: 't'.repeat(2_690) }));
  await refused(SealingError, 'too-long', () => new PreparedMessage({ title: 't'.repeat(2_690), body: 'b' }));
  await refused(SealingError, 'too-long', () => new PreparedMessage({ body: `e${'\u0301'.repeat(3_000)}` }));
  // The text goes wholly where the title alone fits.
  const message = new PreparedMessage({ title: 't'.repeat(2_678), body: 'b'.repeat(50) });
  assert.deepEqual(Object.keys(JSON.parse(message.body)), ['title']);
});

test('what a device would refuse is not sealed', async () => {
  const invalid = [
    [{ body: 1 }, 'body'], [{ body: 'b', badge: 10_000 }, 'badge'], [{ body: 'b', badge: -1 }, 'badge'], [{ op: 'badge' }, 'badge'],
    [{ op: 'shout', body: 'b' }, 'op'], [{ op: 'call' }, 'call'], [{ op: 'call', call: '' }, 'call'], [{ body: 'b', call: 'c' }, 'call'],
    [{ op: 'remove' }, 'target'], [{ op: 'remove', target: 'x' }, 'target'], [{ body: 'b', target: randomID() }, 'target'],
    [{ body: 'b', locArgs: ['x'] }, 'locArgs'], [{ locKey: 'K', locArgs: Array(9).fill('x') }, 'locArgs'],
    [{ body: 'b', soundVolume: '0.5' }, 'soundVolume'], [{ body: 'b', sound: 's', soundVolume: '1.1' }, 'soundVolume'],
    [{ body: 'b', relevanceScore: 0.5 }, 'relevanceScore'], [{ body: 'b', relevanceScore: '0.12345' }, 'relevanceScore'],
    [{ body: 'b', level: 'loud' }, 'level'], [{ body: 'b', receipt: 'x' }, 'receipt'], [{ body: 'b', crit: ['unknown'] }, 'crit'],
    [{ body: 'b', crit: ['__proto__'] }, 'crit'], [{ body: 'b', userInfo: { a: 1.5 } }, 'userInfo'], [{ body: 'b', userInfo: { 'a b': 1 } }, 'userInfo'],
    [{ body: 'b', userInfo: { a: {} } }, 'userInfo'], [{ body: 'b', userInfo: null }, 'userInfo'], [{ body: 'b', attachments: [{}] }, 'attachments'],
    [{ body: 'b', bodi: 'b' }, undefined],
  ];
  for (const [message, member] of invalid) {
    const error = await refused(SealingError, 'invalid-member', () => new PreparedMessage(message));
    assert.equal(error.member, member);
  }
  for (const message of [{}, { title: '' }, { subtitle: 's' }, { op: 'replace', target: randomID() }]) {
    await refused(SealingError, 'no-text', () => new PreparedMessage(message));
  }
  await refused(SealingError, 'contains-nul', () => new PreparedMessage({ body: 'a\0b' }));
  await refused(SealingError, 'contains-nul', () => new PreparedMessage({ body: 'b', userInfo: { a: '\0' } }));
  await refused(SealingError, 'not-unicode', () => new PreparedMessage({ body: '\ud800' }));
  await refused(SealingError, 'not-unicode', () => new PreparedMessage({ locKey: 'K', locArgs: ['\udc00'] }));
});

test('times are those that devices take', async () => {
  const message = { body: 'b' };
  const day = 86_400_000;
  const prepare = (options) => () => new PreparedMessage(message, options);
  for (const lifetime of [0, -1, 0.5, NaN, 7 * day + 1]) await refused(SealingError, 'lifetime', prepare({ lifetime }));
  for (const sentAt of [-1, 0.5, NaN, 2 ** 53]) await refused(SealingError, 'sent-at', prepare({ sentAt }));
  await refused(SealingError, 'lifetime', prepare({ sentAt: 2 ** 53 - 2, lifetime: 2 }));
  await refused(SealingError, 'lifetime-max', prepare({ lifetimeMax: 30 * day + 1 }));
  await refused(SealingError, 'message-id', prepare({ messageId: 'x' }));
  prepare({ lifetime: 30 * day, lifetimeMax: 30 * day })();
});

test('nothing is sealed after the end of the message or the prekey', async () => {
  const now = Date.now();
  const recipient = await recipientOf(new TestDevice(), { epoch: now, notAfter: now + 2_000, now });
  const message = new PreparedMessage({ body: 'b' }, { sentAt: now, lifetime: 1_000 });
  seal(sender, message, recipient, { now: now + 999 });
  await refused(SealingError, 'expired', () => seal(sender, message, recipient, { now: now + 1_000 }));
  const longer = new PreparedMessage({ body: 'b' }, { sentAt: now });
  seal(sender, longer, recipient, { now: now + 2_000 });
  await refused(SealingError, 'prekey-expired', () => seal(sender, longer, recipient, { now: now + 2_001 }));
});

test('a placeholder has text, and 173 bytes at most', async () => {
  const sealed = seal(sender, new PreparedMessage({ body: 'b' }), await recipientOf(new TestDevice()));
  assert.equal(sealed.payload({ body: 'x'.repeat(173 - 11) }).length, 4_096);
  for (const placeholder of [undefined, {}, { title: '' }, { body: 'x'.repeat(163) }, { body: '\0' }, { body: 1 }]) {
    await refused(SealingError, 'placeholder', () => sealed.payload(placeholder));
  }
});
