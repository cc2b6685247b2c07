// Runs every vector that a sender can be judged by. Prints what differs, then one line for each kind.

import assert from 'node:assert/strict';
import { createHash, createPublicKey } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Announcement } from '../lib/announcement.js';
import { attachmentKeys, sealedParts } from '../lib/attachment.js';
import { attachmentURL } from '../lib/attachment-url.js';
import { fromBase64url } from '../lib/bytes.js';
import { BundleError } from '../lib/errors.js';
import { IdentityKey, SenderIdentity, SenderKey } from '../lib/keys.js';
import { MemoryPins, Pin, pinName } from '../lib/pins.js';
import { privateKeyObject } from '../lib/primitives.js';
import { Recipient } from '../lib/recipient.js';
import { compareSafetyCode, safetyCode, safetyNumber } from '../lib/safety.js';
import { PreparedMessage, sealWith } from '../lib/sealing.js';
import { messageOfBody, openChunks } from './device.js';
import { VectorFile } from './vector-file.js';
import { VectorKeys } from './vector-keys.js';

const folder = fileURLToPath(new URL('../../../Tests/Conformance/Vectors/sealedpush/', import.meta.url));

/** Reasons why a whole kind is not a sender's. */
const deviceOnly = {
  message: 'only a device opens pushes',
  json: 'only a device reads bodies; a sender writes them',
  'web-push': 'a format of its own, without a sender\'s key; only a device opens it',
};

async function pinsOf(file, identity, topic) {
  const pins = new MemoryPins();
  const [text] = file.all('pin');
  if (text) {
    const [epoch, digest, ...suites] = text.split(' ');
    const values = { epoch: BigInt(epoch), digest: Buffer.from(digest, 'base64url'), highestSuites: suites.map(Number) };
    const pin = new Pin({ ...values, issuedAt: 0, fetchedAt: 0 });
    await pins.update(pinName(identity, topic), () => pin.encoded(identity, topic));
  }
  return pins;
}

const runners = {
  async bundle(file) {
    const identity = new IdentityKey(file.bytes('pinned'));
    const topic = file.one('topic');
    const pins = await pinsOf(file, identity, topic);
    const found = [];
    for (const [i, bundle] of file.inputs().entries()) {
      const now = Number(file.all('now')[i]);
      try {
        await Recipient.verify({ bundle, identity, topic, pins, now });
        found.push('valid');
      } catch (error) {
        if (!(error instanceof BundleError)) throw error;
        found.push(error.code === 'no-prekey' ? 'valid' : error.code);
      }
    }
    assert.deepEqual(found, file.all('expect'));
  },

  async seal(file) {
    const sender = new SenderIdentity(file.bytes('sender-secret'));
    const now = file.number('now');
    const recipient = await Recipient.verify({
      bundle: file.one('bundle'), identity: new IdentityKey(file.bytes('pinned')), topic: file.one('topic'), now,
      pins: new MemoryPins(), protectionClass: { 1: 'after-first-unlock', 2: 'unlocked' }[file.one('class-of-prekey')],
    });
    const message = new PreparedMessage(messageOfBody(JSON.parse(file.one('body'))), {
      sentAt: file.number('sent-at'), expiresAt: file.number('expires-at'), messageId: file.one('message-id'),
    });
    assert.equal(message.body.toString(), file.one('body'));
    assert.equal(message.isTruncated ? 1 : 0, file.number('flags'));
    const privateKey = privateKeyObject('X25519', file.bytes('ephemeral'));
    const ephemeral = { privateKey, publicKey: createPublicKey(privateKey) };
    const sealed = sealWith(sender, message, recipient, now, { ephemeral, trace: file.one('trace') });
    assert.equal(sealed.payload({ locKey: file.one('alert-loc-key') }), file.one('payload'));
  },

  /** Makes each announcement again: its keys, its time and its app are in its bytes. */
  announcement(file) {
    if (file.all('expect').some((word) => ['malformed', 'unsupported', 'bad-signature'].includes(word))) {
      return 'only a device judges bytes that no sender makes; the others are made again';
    }
    for (const line of file.inputs()) {
      const expected = fromBase64url(line);
      const sender = new SenderIdentity(announcementKeys.seed(expected.subarray(2, 34)));
      const announcedAt = Number(expected.readBigUInt64BE(34));
      const topicEnd = 43 + expected[42];
      const topic = expected.toString('latin1', 43, topicEnd);
      const successor = () => new SenderIdentity(announcementKeys.seed(expected.subarray(topicEnd, topicEnd + 32)));
      const made = expected[1] === 1 ? Announcement.succession(sender, successor(), topic, { announcedAt })
        : Announcement.revocation(sender, topic, { announcedAt });
      assert.equal(made.bytes.toString('hex'), expected.toString('hex'));
    }
    return undefined;
  },

  base64url(file) {
    // Text of single bytes: a character beyond ASCII stays one that is refused.
    const bytes = fromBase64url(file.input);
    assert.equal(bytes ? 'valid' : 'refused', file.one('expect'));
    assert.deepEqual(fromBase64url(file.input.toString('latin1')), bytes);
    if (bytes) assert.equal(bytes.toString('hex') || '-', file.one('bytes'));
  },

  'attachment-url': (file) => {
    const url = attachmentURL(file.input.toString('latin1'));
    const expected = file.one('expect') === 'valid'
      ? { host: file.one('host'), port: file.number('port'), path: file.one('path') } : null;
    assert.deepEqual(url, expected);
  },

  'safety-number': (file) => {
    const [one, other] = [new IdentityKey(file.bytes('one')), new SenderKey(file.bytes('other'))];
    for (const keys of [[one, other], [other, one]]) {
      assert.equal(safetyNumber(...keys), file.one('number'));
      assert.equal(safetyCode(...keys), file.one('qr'));
      assert.equal(compareSafetyCode(file.one('qr'), ...keys), 'match');
    }
  },

  /** What opens is sealed again, byte for byte: the first 24 bytes are the salt. */
  async attachment(file) {
    if (file.one('expect') !== 'opened') return 'only a device opens what is damaged';
    const stored = Buffer.concat(file.input.toString('latin1').split(' ').map((part) => {
      const [byte, count] = part.split('*');
      return count ? Buffer.alloc(Number(count), Buffer.from(byte, 'hex')) : Buffer.from(part, 'hex');
    }));
    const keys = attachmentKeys(file.bytes('key'), file.bytes('id'), stored.subarray(0, 24));
    const size = file.number('size');
    const content = openChunks(stored, keys).subarray(0, size);
    assert.equal(createHash('sha256').update(content).digest('base64url'), file.one('file-sha256'));
    const parts = [];
    let position = 0;
    const read = async (byteCount) => content.subarray(position, position += byteCount);
    for await (const part of sealedParts(read, size, keys)) parts.push(part);
    assert.ok(Buffer.concat(parts).equals(stored));
    return undefined;
  },
};

const names = readdirSync(folder).filter((name) => name.endsWith('.txt')).sort();
const announcementKeys = new VectorKeys(names.filter((name) => name.startsWith('announcement-')));
const counts = new Map();
let isFailed = false;
for (const name of names) {
  const file = new VectorFile(folder + name);
  const kind = file.one('kind');
  const count = counts.get(kind) ?? { run: 0, passed: 0, reasons: [] };
  counts.set(kind, count);
  try {
    const reason = deviceOnly[kind] ?? await runners[kind](file);
    if (reason) {
      count.reasons.push(reason);
      continue;
    }
    count.passed += 1;
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    isFailed = true;
  }
  count.run += 1;
}
for (const [kind, { run, passed, reasons }] of [...counts].sort()) {
  const reason = reasons.length > 0 ? `: ${reasons[0]}` : '';
  console.log(`node ${kind} run ${run} passed ${passed} not-applicable ${reasons.length}${reason}`);
}
process.exitCode = isFailed ? 1 : 0;
