"""A cache of the relay's bundles: docs/service.md, "A device"."""

import contextlib
import json
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from .bundle import BYTE_COUNT_MAX
from .encoding import base64url, from_base64url
from .strict_json import JSONRefused, parse

DEVICE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ETAG = re.compile(r"[!-~]{1,64}")
_COPY_TEXT_MAX = 4_096  # characters of one device in the saved text, at most


@dataclass(frozen=True)
class BundleCopy:
    """A device's bundle, unverified, and the relay's tag of it."""

    etag: str
    bundle: bytes

    @classmethod
    def of(cls, etag, text):
        """Reads both from JSON values; None for values that are none."""
        bundle = from_base64url(text) if isinstance(text, str) else None
        is_right = isinstance(etag, str) and _ETAG.fullmatch(etag) and bundle is not None
        return cls(etag, bundle) if is_right and len(bundle) <= BYTE_COUNT_MAX else None


class BundleCache:
    """Copies of devices' bundles, so that the relay sends the changed ones alone. Safe to share between threads.

    Nothing here is trusted: `PinStore.recipient` verifies a bundle at each use. `text` may be saved; its loss costs one
    longer answer.
    """

    def __init__(self, count_max=10_000):
        """`count_max` bounds the number of devices; those that were asked for longest ago go first."""
        self.count_max = count_max
        self._copies, self._lock = OrderedDict(), threading.Lock()

    def copies(self, devices):
        """The copies of those devices that have one."""
        with self._lock:
            return {device: self._copies[device] for device in devices if device in self._copies}

    def keep(self, copies):
        """Takes each device's newest copy; None removes a device."""
        with self._lock:
            for device, copy in copies.items():
                self._copies.pop(device, None)
                if copy is not None:
                    self._copies[device] = copy
            while len(self._copies) > self.count_max:
                self._copies.popitem(last=False)

    def forget(self, device):
        """Removes a device's copy: the next query brings its bundle."""
        self.keep({device: None})

    def __len__(self):
        return len(self._copies)

    @property
    def text(self):
        """The whole cache, for a file: a check against accidents, and a line of JSON. It holds no secret."""
        with self._lock:
            copies = [[device, copy.etag, base64url(copy.bundle)] for device, copy in self._copies.items()]
        content = json.dumps(copies, separators=(",", ":"))
        return f"{_check(content.encode())}\n{content}"

    @classmethod
    def from_text(cls, text, count_max=10_000):
        """The cache of a saved text. A damaged text, or one too long for `count_max` devices, gives an empty cache."""
        cache = cls(count_max)
        check, _, content = text.encode("utf-8", "replace").partition(b"\n")
        with contextlib.suppress(JSONRefused, TypeError, ValueError):
            listed = parse(content, _COPY_TEXT_MAX * count_max) if _check(content).encode() == check else []
            cache.keep(dict(_device_copy(one) for one in listed))
        return cache


def _check(content):
    return sha256(content).hexdigest()


def _device_copy(listed):
    device, etag, text = listed
    copy = BundleCopy.of(etag, text)
    if copy is None or not DEVICE_ID.fullmatch(device):
        raise ValueError
    return device, copy
