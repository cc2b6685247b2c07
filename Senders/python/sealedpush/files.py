"""Private files: owner-only, bounded, written whole or not at all."""

import os
import secrets
import stat

from .errors import KeyFileError

BYTE_COUNT_MAX = 64 * 1024
EXAMPLE_MARKER = b"# SealedPush example key"


def read_private(path, allow_example=False):
    """The bytes of a private file, which the caller overwrites after use.

    Raises KeyFileError, also for a file that group or others may read.
    """
    try:
        # O_NONBLOCK: a named pipe must not hold the caller.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise KeyFileError("not-found", path) from None
    except OSError:
        raise KeyFileError("system", path) from None
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise KeyFileError("not-a-file", path)
        if not 0 < status.st_size <= BYTE_COUNT_MAX:
            raise KeyFileError("too-large" if status.st_size else "empty", path)
        content = bytearray(status.st_size)
        if file.readinto(content) != len(content):
            raise KeyFileError("system", path)
    if content.startswith(EXAMPLE_MARKER):
        if not allow_example:
            raise KeyFileError("example-key", path)
    elif content.startswith((b"sealedpush-sender-1:", b"sealedpush-identity-1:")):
        raise KeyFileError("public-key", path)
    elif status.st_mode & 0o077:
        raise KeyFileError("readable-by-others", path)
    return content


def _write_temporary(path, content):
    temporary = f"{path}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
    except OSError:
        os.unlink(temporary)
        raise
    return temporary


def sync_folder(path):
    """Makes a new name in the folder of `path` durable."""
    descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def create(path, content):
    """Creates a file of mode 0600; of two processes at once one gets FileExistsError.

    Raises OSError.
    """
    temporary = _write_temporary(path, content)
    try:
        # A link, unlike a rename, never replaces.
        os.link(temporary, path)
    finally:
        os.unlink(temporary)
    sync_folder(path)


def replace(path, content):
    """Writes a file of mode 0600; a crash leaves the old content or the new.

    Raises OSError.
    """
    temporary = _write_temporary(path, content)
    try:
        os.rename(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    sync_folder(path)
