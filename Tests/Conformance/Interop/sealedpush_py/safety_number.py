"""Section 17: the number that two people compare, and the code that two devices scan."""
import hashlib

from .encoding import base64url, lp

EXTRA_ROUNDS = 5_199


def digits(key):
    """fp(K): 30 decimal digits."""
    digest = hashlib.sha512(lp(b"SealedPush/1 safety") + key).digest()
    for _ in range(EXTRA_ROUNDS):
        digest = hashlib.sha512(digest + key).digest()
    return "".join(f"{int.from_bytes(digest[5 * i:5 * i + 5], 'big') % 100_000:05}" for i in range(6))


def number(one, other):
    """Twelve groups of five digits, the same for both sides."""
    both = "".join(sorted((digits(one), digits(other))))
    return " ".join(both[at:at + 5] for at in range(0, 60, 5))


def code(one, other):
    """The text of the QR code: 91 characters."""
    return base64url(b"SPS1" + min(one, other) + max(one, other))
