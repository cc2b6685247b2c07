"""Attachments: pointers and addresses (docs/protocol.md, section 6), sealed files (section 21)."""

import os
import re
import secrets
import stat
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from .encoding import base64url, context
from .errors import AttachmentError, MessageError

SIZE_MAX = 1 << 40
_CHUNK_BYTE_COUNT, _TAG_BYTE_COUNT, _SALT_BYTE_COUNT = 16_384, 16, 24
_FORMAT = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"

_CHARACTERS = r"(?:[A-Za-z0-9._~!$&()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_URL = re.compile(
    r"https://(?P<host>\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(?P<port>[1-9][0-9]{0,4}))?"
    rf"(?P<path>(?:/{_CHARACTERS}*)+)(?:\?(?P<query>(?:{_CHARACTERS}|[/?])*))?"
)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)+(?=[a-z]){_LABEL}")
_NUMBER = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{3}}")
_GROUPS = re.compile(r"[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*")
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")


def _is_ipv6(address):
    parts = address.split("::")
    counts = [part.count(":") + 1 if part else 0 for part in parts]
    if len(parts) > 2 or not all(_GROUPS.fullmatch(part) for part in parts if part):
        return False
    return counts == [8] if len(parts) == 1 else sum(counts) <= 7


def _is_host(host):
    if host.startswith("["):
        return _is_ipv6(host[1:-1])
    return host == "localhost" or bool(_NAME.fullmatch(host) or _IPV4.fullmatch(host))


def split_url(url):
    """Host, port and path of an attachment's URL that all readers read alike.

    Raises MessageError for any other text.
    """
    match = _URL.fullmatch(url) if isinstance(url, str) and url.isascii() and len(url) <= 200 else None
    if match and _is_host(match["host"]) and int(match["port"] or 443) <= 65_535:
        path, query = match["path"].lower(), (match["query"] or "").lower()
        segments = path.replace("%2e", ".").split("/")
        forbidden = any(escape in path for escape in ("%00", "%2f", "%5c")) or "%00" in query
        if not forbidden and "." not in segments and ".." not in segments:
            return match["host"], int(match["port"] or 443), match["path"]
    raise MessageError("attachments", "an address is not one that all readers read alike")


def padded_size(size):
    """The length after Padmé's padding."""
    if size < 2:
        return size
    exponent = size.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return -(-size // step) * step


def stored_size(size):
    """The length of the sealed file."""
    padded = padded_size(size)
    return 56 + padded + _TAG_BYTE_COUNT * (padded // _CHUNK_BYTE_COUNT + 1)


@dataclass(frozen=True, repr=False)
class AttachmentPointer:
    """The place and key of a message's file. It is as secret as the message."""

    id: bytes
    url: str
    key: bytes
    size: int
    media_type: str
    name: str = ""
    thumbnail: bool = False

    def __post_init__(self):
        split_url(self.url)
        if len(self.id) != 16 or len(self.key) != 32 or not 0 <= self.size <= SIZE_MAX:
            raise MessageError("attachments", "an id, key or size is out of range")
        if len(self.media_type) > 64 or not _MEDIA_TYPE.fullmatch(self.media_type):
            raise MessageError("attachments", "a media type is not two names in lower case with a slash between")
        if len(self.name.encode("utf-8", "replace")) > 64:
            raise MessageError("attachments", "a name is longer than 64 bytes")

    def members(self):
        """The pointer as the message has it, in JSON."""
        members = {"id": base64url(self.id), "url": self.url, "key": base64url(self.key), "size": self.size}
        members |= {"stored": stored_size(self.size), "type": self.media_type}
        return members | ({"name": self.name} if self.name else {}) | ({"thumbnail": True} if self.thumbnail else {})


@dataclass(frozen=True, repr=False)
class SealedAttachment:
    """A sealed file's part of a message; the address is missing until the file is uploaded."""

    id: bytes
    key: bytes
    size: int

    def pointer(self, url, media_type, name="", thumbnail=False):
        """The attachment for the message; the sealed file is at `url` before the message is sealed.

        `thumbnail` is for a file that stands in for the attachment behind it. Raises MessageError.
        """
        return AttachmentPointer(self.id, url, self.key, self.size, media_type, name, thumbnail)


class _ChunkSealer:
    """Seals chunk after chunk: all but the last have 16,384 bytes, the last has fewer, possibly none."""

    def __init__(self, key, id, salt):
        derived = HKDFExpand(SHA512(), 76, _FORMAT + salt + context("attachment") + id).derive(key)
        self.head = salt + derived[44:]
        self._cipher, self._nonce, self._count = AESGCM(derived[:32]), int.from_bytes(derived[32:44], "big"), 0

    def seal(self, chunk):
        nonce = (self._nonce ^ self._count).to_bytes(12, "big")
        self._count += 1
        return self._cipher.encrypt(nonce, bytes(chunk), None)


def _chunks(source, size):
    """The padded file in chunks. A file that changes its length meanwhile raises."""
    read_count, padding = 0, padded_size(size) - size
    while True:
        chunk = b""
        while len(chunk) < _CHUNK_BYTE_COUNT and (piece := source.read(_CHUNK_BYTE_COUNT - len(chunk))):
            chunk += piece
        read_count += len(chunk)
        if read_count > size or (len(chunk) < _CHUNK_BYTE_COUNT and read_count != size):
            raise AttachmentError("source-changed")
        zeros = min(padding, _CHUNK_BYTE_COUNT - len(chunk))
        padding -= zeros
        yield chunk + bytes(zeros)
        if len(chunk) + zeros < _CHUNK_BYTE_COUNT:
            return


def _seal_into(source, sealed, size, key, id, salt):
    sealer = _ChunkSealer(key, id, salt)
    sealed.write(sealer.head)
    for chunk in _chunks(source, size):
        sealed.write(sealer.seal(chunk))


def seal_attachment(source_path, sealed_path):
    """Seals a file under a new random key and id, a chunk at a time.

    `sealed_path` must not exist; it gets mode 0600, and is removed after an error. Raises AttachmentError.
    """
    try:
        with open(source_path, "rb") as source:
            status = os.fstat(source.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise AttachmentError("not-a-file")
            if status.st_size > SIZE_MAX:
                raise AttachmentError("too-long")
            attachment = SealedAttachment(secrets.token_bytes(16), secrets.token_bytes(32), status.st_size)
            _write_sealed(source, sealed_path, attachment)
    except FileExistsError:
        raise AttachmentError("exists") from None
    except OSError as error:
        raise AttachmentError("file") from error
    return attachment


def _write_sealed(source, path, attachment):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as sealed:
            salt = secrets.token_bytes(_SALT_BYTE_COUNT)
            _seal_into(source, sealed, attachment.size, attachment.key, attachment.id, salt)
    except BaseException:
        os.unlink(path)
        raise
