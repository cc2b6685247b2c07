"""Section 22: a sender's new key, and the retired keys that a device knows."""
import dataclasses
import struct

from .encoding import CLOCK_SKEW, TIME_LIMIT, VERSION, Refused, lp, require
from .keys import is_acceptable_point, verifies

CONTEXT = b"SealedPush/1 sender"
SUCCESSOR, REVOCATION = 1, 2
LINKS_MAX = 8
RETIRED_MAX = 512


@dataclasses.dataclass(frozen=True)
class Announcement:
    sender: bytes
    successor: bytes | None  # None: a revocation
    announced_at: int


@dataclasses.dataclass(frozen=True)
class Retired:
    successor: bytes | None
    announced_at: int


def verify(raw, topic, now):
    """The announcement, or the refusal of the first step that fails."""
    require(len(raw) >= 1)
    require(raw[0] == VERSION, "unsupported")
    require(len(raw) >= 2)
    require(raw[1] in (SUCCESSOR, REVOCATION), "unsupported")
    require(len(raw) >= 43)
    sender, announced_at = raw[2:34], struct.unpack(">Q", raw[34:42])[0]
    require(is_acceptable_point(sender) and announced_at < TIME_LIMIT)
    end = 43 + raw[42]
    tail = raw[end:]
    require(len(raw) >= end and len(tail) == (160 if raw[1] == SUCCESSOR else 64))
    successor = None
    if raw[1] == SUCCESSOR:
        successor = tail[:32]
        require(is_acceptable_point(successor) and successor != sender)
    require(raw[43:end] == topic, "other-topic")
    require(verifies(sender, tail[-64:], lp(CONTEXT) + raw[:-64]), "bad-signature")
    if successor:
        require(verifies(successor, tail[32:96], lp(CONTEXT) + raw[:end + 32]), "bad-signature")
    require(announced_at <= now + CLOCK_SKEW, "not-yet")
    return Announcement(sender, successor, announced_at)


def take(contacts, retired, announcement):
    """`replaced`, `revoked` or `unchanged`; changes both dictionaries, which are by SK."""
    sender, known = announcement.sender, retired.get(announcement.sender)
    if sender not in contacts and not known:
        return "unchanged"
    if announcement.successor is None:
        if known and known.successor is None:
            return "unchanged"
        contacts.pop(sender, None)
        _retire(retired, announcement)
        return "revoked"
    if known:
        require(known.successor is not None, "given-up")
        require(known.successor == announcement.successor, "other-successor")
        return "unchanged"
    require(announcement.successor not in retired, "given-up")
    contacts.setdefault(announcement.successor, contacts.pop(sender))
    _retire(retired, announcement)
    return "replaced"


def _retire(retired, announcement):
    retired[announcement.sender] = Retired(announcement.successor, announcement.announced_at)
    if len(retired) > RETIRED_MAX:
        del retired[min(retired, key=lambda key: retired[key].announced_at)]


def contact_of(contacts, retired, key):
    """The contact for a message under this key, and the key's retirement (None: it is the contact's own)."""
    if key in contacts:
        return contacts[key], None
    own, link = retired.get(key), key
    for _ in range(LINKS_MAX):
        link = retired[link].successor if link in retired else None
        if link in contacts:
            return contacts[link], own
    raise Refused("unverified-sender")


def require_accepted(own, time, lifetime_max):
    """A message under a retired key counts while it may be under way."""
    require(own is None or time < own.announced_at + lifetime_max, "unverified-sender")
