"""Key bundles and what a sender pins of them: docs/protocol.md, sections 3 and 16."""

from dataclasses import dataclass, replace
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey,
    X25519PublicKey,
)

from .encoding import CLOCK_SKEW, DAY, TIME_END, context, lp, topic_bytes
from .encoding import now as clock
from .errors import BundleRefused
from .keys import SIGNATURE_BYTE_COUNT, IdentityKey, is_valid_signature

AFTER_FIRST_UNLOCK, UNLOCKED = 1, 2  # protection classes
SUITE = 1
BYTE_COUNT_MAX = 2_838
FETCH_AGE_MAX = 7 * DAY
_VALIDITY_MAX = 60 * DAY
_KEY_BYTE_COUNT = 32


@dataclass(frozen=True)
class Pin:
    """What a sender remembers of a device's newest bundle. Times are in milliseconds since 1970."""

    epoch: int
    digest: bytes
    """SHA-256 of the bundle with its signature."""
    suites: tuple
    """The highest suite seen of class 1 and of class 2; 0 for none."""
    issued_at: int = 0
    fetched_at: int = 0

    def without_suites(self):
        """The pin after a person agreed to weaker protection. Older bundles stay refused."""
        return replace(self, suites=(0, 0))


@dataclass(frozen=True)
class _Entry:
    suite: int
    protection_class: int
    not_before: int
    not_after: int
    key: bytes


@dataclass(frozen=True)
class Recipient:
    """A device that a message can be sealed for: one prekey of a verified bundle.

    Made by `verify_bundle`, or by a pin store; both need a pinned identity.
    """

    identity: IdentityKey
    topic: str
    key: bytes
    fingerprint: bytes
    not_after: int
    """The end of the prekey: nothing is sealed after it."""
    issued_at: int
    """The bundle's time by the device's clock. An age of weeks can be a relay that hands out an old bundle."""
    fetched_at: int

    def needs_refresh(self, now=None):
        """True if the bundle was fetched 7 days ago or more: fetch it again before sealing."""
        now = clock() if now is None else now
        return not self.fetched_at <= now < self.fetched_at + FETCH_AGE_MAX

    def header(self):
        return bytes([1, SUITE]) + self.fingerprint[:8]

    def info(self):
        """HPKE's info: 88 bytes and the topic."""
        return context("") + self.header() + lp(topic_bytes(self.topic)) + self.identity.raw + self.fingerprint


class _Reader:
    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        end = self.offset + count
        if end > len(self.data):
            raise BundleRefused("malformed")
        start, self.offset = self.offset, end
        return self.data[start:end]

    def number(self, count):
        return int.from_bytes(self.take(count), "big")


def _entry(reader):
    head = _Reader(reader.take(18))
    suite, protection_class = head.number(1), head.number(1)
    if protection_class not in (AFTER_FIRST_UNLOCK, UNLOCKED):
        raise BundleRefused("malformed")
    if suite != SUITE:
        raise BundleRefused("unsupported-suite")
    return _Entry(suite, protection_class, head.number(8), head.number(8), reader.take(_KEY_BYTE_COUNT))


def _signed_content(bundle, identity, topic):
    """Steps 1 to 6: epoch, issued-at and entries, signed by the pinned identity."""
    if len(bundle) > BYTE_COUNT_MAX:
        raise BundleRefused("malformed")
    reader = _Reader(bundle)
    if reader.number(1) != 1:
        raise BundleRefused("unsupported-version")
    if reader.take(32) != identity.raw:
        raise BundleRefused("other-identity")
    epoch, issued_at = reader.number(8), reader.number(8)
    if reader.take(reader.number(1)) != topic_bytes(topic):
        raise BundleRefused("other-topic")
    count = reader.number(1)
    if not 1 <= count <= 4:
        raise BundleRefused("malformed")
    entries = [_entry(reader) for _ in range(count)]
    content = bundle[: reader.offset]
    signature = reader.take(SIGNATURE_BYTE_COUNT)
    if reader.offset != len(bundle):
        raise BundleRefused("malformed")
    if not is_valid_signature(identity.raw, signature, context("bundle") + content):
        raise BundleRefused("bad-signature")
    order = [(entry.suite, entry.protection_class) for entry in entries]
    if any(one >= other for one, other in zip(order, order[1:])) or issued_at >= TIME_END:
        raise BundleRefused("malformed")
    return epoch, issued_at, entries


def _check_pin(pin, epoch, digest, suites):
    if epoch < pin.epoch:
        raise BundleRefused("rolled-back")
    if epoch == pin.epoch and digest != pin.digest:
        raise BundleRefused("equivocation")
    # A class that is no longer offered is no downgrade: nothing is sealed to it.
    if any(0 < offered < pinned for offered, pinned in zip(suites, pin.suites)):
        raise BundleRefused("suite-downgrade")


def _check_times(entry, now):
    if not entry.not_before <= entry.not_after < TIME_END or entry.not_after - entry.not_before > _VALIDITY_MAX:
        raise BundleRefused("validity-too-long")
    if entry.not_before - CLOCK_SKEW > now:
        raise BundleRefused("not-yet-valid")
    if now > entry.not_after:
        raise BundleRefused("expired")


def _has_low_order(key):
    try:
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(key))
    except ValueError:  # an all-zero shared secret
        return True
    return False


def verify_bundle(bundle, identity, topic, pin, now=None, fetched_at=None, protection_class=AFTER_FIRST_UNLOCK):
    """Verifies a bundle in the order of section 3.

    `identity` was pinned through the application's own channel, `topic` is the app's bundle id, `pin` is of the last
    bundle, or None before the first. Returns the recipient and the new pin, which has to be kept.

    Raises BundleRefused.
    """
    now = clock() if now is None else now
    bundle = bytes(bundle)
    epoch, issued_at, entries = _signed_content(bundle, identity, topic)
    if epoch - CLOCK_SKEW > now:
        raise BundleRefused("not-yet-valid")
    digest = sha256(bundle).digest()
    suites = tuple(max((e.suite for e in entries if e.protection_class == c), default=0) for c in (1, 2))
    if pin is not None:
        _check_pin(pin, epoch, digest, suites)
    for entry in entries:
        _check_times(entry, now)
    if any(_has_low_order(entry.key) for entry in entries):
        raise BundleRefused("low-order-prekey")
    new_pin = _new_pin(pin, epoch, digest, suites, issued_at, now if fetched_at is None else min(fetched_at, now), now)
    return _recipient(entries, protection_class, identity, topic, new_pin), new_pin


def _new_pin(pin, epoch, digest, suites, issued_at, fetched_at, now):
    if pin is not None:
        suites = tuple(map(max, suites, pin.suites))
        # An older copy of the same bytes does not make them older.
        if pin.digest == digest and pin.fetched_at <= now:
            fetched_at = max(fetched_at, pin.fetched_at)
    return Pin(epoch, digest, suites, issued_at, fetched_at)


def _recipient(entries, protection_class, identity, topic, pin):
    # The entries ascend by suite, so the last one of the class has the highest.
    entry = next((e for e in reversed(entries) if e.protection_class == protection_class), None)
    if entry is None:
        raise BundleRefused("no-prekey")
    head = context("prekey") + bytes([entry.suite, entry.protection_class])
    fingerprint = sha256(head + identity.raw + entry.key).digest()
    return Recipient(identity, topic, entry.key, fingerprint, entry.not_after, pin.issued_at, pin.fetched_at)
