"""Sealing: docs/protocol.md, sections 4, 5 and 7."""

import json
import secrets
from dataclasses import dataclass
from hashlib import sha256

from . import hpke
from .encoding import DAY, TIME_END, base64url, context, u64
from .encoding import now as clock
from .errors import MessageError, SealingError
from .message import Message

LIFETIME_MAX, LIFETIME_CAP = 7 * DAY, 30 * DAY
CALL_LIFETIME_MAX = 60_000
MESSAGE_ID_BYTE_COUNT = 16
_FRAME_BYTE_COUNT = {False: 2_822, True: 3_590}  # of an alert and of a call
_HEAD_BYTE_COUNT = 132
_SHORTENED = 1 << 0


@dataclass(frozen=True, repr=False)
class PreparedMessage:
    """A message encoded once, for any number of devices and for re-sends: id and times stay.

    With a receipt, prepare it for each device anew: every device gets a capability of its own.
    """

    message_id: bytes
    sent_at: int
    expires_at: int
    is_call: bool
    is_shortened: bool
    body: bytes
    receipt_hash: str

    def __post_init__(self):
        object.__setattr__(self, "_digest", sha256(self.body).digest())

    def frame_head(self, sender):
        """The frame up to its signature."""
        numbers = (_SHORTENED if self.is_shortened else 0).to_bytes(2, "big") + len(self.body).to_bytes(2, "big")
        return self.message_id + u64(self.sent_at) + u64(self.expires_at) + sender + numbers

    def signed_input(self, info, head):
        return context("message") + info + head + self._digest


def prepare(
    message, *, lifetime=None, sent_at=None, expires_at=None, message_id=None, lifetime_max=LIFETIME_MAX, shorten=True
):
    """Encodes a message.

    Times are in milliseconds, `sent_at` and `expires_at` since 1970. Without `lifetime` or `expires_at` it lives for a
    day, a call for 30 seconds. To encode a message for a re-send, give its `message_id`, `sent_at` and `expires_at`.
    `lifetime_max` is the limit of the app's devices. A `body` that is too long is cut unless `shorten` is false.

    Raises MessageError, MessageTooLong, SealingError.
    """
    if not isinstance(message, Message):
        raise MessageError("message", "not a Message")
    sent_at = clock() if sent_at is None else sent_at
    if expires_at is None:
        expires_at = sent_at + ((30_000 if message.is_call else DAY) if lifetime is None else lifetime)
    message_id = secrets.token_bytes(MESSAGE_ID_BYTE_COUNT) if message_id is None else bytes(message_id)
    if len(message_id) != MESSAGE_ID_BYTE_COUNT:
        raise MessageError("message-id", "a message's id has 16 bytes")
    if not isinstance(sent_at, int) or not isinstance(expires_at, int):
        raise SealingError("time")
    if lifetime_max > LIFETIME_CAP or not sent_at < expires_at <= sent_at + lifetime_max:
        raise SealingError("lifetime")
    if message.is_call and expires_at - sent_at > CALL_LIFETIME_MAX:
        raise SealingError("call-lifetime")
    if not 0 <= sent_at < expires_at < TIME_END:
        raise SealingError("time")
    body, is_shortened = message.encode(_FRAME_BYTE_COUNT[message.is_call] - _HEAD_BYTE_COUNT, shorten)
    receipt_hash = message.receipt.hash if message.receipt is not None else ""
    return PreparedMessage(message_id, sent_at, expires_at, message.is_call, is_shortened, body, receipt_hash)


class Placeholder:
    """The constant of the app that Apple sees, and iOS shows if nothing opens. Better a key than words."""

    def __init__(self, title="", body="", key=""):
        """Takes a key of the app's tables, or title and body.

        Raises MessageError.
        """
        members = {"loc-key": key} if key else {name: text for name, text in (("title", title), ("body", body)) if text}
        self.json = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        if not members or "\\u0000" in self.json or len(self.json.encode("utf-8", "replace")) > 173:
            raise MessageError("placeholder", "1 to 173 bytes of JSON without U+0000")


@dataclass(frozen=True)
class SealedMessage:
    """A message sealed for one device: 2,880 bytes, a call 3,648, whatever is in it."""

    field: str
    """The relay's `sealed`."""
    trace: str
    """22 characters that join log lines and open nothing."""
    message_id: bytes
    is_call: bool
    is_shortened: bool
    receipt_hash: str

    def payload(self, placeholder=None):
        """The whole JSON of the push, for APNs. A call has no placeholder.

        Raises MessageError.
        """
        if self.is_call:
            aps = "{}"
        elif isinstance(placeholder, Placeholder):
            aps = '{"alert":' + placeholder.json + ',"mutable-content":1}'
        else:
            raise MessageError("placeholder", "an alert needs one")
        return f'{{"aps":{aps},"sealed":"{self.field}","trace":"{self.trace}"}}'.encode()


def seal(sender, prepared, recipient, now=None, *, ephemeral=None, trace=None):
    """Seals a prepared message for a device, for the first time or again.

    `ephemeral` and `trace` are for test vectors alone. Raises SealingError.
    """
    now = clock() if now is None else now
    if now > recipient.not_after:
        raise SealingError("prekey-expired")
    if now >= prepared.expires_at:
        raise SealingError("expired")
    info = recipient.info()
    head = prepared.frame_head(sender.public_key.raw)
    frame = head + sender.sign(prepared.signed_input(info, head)) + prepared.body
    frame += bytes(_FRAME_BYTE_COUNT[prepared.is_call] - len(frame))
    try:
        encapsulated, ciphertext = hpke.seal(recipient.key, info, frame, ephemeral)
    except ValueError:
        raise SealingError("low-order-prekey") from None
    field = base64url(recipient.header() + encapsulated + ciphertext)
    trace = base64url(secrets.token_bytes(16) if trace is None else trace)
    return SealedMessage(
        field, trace, prepared.message_id, prepared.is_call, prepared.is_shortened, prepared.receipt_hash
    )
