import { link, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ByteReader, lengthPrefixed, u64 } from './bytes.js';
import { highestSuites } from './bundle.js';
import { PinError } from './errors.js';
import { syncFolder } from './files.js';
import { sha256 } from './primitives.js';

const mark = Buffer.from('SPP1');
const checkByteCount = 8;
const encodedByteCountMax = 258;
/** Least change worth a write alone: a message a second would else be a write a second. */
const fetchedAtStep = 3_600_000;

const damaged = () => new PinError('damaged', 'a stored pin is damaged, or of another device');

/** The name of a device's pin in one app: 64 hexadecimal digits that do not reveal the identity. */
export const pinName = (identity, topic) => sha256(identity.bytes, Buffer.from(topic)).toString('hex');

/** What a sender keeps of a device's newest bundle (docs/protocol.md, section 16). */
export class Pin {
  /**
   * @param {object} values
   * @param {bigint} values.epoch
   * @param {Buffer} values.digest SHA-256 of the bundle
   * @param {number[]} values.highestSuites ever seen, of class 1 and class 2; 0 for none
   * @param {number} values.issuedAt by the device's clock
   * @param {number} values.fetchedAt by the sender's clock
   */
  constructor(values) { Object.assign(this, values); }

  /** The pin after a checked bundle. Suites never fall; an older copy of the same bytes does not make them older. */
  static of(bundle, pin, fetchedAt, now) {
    const isSame = pin?.digest.equals(bundle.digest) && pin.fetchedAt <= now;
    return new Pin({
      ...bundle,
      highestSuites: highestSuites(bundle.entries).map((suite, i) => Math.max(suite, pin?.highestSuites[i] ?? 0)),
      fetchedAt: Math.max(Math.min(fetchedAt, now), isSame ? pin.fetchedAt : 0),
    });
  }

  isOutdatedBy(newer) {
    return this.epoch !== newer.epoch || !this.digest.equals(newer.digest)
      || this.highestSuites.some((suite, i) => suite !== newer.highestSuites[i])
      || newer.fetchedAt < this.fetchedAt || newer.fetchedAt >= this.fetchedAt + fetchedAtStep;
  }

  /** Bytes for a store. The check at their end detects accidents only. */
  encoded(identity, topic) {
    const content = Buffer.concat([
      mark, identity.bytes, lengthPrefixed(topic), u64(this.epoch), this.digest, Buffer.from(this.highestSuites),
      u64(this.issuedAt), u64(this.fetchedAt),
    ]);
    return Buffer.concat([content, sha256(content).subarray(0, checkByteCount)]);
  }

  /** @throws {PinError} `damaged` */
  static decoded(bytes, identity, topic) {
    if (!(bytes instanceof Uint8Array) || bytes.length > encodedByteCountMax) throw damaged();
    const reader = new ByteReader(Buffer.from(bytes), damaged);
    const content = reader.bytes.subarray(0, Math.max(0, bytes.length - checkByteCount));
    if (!reader.take(4).equals(mark) || !reader.take(32).equals(identity.bytes)
      || !reader.lengthPrefixed().equals(Buffer.from(topic))) throw damaged();
    const pin = new Pin({
      epoch: reader.u64(), digest: reader.take(32), highestSuites: [reader.u8(), reader.u8()],
      issuedAt: Number(reader.u64()), fetchedAt: Number(reader.u64()),
    });
    const check = sha256(content).subarray(0, checkByteCount);
    if (!reader.take(checkByteCount).equals(check) || !reader.isAtEnd) throw damaged();
    return pin;
  }
}

/**
 * Forgets the suites that were seen of a device, once a person has decided so; never the epoch.
 *
 * @throws {PinError}
 */
export async function resetSuites(pins, identity, topic) {
  await pins.update(pinName(identity, topic), (bytes) => {
    if (!bytes) return null;
    const pin = Pin.decoded(bytes, identity, topic);
    return new Pin({ ...pin, highestSuites: [0, 0] }).encoded(identity, topic);
  });
}

/** Pins for as long as the process lives: for tests. */
export class MemoryPins {
  #pins = new Map();

  async update(name, change) {
    const bytes = change(this.#pins.get(name) ?? null);
    if (bytes) this.#pins.set(name, bytes);
  }
}

/**
 * Pins in a folder, shared by all processes of a machine. Node has no file locks, so a pin's file has a number and is
 * never changed: a new pin is linked under the next number, which succeeds for one process alone. The highest counts.
 *
 *     FOLDER/NAME/NUMBER
 */
export class FilePins {
  #folder;

  /** @param {string} folder made with mode 0700 if missing; a local file system, or NFS */
  constructor(folder) { this.#folder = folder; }

  /**
   * Changes one pin, atomically: the contract of every store.
   *
   * @param {string} name from `pinName`
   * @param {(bytes: Buffer | null) => Buffer | null} change gets the stored bytes, and returns the new ones, or null to
   *   keep them. It may be called again, even on what it returned. Stored bytes are durable when the promise is
   *   fulfilled.
   * @throws {PinError}, and what `change` throws
   */
  async update(name, change) {
    const folder = join(this.#folder, name);
    await attempt(() => this.#make(folder));
    for (;;) {
      // A listing may miss what is replaced meanwhile. That there is none, two listings have to say.
      const number = await attempt(() => highestNumber(folder)) || await attempt(() => highestNumber(folder));
      const bytes = number === 0 ? null : await attempt(() => readIfThere(join(folder, String(number))));
      if (bytes === undefined) continue; // Another process has just replaced it.
      const changed = change(bytes);
      if (!changed || await attempt(() => store(changed, folder, number + 1))) return;
    }
  }

  async #make(folder) {
    for (const path of [this.#folder, folder]) {
      if (await mkdir(path, { recursive: true, mode: 0o700 })) await syncFolder(join(path, '..'));
    }
    const { mode } = await stat(this.#folder);
    if (process.platform !== 'win32' && mode & 0o022) {
      throw new PinError('writable-by-others', `others may write to '${this.#folder}'`);
    }
  }
}

async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (error instanceof PinError) throw error;
    throw new PinError('system', `the pins could not be read or written: ${error.code}`, { systemCode: error.code });
  }
}

async function highestNumber(folder) {
  const names = await readdir(folder);
  return Math.max(0, ...names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number));
}

async function readIfThere(path) {
  try {
    if ((await stat(path)).size > encodedByteCountMax) throw damaged();
    return await readFile(path);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @returns {Promise<boolean>} false if another process was faster */
async function store(bytes, folder, number) {
  const path = join(folder, String(number));
  const temporary = join(folder, `new-${randomBytes(8).toString('hex')}`);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
    await link(temporary, path);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await unlink(temporary);
  }
  // This number may have been taken and removed before: then a higher one is there, and counts. It may also be that
  // another process has already gone on from here; to change the pin again does no harm.
  if (await highestNumber(folder) !== number) {
    await unlink(path).catch(() => {}); // That process may have removed it.
    return false;
  }
  await syncFolder(folder);
  const old = (await readdir(folder)).filter((name) => Number(name) < number);
  await Promise.all(old.map((name) => unlink(join(folder, name)).catch(() => {}))); // Another process may do the same.
  return true;
}
