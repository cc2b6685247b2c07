"""The safety number: docs/protocol.md, section 17."""

from hashlib import sha512

from .encoding import base64url, context

_HASH_COUNT = 5_200


def _digits(key):
    digest = sha512(context("safety") + key).digest()
    for _ in range(_HASH_COUNT - 1):
        digest = sha512(digest + key).digest()
    return "".join(f"{int.from_bytes(digest[5 * i : 5 * i + 5], 'big') % 100_000:05}" for i in range(6))


def safety_number(one, other):
    """Twelve groups of five digits that both sides compare. The order of the keys does not matter."""
    digits = "".join(sorted([_digits(one.raw), _digits(other.raw)]))
    return " ".join(digits[i : i + 5] for i in range(0, 60, 5))


def safety_code(one, other):
    """The text of the QR code, 91 characters: both keys whole."""
    return base64url(b"SPS1" + b"".join(sorted([one.raw, other.raw])))
