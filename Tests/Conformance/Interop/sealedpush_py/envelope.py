"""Section 4: header, info, and HPKE (RFC 9180) in Base mode, single shot, with empty aad."""
import dataclasses

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKey, KEMKeyPair
from pyhpke.exceptions import PyHPKEError

from .encoding import ENCAPSULATED_SIZE, HEADER_SIZE, SUITE, VERSION, Refused, lp, require

SUITE_1 = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.CHACHA20_POLY1305)


def header(fingerprint):
    return bytes([VERSION, SUITE]) + fingerprint[:8]


def info(topic, identity, fingerprint):
    """Binds the message to version, suite, app, recipient and prekey: 88 + |topic| bytes."""
    return lp(b"SealedPush/1") + header(fingerprint) + lp(topic) + identity + fingerprint


@dataclasses.dataclass(frozen=True)
class Envelope:
    prekey_id: bytes
    encapsulated_key: bytes
    ciphertext: bytes

    @classmethod
    def parse(cls, raw):
        """`raw` has the one length of its push class; that was checked on the base64url."""
        require(raw[0] == VERSION and raw[1] == SUITE, "unsupported")
        enc_end = HEADER_SIZE + ENCAPSULATED_SIZE
        return cls(raw[2:HEADER_SIZE], raw[HEADER_SIZE:enc_end], raw[enc_end:])


def hpke_seal(key, info_bytes, head, frame, ephemeral=None):
    """The envelope. `key` is the prekey, 32 bytes; `ephemeral` a private key, for vectors only: never in production."""
    recipient = KEMKey.from_pyca_cryptography_key(X25519PublicKey.from_public_bytes(key))
    pair = None
    if ephemeral:
        pair = KEMKeyPair(*map(KEMKey.from_pyca_cryptography_key, (ephemeral, ephemeral.public_key())))
    encapsulated_key, context = SUITE_1.create_sender_context(recipient, info_bytes, eks=pair)
    return head + encapsulated_key + context.seal(frame)


def hpke_open(envelope, secret, info_bytes):
    """The frame. Refuses a wrong tag and an all-zero shared secret alike."""
    try:
        key = KEMKey.from_pyca_cryptography_key(secret)
        context = SUITE_1.create_recipient_context(envelope.encapsulated_key, key, info_bytes)
        return context.open(envelope.ciphertext)
    except (PyHPKEError, ValueError):
        raise Refused("malformed") from None
