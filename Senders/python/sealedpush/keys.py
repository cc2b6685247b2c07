"""Ed25519 keys of senders and devices: docs/protocol.md, sections 2 and 23."""

import hmac

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from . import files
from .encoding import base64url, from_base64url
from .errors import KeyFileError

KEY_BYTE_COUNT = 32
SIGNATURE_BYTE_COUNT = 64

_P = 2**255 - 19
_GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
_Y_OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER_Y = {0, 1, _P - 1, _Y_OF_ORDER_8, _P - _Y_OF_ORDER_8}


def is_acceptable_point(encoded):
    """True for 32 bytes that are canonical and not of small order, whatever the sign bit."""
    if len(encoded) != KEY_BYTE_COUNT:
        return False
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    return y < _P and y not in _SMALL_ORDER_Y


def is_valid_signature(key, signature, message):
    """Verifies as section 2 says: the edges at which libraries differ first."""
    s_is_reduced = int.from_bytes(signature[32:], "little") < _GROUP_ORDER
    if len(signature) != SIGNATURE_BYTE_COUNT or not s_is_reduced:
        return False
    if not is_acceptable_point(key) or not is_acceptable_point(signature[:32]):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


class _PublicKey:
    """A public key in a role: a sender's key cannot be pinned as a device's identity."""

    _prefix = ""

    def __init__(self, raw):
        raw = bytes(raw)
        if not is_acceptable_point(raw):
            raise KeyFileError("not-a-key")
        self.raw = raw

    @classmethod
    def from_text(cls, text):
        """Reads the text form; white space around it is ignored.

        Raises KeyFileError.
        """
        text = text.strip()
        if not text.startswith(cls._prefix):
            is_private = any(
                line.startswith("sealedpush-") and line.endswith("-key-1") for line in text.splitlines()[:4]
            )
            raise KeyFileError("private-key" if is_private else "wrong-prefix")
        raw = from_base64url(text[len(cls._prefix) :], KEY_BYTE_COUNT)
        if raw is None:
            raise KeyFileError("not-a-key")
        return cls(raw)

    @classmethod
    def load(cls, path):
        """Reads a public key's file.

        Raises KeyFileError.
        """
        try:
            with open(path, "rb") as file:
                content = file.read(1025)
        except FileNotFoundError:
            raise KeyFileError("not-found", path) from None
        except OSError:
            raise KeyFileError("system", path) from None
        if len(content) > 1024:
            raise KeyFileError("too-large", path)
        return cls.from_text(content.decode("ascii", "replace"))

    @property
    def text(self):
        """The text form, which people and programs exchange."""
        return self._prefix + base64url(self.raw)

    def __eq__(self, other):
        return type(self) is type(other) and self.raw == other.raw

    def __hash__(self):
        return hash((self._prefix, self.raw))

    def __repr__(self):
        return f"{type(self).__name__}.from_text({self.text!r})"


class IdentityKey(_PublicKey):
    """A device's identity IK, which senders pin."""

    _prefix = "sealedpush-identity-1:"


class SenderPublicKey(_PublicKey):
    """A sender's public key SK, which devices have as a contact."""

    _prefix = "sealedpush-sender-1:"


class SenderKey:
    """A sender's Ed25519 signing key. It decrypts nothing.

    The key itself lies in OpenSSL's memory, which wipes it when this object goes. `seed()` gives a copy that Python
    cannot wipe.
    """

    _format = b"sealedpush-sender-key-1"

    def __init__(self, seed=None):
        """Makes a new key, or takes the 32 bytes of an existing one.

        Raises KeyFileError.
        """
        if seed is None:
            self._key = Ed25519PrivateKey.generate()
        elif len(seed) != KEY_BYTE_COUNT:
            raise KeyFileError("not-a-key")
        elif hmac.compare_digest(seed, bytes(KEY_BYTE_COUNT)):
            raise KeyFileError("zeros")
        else:
            self._key = Ed25519PrivateKey.from_private_bytes(seed)
        raw = self._key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        self.public_key = SenderPublicKey(raw)

    @classmethod
    def load(cls, path, allow_example=False):
        """Reads a key file, of `save` or of `sealedpush keygen sender`.

        Raises KeyFileError.
        """
        content = files.read_private(path, allow_example)
        seed = bytearray()
        try:
            lines = [line for line in content.split(b"\n") if line and not line.startswith(b"#")]
            seed += cls._seed_of(lines)
            if len(seed) != KEY_BYTE_COUNT:
                raise KeyFileError("malformed", path)
            return cls(seed)
        finally:
            # The pieces that split and decode made are freed, not wiped: Python's bytes cannot be.
            content[:] = bytes(len(content))
            seed[:] = bytes(len(seed))

    @classmethod
    def _seed_of(cls, lines):
        if len(lines) != 2 or lines[0] != cls._format or not lines[1].startswith(b"sender "):
            return b""
        return from_base64url(bytes(lines[1][len(b"sender ") :]), KEY_BYTE_COUNT) or b""

    def save(self, path):
        """Creates a key file of mode 0600. A file that is there stays.

        Raises KeyFileError.
        """
        content = bytearray(b"%s\nsender %s\n" % (self._format, base64url(self.seed()).encode()))
        try:
            files.create(path, content)
        except FileExistsError:
            raise KeyFileError("exists", path) from None
        except OSError:
            raise KeyFileError("system", path) from None
        finally:
            content[:] = bytes(len(content))

    @classmethod
    def load_or_make(cls, path):
        """The key of this file, which is made at the first start.

        Raises KeyFileError.
        """
        try:
            return cls.load(path)
        except KeyFileError as error:
            if error.reason != "not-found":
                raise
        try:
            key = cls()
            key.save(path)
            return key
        except KeyFileError as error:
            if error.reason != "exists":
                raise
        # Another process was first.
        return cls.load(path)

    def seed(self):
        """The 32 bytes that sign as this sender, for a secret store."""
        raw, none = serialization.Encoding.Raw, serialization.NoEncryption()
        return self._key.private_bytes(raw, serialization.PrivateFormat.Raw, none)

    def sign(self, message):
        return self._key.sign(message)

    def __repr__(self):
        return f"SenderKey({self.public_key.text})"

    def __reduce__(self):
        raise TypeError("a sender's key is not pickled")
