"""Sections 3 and 16: the signed key bundle, the ten steps of verifying one, and a sender's pin."""
import dataclasses
import hashlib
import struct

from .encoding import CLOCK_SKEW, DAY, PREKEY_CLASSES, SUITE, TIME_LIMIT, VERSION, lp, require
from .keys import is_low_order, verifies

VALIDITY_MAX = 60 * DAY
CONTEXT = b"SealedPush/1 bundle"
KEY_SIZES = {SUITE: 32}  # public keys of the suites that are known here


@dataclasses.dataclass(frozen=True)
class Entry:
    suite: int
    prekey_class: int
    not_before: int
    not_after: int
    key: bytes

    def encoded(self):
        return struct.pack(">BBQQ", self.suite, self.prekey_class, self.not_before, self.not_after) + self.key


@dataclasses.dataclass(frozen=True)
class Pin:
    """A sender's record for each identity and topic, so that no relay can serve it an older bundle."""

    epoch: int
    digest: bytes
    suites: dict  # the highest suite seen of each class


@dataclasses.dataclass(frozen=True)
class Bundle:
    identity: bytes
    epoch: int
    issued_at: int
    entries: tuple[Entry, ...]
    pin: Pin  # what to remember from now on

    def entry(self, prekey_class):
        """The prekey to seal to. There is no falling back to the other class (section 15)."""
        found = [entry for entry in self.entries if entry.prekey_class == prekey_class]
        require(found, "no-such-class")
        return max(found, key=lambda entry: entry.suite)


class _Reader:
    """Takes bytes from the front; bytes that end too early are malformed."""

    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def take(self, count):
        require(len(self.raw) - self.at >= count)
        self.at += count
        return self.raw[self.at - count:self.at]

    def number(self, byte_count):
        return int.from_bytes(self.take(byte_count), "big")


def verify(raw, pinned_identity, topic, now, pin=None):
    """The bundle, or the refusal of the first step that fails. `topic` is bytes, `now` in ms; `pin` may be None."""
    reader = _Reader(raw)
    require(reader.number(1) == VERSION, "unsupported-version")  # step 1
    identity = reader.take(32)
    require(identity == pinned_identity, "other-identity")  # step 2
    epoch, issued_at = reader.number(8), reader.number(8)
    require(reader.take(reader.number(1)) == topic, "other-topic")  # step 3
    count = reader.number(1)
    require(1 <= count <= 4)
    entries = tuple(_entry(reader) for _ in range(count))
    signed_size = reader.at
    signature = reader.take(64)
    require(reader.at == len(raw))  # step 4
    require(verifies(pinned_identity, signature, lp(CONTEXT) + raw[:signed_size]), "bad-signature")  # step 5
    order = [(entry.suite, entry.prekey_class) for entry in entries]
    require(order == sorted(set(order)) and issued_at < TIME_LIMIT)  # step 6
    require(epoch <= now + CLOCK_SKEW, "not-yet-valid")  # before it is pinned
    suites = {entry.prekey_class: entry.suite for entry in entries}  # ascending, so the highest stays
    new_pin = Pin(epoch, hashlib.sha256(raw).digest(), suites)
    if pin:
        _require_not_older(pin, new_pin)  # step 7
        new_pin = dataclasses.replace(new_pin, suites=pin.suites | suites)
    for entry in entries:
        _require_valid(entry, now)  # steps 8 and 9
    require(not any(is_low_order(entry.key) for entry in entries), "low-order-prekey")  # step 10
    return Bundle(identity, epoch, issued_at, entries, new_pin)


def _entry(reader):
    suite, prekey_class, not_before, not_after = struct.unpack(">BBQQ", reader.take(18))
    require(prekey_class in PREKEY_CLASSES)
    require(suite in KEY_SIZES, "unsupported-suite")
    return Entry(suite, prekey_class, not_before, not_after, reader.take(KEY_SIZES[suite]))


def _require_not_older(pin, new_pin):
    require(new_pin.epoch >= pin.epoch, "rolled-back")
    require(new_pin.epoch > pin.epoch or new_pin.digest == pin.digest, "equivocation")
    seen = [(suite, pin.suites.get(prekey_class, 0)) for prekey_class, suite in new_pin.suites.items()]
    require(all(suite >= pinned for suite, pinned in seen), "suite-downgrade")


def _require_valid(entry, now):
    require(entry.not_before <= entry.not_after < TIME_LIMIT, "validity-too-long")
    require(entry.not_after - entry.not_before <= VALIDITY_MAX, "validity-too-long")
    require(entry.not_before - CLOCK_SKEW <= now, "not-yet-valid")
    require(now <= entry.not_after, "expired")


def sign(identity, epoch, issued_at, topic, entries):
    """A device's published bundle. `identity` is its Ed25519 private key; entries ascend by (suite, class)."""
    head = bytes([VERSION]) + identity.public_key().public_bytes_raw() + struct.pack(">QQ", epoch, issued_at)
    signed = head + lp(topic) + bytes([len(entries)]) + b"".join(entry.encoded() for entry in entries)
    return signed + identity.sign(lp(CONTEXT) + signed)
