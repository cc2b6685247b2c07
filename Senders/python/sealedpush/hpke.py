"""HPKE's base mode, single shot, for suite 1: RFC 9180, sections 4 to 6, of the library's own X25519, HMAC, HKDF and
ChaCha20-Poly1305.

The library's own HPKE (cryptography 47 and newer) is not in Debian 12, and takes no ephemeral key, which the test
vectors need. A test opens with it what this seals.
"""

import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey,
    X25519PublicKey,
)
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_KEM, _KDF, _AEAD = 0x0020, 0x0001, 0x0003
_KEM_SUITE = b"KEM" + _KEM.to_bytes(2, "big")
_SUITE = b"HPKE" + b"".join(number.to_bytes(2, "big") for number in (_KEM, _KDF, _AEAD))
_KEY_BYTE_COUNT, _NONCE_BYTE_COUNT, _HASH_BYTE_COUNT = 32, 12, 32
TAG_BYTE_COUNT = 16


def _labeled_extract(suite, salt, label, input_key):
    return hmac.digest(salt, b"HPKE-v1" + suite + label + input_key, "sha256")


def _labeled_expand(suite, key, label, info, byte_count):
    labeled = byte_count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return HKDFExpand(SHA256(), byte_count, labeled).derive(key)


def _shared_secret(ephemeral, encapsulated, public_key):
    secret = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    extracted = _labeled_extract(_KEM_SUITE, b"", b"eae_prk", secret)
    return _labeled_expand(_KEM_SUITE, extracted, b"shared_secret", encapsulated + public_key, _HASH_BYTE_COUNT)


def seal(public_key, info, plaintext, ephemeral=None):
    """The encapsulated key and the ciphertext.

    `ephemeral` is for test vectors. Raises ValueError for a public key of low order.
    """
    ephemeral = ephemeral or X25519PrivateKey.generate()
    encapsulated = ephemeral.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    shared = _shared_secret(ephemeral, encapsulated, public_key)
    hashes = _labeled_extract(_SUITE, b"", b"psk_id_hash", b"") + _labeled_extract(_SUITE, b"", b"info_hash", info)
    schedule = b"\0" + hashes
    secret = _labeled_extract(_SUITE, shared, b"secret", b"")
    key = _labeled_expand(_SUITE, secret, b"key", schedule, _KEY_BYTE_COUNT)
    nonce = _labeled_expand(_SUITE, secret, b"base_nonce", schedule, _NONCE_BYTE_COUNT)
    return encapsulated, ChaCha20Poly1305(key).encrypt(nonce, plaintext, b"")
