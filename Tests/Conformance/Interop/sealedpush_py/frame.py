"""Section 5: the frame, its fields beside the body, and the sender's signature in it."""
import dataclasses
import hashlib
import struct

from .encoding import FRAME_HEAD_SIZE, lp, require

CONTEXT = b"SealedPush/1 message"
LAYOUT = struct.Struct(">16sQQ32sHH64s")
SIGNED_SIZE = 68  # message id, sent-at, expires-at, SK, flags, body length
CRITICAL_FLAGS = 0xFF00  # none is known here: bit 8, the body in an attachment, comes later
TRUNCATED_FLAG = 0x0001
assert LAYOUT.size == FRAME_HEAD_SIZE


def statement(info_bytes, head, body):
    """The bytes that the sender signs: 209 + |topic| bytes."""
    return lp(CONTEXT) + info_bytes + head[:SIGNED_SIZE] + hashlib.sha256(body).digest()


@dataclasses.dataclass(frozen=True)
class Frame:
    message_id: bytes
    sent_at: int
    expires_at: int
    sender_key: bytes
    flags: int
    body: bytes
    signature: bytes = bytes(64)

    def head(self):
        return LAYOUT.pack(self.message_id, self.sent_at, self.expires_at, self.sender_key, self.flags,
                           len(self.body), self.signature)

    def statement(self, info_bytes):
        return statement(info_bytes, self.head(), self.body)

    def signed(self, sender, info_bytes):
        """The same frame with the signature of the private key `sender`."""
        return dataclasses.replace(self, signature=sender.sign(self.statement(info_bytes)))

    def encoded(self, frame_size):
        raw = self.head() + self.body
        return raw + bytes(frame_size - len(raw))

    @classmethod
    def parse(cls, raw):
        """Body length, padding, critical flags; in this order."""
        message_id, sent_at, expires_at, sender_key, flags, body_size, signature = LAYOUT.unpack_from(raw)
        require(2 <= body_size <= len(raw) - FRAME_HEAD_SIZE)
        body_end = FRAME_HEAD_SIZE + body_size
        require(not any(raw[body_end:]))
        require(flags & CRITICAL_FLAGS == 0, "unsupported")
        return cls(message_id, sent_at, expires_at, sender_key, flags, raw[FRAME_HEAD_SIZE:body_end], signature)
