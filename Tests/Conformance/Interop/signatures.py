"""Ed25519 signatures that libraries disagree about, made from the curve's own arithmetic (RFC 8032 section 5.1)."""
import hashlib

from sealedpush_py.keys import GROUP_ORDER, SMALL_ORDER_Y, D, P, square_roots

ORDER_8 = min(SMALL_ORDER_Y - {0, 1, P - 1})  # the y of a point of order 8


def decode(encoded):
    """(x, y) of 32 bytes."""
    number = int.from_bytes(encoded, "little")
    y, sign = number & (2**255 - 1), number >> 255
    x = next(x for x in square_roots((y * y - 1) * pow(D * y * y + 1, -1, P)) if x & 1 == sign)
    return x, y


def encode(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2
    return ((x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P)


def with_torsion(encoded):
    """The point plus one of order 8: it looks like any other, and differs by what the cofactor would remove."""
    return encode(add(decode(encoded), decode(ORDER_8.to_bytes(32, "little"))))


def secret_scalar(key):
    digest = bytearray(hashlib.sha512(key.private_bytes_raw()).digest()[:32])
    digest[0] &= 248
    digest[31] = digest[31] & 127 | 64
    return int.from_bytes(digest, "little")


def challenge(r, a, statement):
    return int.from_bytes(hashlib.sha512(r + a + statement).digest(), "little")


def sign(r_key, r, a_key, a, statement):
    """R and S = r + h·a with the encodings `r` and `a` as given. Without `a_key` its scalar is 0: A is the identity."""
    s = secret_scalar(r_key) if r_key else 0
    s += challenge(r, a, statement) * (secret_scalar(a_key) if a_key else 0)
    return r + (s % GROUP_ORDER).to_bytes(32, "little")
