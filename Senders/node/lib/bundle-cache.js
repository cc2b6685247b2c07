import { byteCountMax } from './bundle.js';
import { fromBase64url } from './bytes.js';
import { sha256 } from './primitives.js';

const countMaxDefault = 10_000;

/** True for a tenant's id of a device. */
export const isDeviceID = (text) => typeof text === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(text);

/** A device's bundle as text, unverified, with the relay's tag of it; null for values that are none. */
export function bundleCopy(etag, bundle) {
  const isTag = typeof etag === 'string' && /^[!-~]{1,64}$/.test(etag);
  const isShort = typeof bundle === 'string' && bundle.length <= Math.ceil((byteCountMax * 4) / 3);
  return isTag && isShort && fromBase64url(bundle) ? { etag, bundle } : null;
}

/**
 * Copies of devices' bundles, so that the relay sends the changed ones alone.
 *
 * Nothing here is trusted: `Recipient.verify` checks a bundle at each use. `text` may be saved; its loss costs one
 * longer answer.
 */
export class BundleCache {
  #copies = new Map();
  #countMax;

  /** @param {object} [options] `countMax`: devices at most; those that were asked for longest ago go first */
  constructor({ countMax = countMaxDefault } = {}) { this.#countMax = countMax; }

  /** @returns {Map<string, object>} the copies of those devices that have one */
  copies(devices) {
    return new Map(devices.filter((device) => this.#copies.has(device)).map((each) => [each, this.#copies.get(each)]));
  }

  /** Takes each device's newest copy; null removes a device. */
  keep(copies) {
    for (const [device, copy] of copies) {
      this.#copies.delete(device);
      if (copy) this.#copies.set(device, copy);
    }
    for (const device of this.#copies.keys()) {
      if (this.#copies.size <= this.#countMax) break;
      this.#copies.delete(device);
    }
  }

  /** Removes a device's copy: the next query brings its bundle. */
  forget(device) { this.#copies.delete(device); }

  get size() { return this.#copies.size; }

  /** The whole cache, for a file: a check against accidents, and a line of JSON. It holds no secret. */
  get text() {
    const content = JSON.stringify([...this.#copies].map(([device, { etag, bundle }]) => [device, etag, bundle]));
    return `${check(content)}\n${content}`;
  }

  /** Reads a saved text. A damaged one gives an empty cache. */
  static parse(text, options) {
    const end = text.indexOf('\n');
    const content = text.slice(end + 1);
    const cache = new BundleCache(options);
    if (text.slice(0, Math.max(end, 0)) !== check(content)) return cache;
    const copies = savedCopies(content);
    if (copies.every(([device, copy]) => isDeviceID(device) && copy)) cache.keep(copies);
    return cache;
  }
}

const check = (content) => sha256(Buffer.from(content)).toString('hex');

function savedCopies(content) {
  try {
    return JSON.parse(content).map(([device, etag, bundle]) => [device, bundleCopy(etag, bundle)]);
  } catch {
    return [];
  }
}
