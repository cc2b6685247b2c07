import { lengthPrefixed, u64 } from './bytes.js';
import { AnnouncementError } from './errors.js';
import { isTopic } from './recipient.js';

const version = 1;
const kinds = { succession: 1, revocation: 2 };

/**
 * A sender's signed statement that another key takes its place, or that its key is over (docs/protocol.md, section 22).
 *
 * It is public. The app hands all of a sender's announcements to its device at each launch, older ones first
 * (`AppDevice.accept`). Each app needs its own.
 */
export class Announcement {
  /** @param {Buffer} bytes made by `succession` or `revocation` */
  constructor(bytes) { this.bytes = bytes; }

  /**
   * Announces that another key takes the place of `sender`. Both sign: no foreign key can be claimed.
   *
   * Save the successor's file first. Seal under the new key once the apps have run: before, its messages are those of
   * an unverified sender. Never announce a second successor: devices refuse it.
   *
   * @param {SenderIdentity} sender
   * @param {SenderIdentity} successor
   * @param {string} topic the app's bundle id
   * @param {object} [options] `announcedAt`: the sender's clock, in milliseconds since 1970
   * @throws {AnnouncementError} `same-key`, `topic`, `announced-at`
   */
  static succession(sender, successor, topic, { announcedAt = Date.now() } = {}) {
    if (sender.publicKey.bytes.equals(successor.publicKey.bytes)) {
      throw new AnnouncementError('same-key', 'a key cannot take its own place: make another');
    }
    const content = Buffer.concat([head('succession', sender, topic, announcedAt), successor.publicKey.bytes]);
    return new Announcement(signed(signed(content, successor), sender));
  }

  /**
   * Announces that `sender` is over: devices show nothing under it from now on. This cannot be taken back.
   *
   * @throws {AnnouncementError} `topic`, `announced-at`
   */
  static revocation(sender, topic, { announcedAt = Date.now() } = {}) {
    return new Announcement(signed(head('revocation', sender, topic, announcedAt), sender));
  }

  /** The bytes in base64url. */
  get text() { return this.bytes.toString('base64url'); }
}

function head(kind, sender, topic, announcedAt) {
  if (!isTopic(topic)) {
    throw new AnnouncementError('topic', 'the topic is the app\'s bundle id: 1 to 155 letters, digits, - and .');
  }
  if (!Number.isSafeInteger(announcedAt) || announcedAt < 0) {
    throw new AnnouncementError('announced-at', 'announcedAt is no time in milliseconds since 1970');
  }
  return Buffer.concat([
    Buffer.of(version, kinds[kind]), sender.publicKey.bytes, u64(announcedAt), lengthPrefixed(topic),
  ]);
}

const signed = (content, key) => Buffer.concat([
  content, key.sign(Buffer.concat([lengthPrefixed('SealedPush/1 sender'), content])),
]);
