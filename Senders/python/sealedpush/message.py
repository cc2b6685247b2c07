"""Messages and their JSON: docs/protocol.md, section 6."""

from __future__ import annotations

import json
import re
import secrets
import unicodedata
from dataclasses import dataclass, field, replace
from hashlib import sha256

from .encoding import base64url, context
from .errors import MessageError, MessageTooLong

_DECIMAL = re.compile(r"0|1|0\.[0-9]{1,4}|1\.0{1,4}")
_INFO_NAME = re.compile(r"[!-~]{1,64}")
_LEVELS = ("passive", "active", "time-sensitive", "critical")
_MEMBERS = """op target call badge title subtitle body title-loc-key subtitle-loc-key loc-key title-loc-args
    subtitle-loc-args loc-args thread-id category sound sound-volume level relevance-score target-content-id sender
    user-info receipt attachments crit""".split()


class Receipt:
    """A capability for one receipt: 16 random bytes, for one message to one device."""

    def __init__(self, raw=None):
        self.raw = secrets.token_bytes(16) if raw is None else bytes(raw)
        if len(self.raw) != 16:
            raise MessageError("receipt", "a receipt has 16 bytes")

    @property
    def hash(self):
        """The relay's `receipt-hash`, which recognizes a receipt and cannot make one."""
        return base64url(sha256(context("receipt") + self.raw).digest())

    def __repr__(self):
        return "Receipt"


@dataclass(frozen=True, repr=False)
class LocalizedText:
    """A text of the app's own tables, in the reader's language; at most 8 arguments."""

    key: str
    arguments: tuple = ()


@dataclass(frozen=True, repr=False)
class Message:
    """A text to show, or an operation on earlier messages. An empty value is the same as none.

    It has no representation, so that no log gets its text.
    """

    title: str = ""
    body: str = ""
    subtitle: str = ""
    thread_id: str = ""
    """The conversation, which groups notifications."""
    localized_title: LocalizedText | None = None
    localized_subtitle: LocalizedText | None = None
    localized_body: LocalizedText | None = None
    category: str = ""
    sound: str = ""
    """`default` or the name of the app's file."""
    sound_volume: str = ""
    level: str = ""
    """`passive`, `active`, `time-sensitive` or `critical`."""
    relevance_score: str = ""
    """`0` to `1` as text, at most four decimals; so is `sound_volume`."""
    badge: int | None = None
    target_content_id: str = ""
    sender_name: str = ""
    """The displayed sender; only a service's counts."""
    user_info: dict = field(default_factory=dict)
    attachments: tuple = ()
    receipt: Receipt | None = None
    crit: tuple = ()
    """Names of members that a device must understand, or not show the message."""
    operation: str = "show"
    target: bytes | None = None
    call_text: str = ""

    @classmethod
    def replacing(cls, target, **members):
        """A message in the place of an earlier one of this sender, whose id is `target`."""
        return cls(operation="replace", target=target, **members)

    @classmethod
    def removing(cls, target):
        """The removal of an earlier message of this sender from the screen."""
        return cls(operation="remove", target=target)

    @classmethod
    def setting_badge(cls, number):
        """A new number on the app's icon, with nothing shown. Better give `badge` to a message that is shown."""
        return cls(operation="badge", badge=number)

    @classmethod
    def call(cls, text, **members):
        """A call: a VoIP push that rings for 60 seconds at most. Only the app knows what its text means."""
        return cls(operation="call", call_text=text, **members)

    @classmethod
    def test(cls):
        """A message that is checked like any other, and shows the app's own words."""
        return cls(operation="test")

    @property
    def is_call(self):
        return self.operation == "call"

    def encode(self, room, shorten=True):
        """The sealed body, and whether `body` was cut to fit into `room` bytes.

        Raises MessageError, MessageTooLong.
        """
        self._check()
        whole = _json(self._members())
        if len(whole) <= room:
            return whole, False
        if not shorten:
            raise MessageTooLong(len(whole) - room)
        room_of_body = len(_json(self.body)) - 2 - (len(whole) - room)
        shortened = replace(self, body=_prefix(self.body, room_of_body))
        encoded = _json(shortened._members())
        if len(encoded) > room or not shortened._has_needed_text():
            raise MessageTooLong(len(encoded) - room if len(encoded) > room else len(whole) - room)
        return encoded, True

    def _has_needed_text(self):
        has_text = self.title or self.body or self.localized_title or self.localized_body
        return bool(has_text) or self.operation not in ("show", "replace")

    def _members(self):
        members = {
            "op": "" if self.operation == "show" else self.operation,
            "target": base64url(self.target) if self.target is not None else "",
            "call": self.call_text,
            "badge": self.badge,
            "title": self.title,
            "subtitle": self.subtitle,
            "body": self.body,
        }
        for name, text in (
            ("title-", self.localized_title),
            ("subtitle-", self.localized_subtitle),
            ("", self.localized_body),
        ):
            if text is not None:
                members |= {name + "loc-key": text.key, name + "loc-args": list(text.arguments)}
        members |= {
            "thread-id": self.thread_id,
            "category": self.category,
            "sound": self.sound,
            "sound-volume": self.sound_volume,
            "level": self.level,
            "relevance-score": self.relevance_score,
            "target-content-id": self.target_content_id,
            "sender": self.sender_name,
            "user-info": dict(sorted(self.user_info.items())),
            "attachments": [pointer.members() for pointer in self.attachments],
            "receipt": base64url(self.receipt.raw) if self.receipt is not None else "",
            "crit": list(self.crit),
        }
        return {name: value for name, value in members.items() if value not in (None, "", [], {})}

    def _check(self):
        """Refuses what every device would refuse."""
        self._check_operation()
        self._check_values()
        self._check_user_info()
        self._check_attachments()
        for name, text in self._strings():
            if not isinstance(text, str) or not _is_sound(text):
                raise MessageError(name, "not a text without U+0000 and lone surrogates")

    def _check_operation(self):
        if self.operation not in ("show", "replace", "remove", "badge", "call", "test"):
            raise MessageError("op", "unknown operation")
        needs_target = self.operation in ("replace", "remove")
        if (self.target is not None) != needs_target or (needs_target and len(self.target) != 16):
            raise MessageError("target", "the 16 bytes of a message's id, for replace and remove alone")
        if bool(self.call_text) != self.is_call:
            raise MessageError("call", "needed for a call, and for nothing else")
        if not self._has_needed_text():
            raise MessageError("body", "a message to show needs a title or a body")

    def _check_values(self):
        if self.badge is None and self.operation == "badge" or self.badge is not None and not _is_badge(self.badge):
            raise MessageError("badge", "not 0 to 9,999")
        for name, text in (("sound-volume", self.sound_volume), ("relevance-score", self.relevance_score)):
            if text and not (isinstance(text, str) and _DECIMAL.fullmatch(text)):
                raise MessageError(name, "not a text 0 to 1 with at most four decimals")
        if self.sound_volume and not self.sound:
            raise MessageError("sound-volume", "only beside a sound")
        if self.level and self.level not in _LEVELS:
            raise MessageError("level", "unknown level")
        if any(name not in _MEMBERS for name in self.crit):
            raise MessageError("crit", "a name that no device understands")
        for text in (self.localized_title, self.localized_subtitle, self.localized_body):
            if text is None:
                continue
            if not text.key or not isinstance(text.arguments, (tuple, list)) or len(text.arguments) > 8:
                raise MessageError("loc-key", "a key and at most 8 arguments")

    def _check_user_info(self):
        if len(self.user_info) > 16 or not all(isinstance(n, str) and _INFO_NAME.fullmatch(n) for n in self.user_info):
            raise MessageError("user-info", "at most 16 names of 1 to 64 printable ASCII characters")
        if not all(
            isinstance(value, str) or _is_integer(value) or isinstance(value, bool) for value in self.user_info.values()
        ):
            raise MessageError("user-info", "values are strings, integers of 64 bits and booleans")

    def _check_attachments(self):
        pointers = self.attachments
        if pointers and self.operation not in ("show", "replace"):
            raise MessageError("attachments", "only with show and replace")
        distinct = all(len({getattr(pointer, name) for pointer in pointers}) == len(pointers) for name in ("id", "key"))
        if len(pointers) > 4 or not distinct:
            raise MessageError("attachments", "at most 4, each with an id and a key of its own")
        if any(
            one.thumbnail and (other is None or other.thumbnail) for one, other in zip(pointers, (*pointers[1:], None))
        ):
            raise MessageError("attachments", "a thumbnail stands right before the file that it stands in for")

    def _strings(self):
        names = "title body subtitle thread_id category sound target_content_id sender_name call_text".split()
        yield from ((name, getattr(self, name)) for name in names)
        for text in (self.localized_title, self.localized_subtitle, self.localized_body):
            if text is not None:
                yield from (("loc-key", string) for string in (text.key, *text.arguments))
        yield from (("user-info", value) for value in self.user_info.values() if isinstance(value, str))
        yield from (("attachments", pointer.name) for pointer in self.attachments)


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _is_sound(text):
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << 63) <= value < 1 << 63


def _is_badge(value):
    return _is_integer(value) and 0 <= value <= 9_999


def _prefix(text, byte_count_max):
    """The longest prefix that ends between grapheme clusters and takes so many bytes of JSON at most."""
    byte_count = end = 0
    boundaries = _boundaries(text)
    for index, character in enumerate(text):
        if next(boundaries):
            end = index
        byte_count += len(_json(character)) - 2
        if byte_count > byte_count_max:
            return text[:end]
    return text


# Characters that the standard library's tables do not tell from others that begin a cluster: halfwidth sound marks,
# Thai and Lao AM, emoji modifiers, Hangul jamo.
_CONTINUES = re.compile("[\uff9e\uff9f\u0e33\u0eb3\U0001f3fb-\U0001f3ff\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]")
# Letters that go with the next one, and leading jamo.
_GOES_ON = re.compile(
    "[\u0d4e\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a3a\U00011a84-\U00011a89\U00011d46\U00011f02"
    "\u1100-\u115f\ua960-\ua97f]"
)


def _boundaries(text):
    """For each character, true only if a grapheme cluster ends before it. Rare boundaries count as none.

    UAX #29 needs tables that Python lacks.
    """
    before, indicators = "\u200d", 0
    for character in text:
        # Two regional indicators make a flag.
        if is_indicator := "\U0001f1e6" <= character <= "\U0001f1ff":
            indicators += 1
        yield _is_boundary(before, character) and not (is_indicator and indicators % 2 == 0)
        before, indicators = character, indicators if is_indicator else 0


def _is_boundary(before, after):
    category, category_before = unicodedata.category(after), unicodedata.category(before)
    if category in ("Mn", "Mc", "Me", "Cf", "Cn", "Co") or _CONTINUES.match(after):
        return False
    if category_before in ("Cf", "Cn", "Co") or _GOES_ON.match(before):
        return False
    # A virama joins the letters of a conjunct.
    if category_before in ("Mn", "Mc") and category[0] == "L":
        return False
    return (before, after) != ("\r", "\n")
