"""A device's part, for tests alone: bundles of any kind, and an opener."""

from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from sealedpush.encoding import DAY, context, lp, u64
from sealedpush.keys import IdentityKey

TOPIC = "com.example.chat"
NOW = 1_800_000_000_000


def raw(public_key):
    return public_key.public_bytes(Encoding.Raw, PublicFormat.Raw)


class Device:
    def __init__(self):
        self.key = Ed25519PrivateKey.generate()
        self.identity = IdentityKey(raw(self.key.public_key()))
        self.prekey = X25519PrivateKey.generate()

    def entry(self, suite=1, protection_class=1, not_before=NOW, not_after=NOW + 59 * DAY, key=None):
        return (
            bytes([suite, protection_class]) + u64(not_before) + u64(not_after) + (key or raw(self.prekey.public_key()))
        )

    def bundle(self, epoch=NOW, issued_at=NOW, entries=None, topic=TOPIC):
        entries = [self.entry()] if entries is None else entries
        content = b"\x01" + self.identity.raw + u64(epoch) + u64(issued_at) + lp(topic.encode())
        content += bytes([len(entries)]) + b"".join(entries)
        return content + self.key.sign(context("bundle") + content)

    def open(self, envelope):
        """The frame, opened by the library's own HPKE. Raises ImportError where the library has none."""
        from cryptography.hazmat.primitives import hpke

        prekey = raw(self.prekey.public_key())
        fingerprint = sha256(context("prekey") + b"\x01\x01" + self.identity.raw + prekey).digest()
        if envelope[:10] != b"\x01\x01" + fingerprint[:8]:
            raise ValueError("header")
        info = context("") + envelope[:10] + lp(TOPIC.encode()) + self.identity.raw + fingerprint
        suite = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305)
        return suite.decrypt(envelope[10:], self.prekey, info), info
