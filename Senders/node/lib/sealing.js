import { lengthPrefixed, fromBase64url, u64 } from './bytes.js';
import { SealingError } from './errors.js';
import { hpkeSeal } from './hpke.js';
import { encodeMessage, isID, randomID } from './message.js';
import { sha256 } from './primitives.js';

const day = 86_400_000;
const lifetimeCap = 30 * day;
const callLifetimeMax = 60_000;
const frameHeadByteCount = 132;
/** The frame's length under suite 1. */
const frameByteCounts = { alert: 2_822, voip: 3_590 };
const placeholderByteCountMax = 173;

const frameByteCount = (isCall) => (isCall ? frameByteCounts.voip : frameByteCounts.alert);
const isTime = (value) => Number.isSafeInteger(value) && value >= 0;

/** A message encoded once, for any number of devices and re-sends. It holds the plain text. */
export class PreparedMessage {
  /**
   * Prepares a new message, or one that is sealed again: with the same id and times a device shows it once.
   *
   * @param {object} message members of docs/protocol.md, section 6, in camel case: `title`, `body`, `threadId`, …
   * @param {object} [options] times in milliseconds since 1970, durations in milliseconds
   * @param {number} [options.sentAt]
   * @param {number} [options.lifetime] a day; 30 seconds for a call
   * @param {number} [options.expiresAt] in place of `lifetime`
   * @param {number} [options.lifetimeMax] the limit of the app's devices: 7 days, 30 at most
   * @param {string} [options.messageId] of the message that is sealed again
   * @param {'shorten' | 'refuse'} [options.overflow] what happens to a text that does not fit
   * @throws {SealingError}
   */
  constructor(message, {
    sentAt = Date.now(), lifetime, expiresAt, lifetimeMax = 7 * day, messageId = randomID(), overflow = 'shorten',
  } = {}) {
    const encoded = encodeMessage(message, (isCall) => frameByteCount(isCall) - frameHeadByteCount, overflow);
    this.isCall = encoded.isCall;
    this.isTruncated = encoded.isTruncated;
    this.receipt = encoded.receipt;
    this.body = encoded.bytes;
    if (!isID(messageId)) throw new SealingError('message-id', 'a message id is 22 characters of base64url');
    this.messageId = messageId;
    this.sentAt = sentAt;
    this.expiresAt = expiresAt ?? sentAt + (lifetime ?? (this.isCall ? 30_000 : day));
    this.#checkTimes(lifetimeMax);
    Object.freeze(this);
  }

  #checkTimes(lifetimeMax) {
    if (!(lifetimeMax <= lifetimeCap)) throw new SealingError('lifetime-max', 'devices take 30 days at most');
    if (!isTime(this.sentAt)) throw new SealingError('sent-at', 'sentAt is no time in milliseconds since 1970');
    const lifetime = this.expiresAt - this.sentAt;
    if (this.isCall && lifetime > callLifetimeMax) {
      throw new SealingError('call-lifetime', 'a call rings for 60 seconds at most');
    }
    if (!isTime(this.expiresAt) || lifetime < 1 || lifetime > lifetimeMax) {
      throw new SealingError('lifetime', `the lifetime is not between 1 and ${lifetimeMax} milliseconds`);
    }
  }
}

/** A message sealed for one device. */
class SealedMessage {
  /** @param {object} values `sealed`: the relay's field; `trace`: 22 characters that name this push */
  constructor(values) { Object.freeze(Object.assign(this, values)); }

  /**
   * Builds the JSON body of the push, for senders that speak to APNs themselves.
   *
   * @param {object} placeholder the app's constant alert, `{ locKey }` or `{ title, body }`; a call has none
   * @throws {SealingError} `placeholder`
   */
  payload(placeholder) {
    const aps = this.isCall ? {} : { alert: alertOf(placeholder), 'mutable-content': 1 };
    return JSON.stringify({ aps, sealed: this.sealed, trace: this.trace });
  }
}

function alertOf({ locKey, title, body } = {}) {
  const given = locKey ? { 'loc-key': locKey } : { title: title || undefined, body: body || undefined };
  const texts = Object.values(given).filter((text) => text !== undefined);
  const isRight = texts.length > 0 && texts.every((text) => typeof text === 'string' && !text.includes('\0'))
    && Buffer.byteLength(JSON.stringify(given)) <= placeholderByteCountMax;
  if (!isRight) {
    throw new SealingError('placeholder', `a placeholder has text, and ${placeholderByteCountMax} bytes at most`);
  }
  return given;
}

/**
 * Seals a prepared message for one device, under a new encapsulation.
 *
 * @param {SenderIdentity} sender
 * @param {PreparedMessage} message
 * @param {Recipient} recipient
 * @param {object} [options]
 * @param {number} [options.now] the sender's clock: what has expired is not sealed
 * @throws {SealingError}
 */
export function seal(sender, message, recipient, { now = Date.now() } = {}) {
  return sealWith(sender, message, recipient, now, {});
}

/** Seals with a given ephemeral key pair and trace: for test vectors. */
export function sealWith(sender, message, recipient, now, { ephemeral, trace = randomID() }) {
  if (!(now <= recipient.notAfter)) throw new SealingError('prekey-expired', 'fetch the device\'s bundle anew');
  if (!(now < message.expiresAt)) throw new SealingError('expired', 'the message has expired: no device would show it');
  const frame = frameOf(sender, message, recipient);
  const sealed = hpkeSeal(frame, recipient.prekey, recipient.info, ephemeral);
  frame.fill(0);
  if (!sealed) throw new SealingError('unusable-prekey', 'the prekey gives no secrecy');
  const { messageId, isTruncated, isCall, expiresAt, receipt } = message;
  return new SealedMessage({
    sealed: Buffer.concat([recipient.header, sealed.encapsulatedKey, sealed.ciphertext]).toString('base64url'),
    trace, messageId, topic: recipient.topic, isTruncated, isCall, expiresAt,
    receiptHash: receipt && receiptHash(receipt),
  });
}

/** The signed frame, padded to its class (docs/protocol.md, section 5). */
function frameOf(sender, { body, messageId, sentAt, expiresAt, isTruncated, isCall }, { info }) {
  const frame = Buffer.alloc(frameByteCount(isCall));
  const head = Buffer.concat([
    fromBase64url(messageId), u64(sentAt), u64(expiresAt), sender.publicKey.bytes,
    Buffer.of(0, isTruncated ? 1 : 0, body.length >> 8, body.length & 255),
  ]);
  const input = Buffer.concat([lengthPrefixed('SealedPush/1 message'), info, head, sha256(body)]);
  head.copy(frame);
  sender.sign(input).copy(frame, head.length);
  body.copy(frame, frameHeadByteCount);
  return frame;
}

/** The hash of a receipt capability, which the relay is given (docs/service.md, "Receipts"). */
const receiptHash = (capability) => sha256(
  lengthPrefixed('SealedPush/1 receipt'), fromBase64url(capability),
).toString('base64url');
