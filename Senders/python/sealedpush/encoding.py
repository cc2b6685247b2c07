"""Bytes and texts that every part uses: docs/protocol.md, the beginning and section 1."""

import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode

from .errors import TopicError

TIME_END = 1 << 53  # milliseconds since 1970; times are below it
CLOCK_SKEW = 5 * 60 * 1000
DAY = 86_400_000

_ALPHABET = re.compile(rb"[A-Za-z0-9_-]*")
_TOPIC = re.compile(rb"[A-Za-z0-9.-]{1,155}")


def now():
    """The clock of the system, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def lp(data):
    """One length byte, then the data."""
    return bytes([len(data)]) + data


def context(name):
    """The length-prefixed context string of a signature or hash."""
    return lp(b"SealedPush/1" + (b" " + name.encode() if name else b""))


def u64(number):
    return number.to_bytes(8, "big")


def base64url(data):
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text, byte_count=None):
    """Decodes canonical base64url; None for any other text, or another number of bytes than `byte_count`."""
    if isinstance(text, str):
        if not text.isascii():
            return None
        text = text.encode()
    if len(text) % 4 == 1 or not _ALPHABET.fullmatch(text):
        return None
    data = urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    # Spare bits have to be zero: one text for each byte string.
    if urlsafe_b64encode(data).rstrip(b"=") != text or byte_count not in (None, len(data)):
        return None
    return data


def topic_bytes(topic):
    """The app's bundle id in ASCII.

    Raises TopicError.
    """
    data = topic.encode() if isinstance(topic, str) and topic.isascii() else b""
    if not _TOPIC.fullmatch(data):
        raise TopicError("a bundle id has 1 to 155 letters, digits, hyphens and periods")
    return data
