// The senders' private keys of the announcement vectors, which come from the vectors' names.
//
// Tests/Conformance/VectorKit/Making/Actors.swift draws them: SplitMix64 of the first eight bytes of the name's
// SHA-256, a byte of each number, 32 for a key. The first two are a device's.

import { createHash } from 'node:crypto';
import { SenderIdentity } from '../lib/keys.js';

const keysOfAName = 6;
const wrapped = (number) => BigInt.asUintN(64, number);

function* bytesOf(name) {
  let state = createHash('sha256').update(name).digest().readBigUInt64BE();
  for (;;) {
    state = wrapped(state + 0x9E3779B97F4A7C15n);
    let mixed = wrapped((state ^ (state >> 30n)) * 0xBF58476D1CE4E5B9n);
    mixed = wrapped((mixed ^ (mixed >> 27n)) * 0x94D049BB133111EBn);
    yield Number((mixed ^ (mixed >> 31n)) & 0xFFn);
  }
}

export class VectorKeys {
  #seeds = new Map();

  constructor(names) {
    for (const name of names) {
      const drawn = bytesOf(name.replace(/\.txt$/, ''));
      for (let i = 0; i < keysOfAName; i += 1) {
        const seed = Buffer.from(Array.from({ length: 32 }, () => drawn.next().value));
        if (i >= 2) this.#seeds.set(new SenderIdentity(seed).publicKey.bytes.toString('hex'), seed);
      }
    }
  }

  seed(publicKey) {
    const seed = this.#seeds.get(publicKey.toString('hex'));
    if (!seed) throw new Error('no vector\'s name gives this key: does Actors.swift draw keys in another way now?');
    return seed;
  }
}
