/** An error of this package. `code` is a constant word; no code and no message has a key, a token or a message's text. */
export class SealedPushError extends Error {
  /**
   * @param {string} code the reason in one word
   * @param {string} message the reason in a sentence
   * @param {object} [fields] numbers and constant words that belong to the reason
   */
  constructor(code, message, fields = {}) {
    super(message);
    Object.assign(this, fields);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A refused key bundle; the codes are the protocol's words (docs/protocol.md, section 3), and `no-prekey`. */
export class BundleError extends SealedPushError {}

/** A message that was not sealed. */
export class SealingError extends SealedPushError {}

/** A key, or a file with one, that was refused. */
export class KeyError extends SealedPushError {}

/** Pins that could not be read or written: nothing is sealed then. */
export class PinError extends SealedPushError {}

/** An announcement that every device would refuse. */
export class AnnouncementError extends SealedPushError {}

/** An attachment that was not sealed, uploaded or pointed to. */
export class AttachmentError extends SealedPushError {}

/** A request to the relay that failed. `isRetryable` is true where the same request may succeed later. */
export class RelayError extends SealedPushError {}
