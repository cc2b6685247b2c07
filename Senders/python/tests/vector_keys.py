"""The senders' private keys of the announcement vectors, which come from the vectors' names.

Tests/Conformance/VectorKit/Making/Actors.swift draws them: SplitMix64 of the first eight bytes of the name's SHA-256, a
byte of each number, 32 for a key. The first two are a device's.
"""

from hashlib import sha256

from sealedpush.keys import SenderKey

_MASK = (1 << 64) - 1
_KEYS_OF_A_NAME = 6


def _bytes(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
        yield (mixed ^ mixed >> 31) & 0xFF


class VectorKeys:
    def __init__(self, names):
        self._seeds = {}
        for name in names:
            drawn = _bytes(int.from_bytes(sha256(name.removesuffix(".txt").encode()).digest()[:8], "big"))
            seeds = [bytes(next(drawn) for _ in range(32)) for _ in range(_KEYS_OF_A_NAME)]
            self._seeds |= {SenderKey(seed).public_key.raw: seed for seed in seeds[2:]}

    def seed(self, public_key):
        if public_key not in self._seeds:
            raise AssertionError("no vector's name gives this key: does Actors.swift draw keys in another way now?")
        return self._seeds[public_key]
