"""Seals Apple push notifications from end to end, as a sender: docs/protocol.md.

    sender = SenderKey.load_or_make("sender.key")
    pins = FilePins("pins")
    relay = RelayClient("https://push.example.com:8443", api_key)

    recipient = pins.recipient(relay.bundle("d1"), identity, "com.example.chat")
    sealed = seal(sender, prepare(Message(title="Anna", body="See you at eight")), recipient)
    relay.send([("d1", sealed)], topic="com.example.chat")

Read the modules in this order: encoding, keys, bundle, pins, message, sealing, hpke; attachment and upload; https,
bundle_cache and relay; announcement. Times are milliseconds since 1970. Errors are in `errors`, and hold no secret and
no text.
"""

from .announcement import Announcement
from .attachment import AttachmentPointer, SealedAttachment, seal_attachment
from .bundle import AFTER_FIRST_UNLOCK, UNLOCKED, Pin, Recipient, verify_bundle
from .bundle_cache import BundleCache
from .errors import (
    AnnouncementError,
    AttachmentError,
    BundleRefused,
    ConnectionFailed,
    HTTPError,
    KeyFileError,
    MessageError,
    MessageTooLong,
    PinError,
    Problem,
    SealedPushError,
    SealingError,
    TopicError,
)
from .https import AddressError, Retry
from .keys import IdentityKey, SenderKey, SenderPublicKey
from .message import LocalizedText, Message, Receipt
from .pins import FilePins, MemoryPins, PinStore, decode_pin, encode_pin
from .relay import Accepted, Rejected, RelayClient
from .safety import safety_code, safety_number
from .sealing import Placeholder, PreparedMessage, SealedMessage, prepare, seal
from .upload import upload_attachment

__all__ = [
    "Accepted",
    "AddressError",
    "AFTER_FIRST_UNLOCK",
    "Announcement",
    "AnnouncementError",
    "AttachmentError",
    "AttachmentPointer",
    "BundleCache",
    "BundleRefused",
    "ConnectionFailed",
    "decode_pin",
    "encode_pin",
    "FilePins",
    "HTTPError",
    "IdentityKey",
    "KeyFileError",
    "LocalizedText",
    "MemoryPins",
    "Message",
    "MessageError",
    "MessageTooLong",
    "Pin",
    "PinError",
    "PinStore",
    "Placeholder",
    "prepare",
    "PreparedMessage",
    "Problem",
    "Receipt",
    "Recipient",
    "Rejected",
    "RelayClient",
    "Retry",
    "safety_code",
    "safety_number",
    "seal",
    "seal_attachment",
    "SealedAttachment",
    "SealedMessage",
    "SealedPushError",
    "SealingError",
    "SenderKey",
    "SenderPublicKey",
    "TopicError",
    "UNLOCKED",
    "upload_attachment",
    "verify_bundle",
]
