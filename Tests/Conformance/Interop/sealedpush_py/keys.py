"""Section 2: acceptable Ed25519 keys and signatures, prekey fingerprints, X25519 keys of low order."""
import dataclasses
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from .encoding import SUITE, lp

P = 2**255 - 19  # the field, RFC 8032 section 5.1
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P  # of the curve -x² + y² = 1 + D·x²·y²


def square_roots(a):
    """Both square roots modulo P (RFC 8032 section 5.1.3, step 3), or none."""
    root = pow(a, (P + 3) // 8, P)
    for candidate in (root, root * pow(2, (P - 1) // 4, P) % P):
        if candidate * candidate % P == a % P:
            return {candidate, -candidate % P}
    return set()


def _small_order_y():
    """The y of the eight points of small order: 1 (order 1), -1 (order 2), 0 (order 4), and those of order 8.

    Twice a point of order 8 has y = 0, so x² = -y², and the curve says D·y⁴ + 2·y² - 1 = 0.
    """
    halves = {(root - 1) * pow(D, -1, P) % P for root in square_roots(1 + D)}
    return {1, P - 1, 0}.union(*(square_roots(half) for half in halves))


SMALL_ORDER_Y = frozenset(_small_order_y())


def is_acceptable_point(encoded):
    """A or R: 32 bytes, y below the field's order, and not of small order whatever the sign bit."""
    y = int.from_bytes(encoded, "little") & (2**255 - 1)
    return len(encoded) == 32 and y < P and y not in SMALL_ORDER_Y


def verifies(public_key, signature, statement):
    """True if the signature is good, by checks of our own and then OpenSSL's, which is without the cofactor."""
    if len(signature) != 64 or not is_acceptable_point(public_key) or not is_acceptable_point(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= GROUP_ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, statement)
    except (InvalidSignature, ValueError):  # ValueError: A is on no curve
        return False
    return True


def fingerprint(prekey_class, identity, key, suite=SUITE):
    """FP. Its first 8 bytes are the prekey's id."""
    return hashlib.sha256(lp(b"SealedPush/1 prekey") + bytes([suite, prekey_class]) + identity + key).digest()


_ANY_SCALAR = X25519PrivateKey.from_private_bytes(bytes(range(32)))


def is_low_order(x25519_key):
    """True if every shared secret with this key is zero: clamped scalars are multiples of 8, which OpenSSL refuses."""
    try:
        _ANY_SCALAR.exchange(X25519PublicKey.from_public_bytes(x25519_key))
    except ValueError:
        return True
    return False


@dataclasses.dataclass(frozen=True)
class Prekey:
    """One prekey as a device knows it: with its secret, or locked, or destroyed (then only the fingerprint is left)."""

    fingerprint: bytes
    secret: X25519PrivateKey | None = None
    state: str = "ready"  # or "locked", "destroyed"

    @classmethod
    def of_secret(cls, secret, prekey_class, identity):
        private = X25519PrivateKey.from_private_bytes(secret)
        return cls(fingerprint(prekey_class, identity, private.public_key().public_bytes_raw()), private)

    @property
    def id(self):
        return self.fingerprint[:8]
