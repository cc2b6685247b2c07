"""Sections 5 to 7: a sender's work. The bundle was verified before (bundle.verify); here nothing can be skipped."""
import dataclasses
import os

import regex  # for \X, the grapheme clusters of UAX #29, which Python itself does not know
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from . import body as message_body
from . import envelope
from .bundle import Bundle
from .encoding import ALERT, DAY, PushClass, base64url, require
from .frame import TRUNCATED_FLAG, Frame
from .json_strict import compact
from .keys import fingerprint

LIFETIME_MAX = 7 * DAY  # L, section 9
PLACEHOLDER_MAX = 173  # bytes of A


def encode(message, push=ALERT):
    """The body's bytes and the flags. A `body` that does not fit is cut between two grapheme clusters."""
    raw = compact(message)
    require(message_body.is_acceptable(raw), "malformed")
    if len(raw) <= push.body_room:
        return raw, 0
    clusters = regex.findall(r"\X", message.get("body", ""))
    fits, too_many = 0, len(clusters)
    while fits + 1 < too_many:  # a longer text never has a shorter encoding
        middle = (fits + too_many) // 2
        if len(_with_text(message, clusters[:middle])) <= push.body_room:
            fits = middle
        else:
            too_many = middle
    raw = _with_text(message, clusters[:fits])
    require(fits > 0 and len(raw) <= push.body_room, "too-long")
    return raw, TRUNCATED_FLAG


def _with_text(message, clusters):
    return compact(message | {"body": "".join(clusters)})


@dataclasses.dataclass
class Sender:
    """One sender of one app. `key` is SK's private half; `placeholder` is A, the JSON text of the app's constant."""

    key: Ed25519PrivateKey
    topic: bytes
    prekey_class: int = 1
    push: PushClass = ALERT
    placeholder: str = '{"loc-key":"SP_NEW"}'

    def seal(self, message, bundle: Bundle, sent_at, lifetime=DAY, message_id=None):
        """The payload, for APNs. The same `message_id` for all recipients of a message and for a re-send."""
        raw, flags = encode(message, self.push)
        require(0 < lifetime <= LIFETIME_MAX, "lifetime")
        if message.get("op") == "call":
            require(lifetime <= 60_000, "lifetime")
        frame = Frame(message_id or os.urandom(16), sent_at, sent_at + lifetime,
                      self.key.public_key().public_bytes_raw(), flags, raw)
        return self.payload(self.seal_frame(frame, bundle), base64url(os.urandom(16)))

    def seal_frame(self, frame, bundle, ephemeral: X25519PrivateKey | None = None):
        """The envelope of one frame for one recipient, with an encapsulation of its own."""
        entry = bundle.entry(self.prekey_class)
        prekey = fingerprint(entry.prekey_class, bundle.identity, entry.key)
        info = envelope.info(self.topic, bundle.identity, prekey)
        plaintext = frame.signed(self.key, info).encoded(self.push.frame_size)
        return envelope.hpke_seal(entry.key, info, envelope.header(prekey), plaintext, ephemeral)

    def payload(self, sealed, trace):
        """Section 7, in its byte order. `trace` is fresh for each push to each device."""
        aps = "{}"
        if self.push is ALERT:
            require(len(self.placeholder.encode()) <= PLACEHOLDER_MAX, "placeholder-too-long")
            aps = f'{{"alert":{self.placeholder},"mutable-content":1}}'
        payload = f'{{"aps":{aps},"sealed":"{base64url(sealed)}","trace":"{trace}"}}'
        require(len(payload.encode()) <= self.push.payload_limit, "too-long")
        return payload
