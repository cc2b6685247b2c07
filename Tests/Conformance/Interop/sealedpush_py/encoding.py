"""Sections 0 and 1: times, LP, base64url, the sizes of version 1, and the one way in which anything is refused."""
import base64
import binascii
import dataclasses
import re

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000  # times are milliseconds since 1970
TIME_LIMIT = 2**53  # every time that is judged is below it
CLOCK_SKEW = 5 * MINUTE  # how far two honest clocks may differ
VERSION = 1
SUITE = 1  # the one suite known here: X25519, HKDF-SHA256, ChaCha20-Poly1305
PREKEY_CLASSES = {1: "after-first-unlock", 2: "unlocked"}
HEADER_SIZE, ENCAPSULATED_SIZE, TAG_SIZE, FRAME_HEAD_SIZE = 10, 32, 16, 132


class Refused(Exception):
    """Bytes or a message that must not be accepted. `kind` is the specification's name of the outcome or refusal."""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


def require(condition, kind="malformed"):
    """Refuses as `kind` unless the condition holds. (Not `assert`, which `python -O` removes.)"""
    if not condition:
        raise Refused(kind)


@dataclasses.dataclass(frozen=True)
class PushClass:
    """Section 1, second table: one envelope length for each push class."""

    name: str
    envelope_size: int
    payload_limit: int

    @property
    def sealed_length(self):
        """Characters of base64url. The envelope is divisible by 3, so there are no spare bits."""
        return self.envelope_size // 3 * 4

    @property
    def frame_size(self):
        return self.envelope_size - HEADER_SIZE - ENCAPSULATED_SIZE - TAG_SIZE

    @property
    def body_room(self):
        return self.frame_size - FRAME_HEAD_SIZE


ALERT = PushClass("alert", 2_880, 4_096)
VOIP = PushClass("voip", 3_648, 5_120)
PUSH_CLASSES = {push.name: push for push in (ALERT, VOIP)}


def lp(x):
    """LP(x): one length byte, then x. At most 255 bytes."""
    return bytes([len(x)]) + x


def base64url(raw):
    """RFC 4648 section 5, without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text, byte_count=None):
    """The bytes of the one canonical text of some bytes; anything else is malformed."""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise Refused("malformed") from None
    # Python's decoder skips unknown characters. Encoding again shows all faults: alphabet, padding, spare bits.
    require(base64url(raw) == text)
    require(byte_count is None or len(raw) == byte_count)
    return raw


def topic_bytes(topic):
    """The app's bundle id as bound bytes. A constant of the caller, so a bad one is the caller's mistake."""
    if not re.fullmatch(r"[A-Za-z0-9.-]{1,155}", topic):
        raise ValueError("a topic is 1 to 155 letters, digits, hyphens and periods")
    return topic.encode()
