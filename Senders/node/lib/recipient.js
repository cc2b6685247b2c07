import { checkBundle, parseBundle } from './bundle.js';
import { lengthPrefixed } from './bytes.js';
import { BundleError, PinError } from './errors.js';
import { IdentityKey } from './keys.js';
import { Pin, pinName } from './pins.js';
import { publicKeyObject, sha256 } from './primitives.js';

const protectionClasses = { 'after-first-unlock': 1, unlocked: 2 };
const copyAgeMax = 7 * 86_400_000;
/** Known to this file alone, so that no recipient is made without `verify`. */
const verified = Symbol('verified');

/** True for an app's bundle id, as docs/protocol.md, section 1, has it. */
export const isTopic = (text) => typeof text === 'string' && /^[A-Za-z0-9.-]{1,155}$/.test(text);

/** A device that a message can be sealed for. There is none without a pinned identity and pins. */
export class Recipient {
  /**
   * Verifies a bundle, compares it with the device's pin, and updates the pin. A refused bundle changes nothing.
   *
   * @param {object} options
   * @param {string} options.bundle base64url, from the relay or anyone
   * @param {IdentityKey} options.identity the device's, from the application's own authenticated channel
   * @param {string} options.topic the app's bundle id, the same constant as on the device
   * @param {{ update: Function }} options.pins shared by everything that seals for this sender
   * @param {'after-first-unlock' | 'unlocked'} [options.protectionClass] constant for an app: the prekey id shows it
   * @param {number} [options.fetchedAt] time of the fetch, of a copy that was kept
   * @param {number} [options.now] the sender's clock, in milliseconds since 1970
   * @throws {BundleError} the bundle is refused
   * @throws {PinError} the pins cannot be read or written
   */
  static async verify({
    bundle, identity, topic, pins, protectionClass = 'after-first-unlock', now = Date.now(), fetchedAt = now,
  }) {
    if (!(identity instanceof IdentityKey)) throw new TypeError('identity must be an IdentityKey');
    if (!isTopic(topic)) throw new TypeError('topic must be the bundle id of an app');
    if (!Object.hasOwn(protectionClasses, protectionClass)) throw new TypeError('there is no such protectionClass');
    const parsed = parseBundle(bundle, identity, topic);
    let pin = null;
    await pins.update(pinName(identity, topic), (bytes) => {
      const old = bytes ? Pin.decoded(bytes, identity, topic) : null;
      checkBundle(parsed, old, now);
      pin = Pin.of(parsed, old, fetchedAt, now);
      return !old || old.isOutdatedBy(pin) ? pin.encoded(identity, topic) : null;
    });
    if (!pin) throw new PinError('system', 'the store did not call for a change');
    const number = protectionClasses[protectionClass];
    const entry = parsed.entries.filter((each) => each.protectionClass === number).pop(); // The highest suite is last.
    if (!entry) throw new BundleError('no-prekey', `the bundle has no prekey of the class ${protectionClass}`);
    return new Recipient(verified, identity, topic, entry, pin);
  }

  /** For `verify` alone. */
  constructor(token, identity, topic, entry, pin) {
    if (token !== verified) throw new TypeError('a recipient is made by Recipient.verify');
    const fingerprint = sha256(
      lengthPrefixed('SealedPush/1 prekey'), Buffer.of(entry.suite, entry.protectionClass), identity.bytes, entry.key,
    );
    const header = Buffer.concat([Buffer.of(1, entry.suite), fingerprint.subarray(0, 8)]);
    Object.assign(this, { identity, topic, header, issuedAt: pin.issuedAt, fetchedAt: pin.fetchedAt });
    this.notAfter = Number(entry.notAfter);
    this.prekey = { bytes: entry.key, keyObject: publicKeyObject('X25519', entry.key) };
    this.info = Buffer.concat([
      lengthPrefixed('SealedPush/1'), header, lengthPrefixed(topic), identity.bytes, fingerprint,
    ]);
  }

  /** True if the bundle was fetched 7 days ago, or in the future: fetch it before sealing again. */
  needsRefresh(now = Date.now()) { return now < this.fetchedAt || now >= this.fetchedAt + copyAgeMax; }
}
