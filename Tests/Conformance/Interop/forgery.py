"""One push built by hand: every field is an honest sender's until a caller changes it."""
import dataclasses
import json

from messages import NOW, TOPIC, World, public_bytes
from sealedpush_py import envelope
from sealedpush_py.encoding import ALERT, DAY, base64url, lp
from sealedpush_py.frame import CONTEXT, LAYOUT, statement
from sealedpush_py.keys import fingerprint


@dataclasses.dataclass
class Forgery:
    world: World
    body: bytes = b'{"title":"t","body":"b"}'
    flags: int = 0
    sent_at: int = NOW
    expires_at: int = NOW + DAY
    body_size: int | None = None
    message_id: bytes = bytes(16)
    sender: object = None  # a private key
    sender_key: bytes | None = None  # SK as it stands in the frame, if not the sender's
    prekey_class: int = 1
    key: object = None  # the X25519 private key that it is sealed to
    identity: bytes = b""
    topic: bytes = TOPIC.encode()
    push: object = ALERT
    message_context: bytes = CONTEXT
    info_context: bytes = b"SealedPush/1"
    fingerprint: bytes = b""
    sign: object = None  # (statement) -> 64 bytes, instead of the sender's
    after_signing: object = None  # (frame) -> None, changes it
    signed_info: bytes | None = None  # another info than HPKE gets

    def __post_init__(self):
        self.sender = self.sender or self.world.service
        self.key = self.key or self.world.prekeys[self.prekey_class]
        self.identity = self.identity or public_bytes(self.world.identity)
        self.message_id = self.message_id if any(self.message_id) else self.world.generator.randbytes(16)

    def info(self):
        key = public_bytes(self.key)
        fp = self.fingerprint or fingerprint(self.prekey_class, self.identity, key)
        head = envelope.header(fp)
        return head, lp(self.info_context) + head + lp(self.topic) + self.identity + fp

    def frame(self, info):
        head = LAYOUT.pack(self.message_id, self.sent_at, self.expires_at, self.sender_key or public_bytes(self.sender),
                           self.flags, len(self.body) if self.body_size is None else self.body_size, b"")
        signed = statement(self.signed_info or info, head, self.body)
        signed = lp(self.message_context) + signed[len(lp(CONTEXT)):]
        frame = bytearray(head[:68] + (self.sign or self.sender.sign)(signed) + self.body)
        frame += bytes(self.push.frame_size - len(frame))
        if self.after_signing:
            self.after_signing(frame)
        return bytes(frame)

    def payload(self, frame=None):
        head, info = self.info()
        sealed = envelope.hpke_seal(public_bytes(self.key), info, head, frame or self.frame(info))
        return payload_of(base64url(sealed))


def payload_of(sealed, **others):
    return json.dumps({"aps": {"alert": {"loc-key": "SP_NEW"}, "mutable-content": 1}, "sealed": sealed,
                       "trace": base64url(bytes(16))} | others, separators=(",", ":"))


def flip(at, bit=0):
    def change(raw):
        raw[at] ^= 1 << bit
    return change


def flipped(raw, bit):
    changed = bytearray(raw)
    flip(bit // 8, bit % 8)(changed)
    return bytes(changed)
