"""Stores of pins: docs/protocol.md, section 16."""

import contextlib
import fcntl
import os
import threading
from hashlib import sha256

from . import files
from .bundle import AFTER_FIRST_UNLOCK, Pin, verify_bundle
from .encoding import lp, topic_bytes, u64
from .errors import PinError

_MARK = b"SPP1"
_BYTE_COUNT_MAX = 4 + 32 + 156 + 8 + 32 + 2 + 16 + 8
_FETCHED_AT_STEP = 3_600_000  # a message a second would else be a write a second


def encode_pin(pin, identity, topic):
    """The stored form of a pin, for a file or a column of a database: 103 bytes and the topic.

    Identity and topic show a record in a wrong place. The check at its end detects accidents alone.
    """
    content = _MARK + identity.raw + lp(topic_bytes(topic)) + u64(pin.epoch) + pin.digest + bytes(pin.suites)
    content += u64(pin.issued_at) + u64(pin.fetched_at)
    return content + sha256(content).digest()[:8]


def decode_pin(data, identity, topic):
    """The pin of exactly this identity and topic; None for any other bytes."""
    head = _MARK + identity.raw + lp(topic_bytes(topic))
    content, check = data[:-8], data[-8:]
    if not content.startswith(head) or len(content) != len(head) + 58 or sha256(content).digest()[:8] != check:
        return None
    rest = content[len(head) :]
    epoch, issued_at, fetched_at = (int.from_bytes(rest[i : i + 8], "big") for i in (0, 42, 50))
    return Pin(epoch, rest[8:40], tuple(rest[40:42]), issued_at, fetched_at)


class PinStore:
    """A sender's memory of every device's newest bundle. All processes of one sender share one store.

    A sender on several machines keeps pins in its database: a subclass whose `slot` reads and writes one row in one
    serializable transaction, with `encode_pin` and `decode_pin`.
    """

    def slot(self, identity, topic):
        """A context manager that gives an object with `pin` (or None), and stores `pin` if it was changed.

        Nothing else may read or write this slot meanwhile. Raises PinError.
        """
        raise NotImplementedError

    def recipient(self, bundle, identity, topic, now=None, fetched_at=None, protection_class=AFTER_FIRST_UNLOCK):
        """Verifies a bundle against the pin, and keeps the new pin. A refused bundle changes nothing.

        Raises BundleRefused, PinError.
        """
        with self.slot(identity, topic) as slot:
            recipient, pin = verify_bundle(bundle, identity, topic, slot.pin, now, fetched_at, protection_class)
            old = slot.pin
            if old is None or _facts(old) != _facts(pin) or not 0 <= pin.fetched_at - old.fetched_at < _FETCHED_AT_STEP:
                slot.pin = pin
        return recipient

    def reset_suites(self, identity, topic):
        """Accepts lower suites again. Call it only after a person agreed to weaker protection.

        Raises PinError.
        """
        with self.slot(identity, topic) as slot:
            if slot.pin is not None:
                slot.pin = slot.pin.without_suites()

    def forget(self, identity, topic):
        """Forgets a device. Call it only when its contact is removed: any older bundle is accepted again.

        Raises PinError.
        """
        with self.slot(identity, topic) as slot:
            slot.pin = None


def _facts(pin):
    return pin.epoch, pin.digest, pin.suites


class _Slot:
    def __init__(self, pin):
        self.pin = pin


class MemoryPins(PinStore):
    """Pins that go with the process: for tests alone. After a restart any older bundle is accepted again."""

    def __init__(self):
        self._pins, self._lock = {}, threading.Lock()

    @contextlib.contextmanager
    def slot(self, identity, topic):
        with self._lock:
            slot = _Slot(self._pins.get((identity, topic)))
            yield slot
            self._pins[identity, topic] = slot.pin


class FilePins(PinStore):
    """Pins in a folder, shared by the processes of a machine, also with senders in Swift.

    FOLDER/ab/cdef… is the file of the slot whose name begins "abcdef", FOLDER/ab/lock is locked while one changes. A
    file is forced to disk, then renamed into place: a crash leaves the old pin or the new one.
    """

    def __init__(self, folder):
        """Makes the folder with mode 0700 if it is missing.

        Raises PinError.
        """
        self.folder = os.fspath(folder)
        with _system_errors(self.folder):
            _make_folder(self.folder)
            if os.stat(self.folder).st_mode & 0o022:
                raise PinError("writable-by-others", self.folder)

    @contextlib.contextmanager
    def slot(self, identity, topic):
        name = sha256(identity.raw + topic_bytes(topic)).hexdigest()
        subfolder = os.path.join(self.folder, name[:2])
        path = os.path.join(subfolder, name[2:])
        with _locked(subfolder):
            slot = _Slot(self._read(path, identity, topic))
            before = slot.pin
            yield slot
            with _system_errors(path):
                if slot.pin is None and before is not None:
                    os.unlink(path)
                elif slot.pin != before:
                    files.replace(path, encode_pin(slot.pin, identity, topic))

    @staticmethod
    def _read(path, identity, topic):
        with _system_errors(path):
            try:
                with open(path, "rb") as file:
                    data = file.read(_BYTE_COUNT_MAX + 1)
            except FileNotFoundError:
                return None
        pin = decode_pin(data, identity, topic)
        # A slot that cannot be read never counts as empty.
        if pin is None:
            raise PinError("damaged", path)
        return pin


@contextlib.contextmanager
def _system_errors(path):
    try:
        yield
    except OSError as error:
        raise PinError("system", path) from error


def _make_folder(path):
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
        files.sync_folder(path)


@contextlib.contextmanager
def _locked(subfolder):
    with _system_errors(subfolder):
        _make_folder(subfolder)
        descriptor = os.open(os.path.join(subfolder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _system_errors(subfolder):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
