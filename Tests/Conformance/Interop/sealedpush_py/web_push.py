"""Section 18: opening one `aes128gcm` record (RFC 8188) under a Web Push subscription (RFC 8291)."""
import dataclasses
import re
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .encoding import Refused, require
from .json_strict import parse_object

HEAD_SIZE, POINT_SIZE = 21, 65  # salt 16, record size u32, key id length u8; an uncompressed point of P-256


def point_bytes(public_key):
    return public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def is_identifier(value):
    """Matrix's appendix "Opaque Identifiers"."""
    return isinstance(value, str) and re.fullmatch(r"[0-9A-Za-z._~-]{1,255}", value) is not None


def content_keys(shared_secret, auth, receiver, sender, salt):
    """(key 16, nonce 12): RFC 8291 section 3.4. `receiver` and `sender` are points, 65 bytes."""
    def derive(secret, salt, info, length):
        return HKDF(SHA256(), length, salt, info).derive(secret)

    secret = derive(shared_secret, auth, b"WebPush: info\0" + receiver + sender, 32)
    return (derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16),
            derive(secret, salt, b"Content-Encoding: nonce\0", 12))


@dataclasses.dataclass(frozen=True)
class Subscription:
    private_key: ec.EllipticCurvePrivateKey
    auth: bytes  # 16

    @classmethod
    def of(cls, scalar, auth):
        return cls(ec.derive_private_key(int.from_bytes(scalar, "big"), ec.SECP256R1()), auth)

    def open(self, record):
        """{"title", "body"}, as far as they are there; or malformed. Nothing identifies the writer."""
        plaintext = self.plaintext(record)
        try:
            text = plaintext.decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise Refused("malformed") from None
        require("\0" not in text and not text.startswith("\ufeff"))
        members = parse_object(plaintext, integers_only=False) if text.startswith("{") else {"body": text}
        if members.get("web_push") == 8030:  # declarative
            require(isinstance(members.get("notification"), dict))
            members = members["notification"]
        used = {name: members[name] for name in ("title", "body") if name in members}
        require(all(isinstance(value, str) for value in used.values()))
        activation = {name: members[name] for name in ("app_id", "ack_token") if name in members}
        if not any(used.values()):  # a Matrix server's
            require(len(activation) == 2 and all(map(is_identifier, activation.values())))
            return activation
        return {name: value for name, value in used.items() if value}

    @staticmethod
    def replay_key(record):
        """Without rs, which nothing authenticates: another number there must not make another message."""
        return sha256(record[:16] + record[20:]).digest()[:16]

    def plaintext(self, record):
        """The content of the record, its padding removed."""
        require(len(record) >= HEAD_SIZE + POINT_SIZE)
        salt, record_size, id_size = record[:16], int.from_bytes(record[16:20], "big"), record[20]
        point, ciphertext = record[HEAD_SIZE:HEAD_SIZE + POINT_SIZE], record[HEAD_SIZE + POINT_SIZE:]
        require(id_size == POINT_SIZE and point[0] == 4)
        require(record_size >= 18 and len(ciphertext) <= record_size)
        try:
            sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        except ValueError:  # not on the curve
            raise Refused("malformed") from None
        key, nonce = content_keys(self.private_key.exchange(ec.ECDH(), sender), self.auth,
                                  point_bytes(self.private_key.public_key()), point, salt)
        try:
            padded = AESGCM(key).decrypt(nonce, ciphertext, b"")
        except (InvalidTag, ValueError):
            raise Refused("malformed") from None
        content = padded.rstrip(b"\0")
        require(content.endswith(b"\2"))  # the delimiter of the last record, RFC 8188 section 2
        return content[:-1]
