"""A client of the relay: docs/service.md and docs/openapi.yaml."""

import json
import re
import secrets
import threading
from dataclasses import dataclass

from .bundle_cache import DEVICE_ID, BundleCache, BundleCopy
from .encoding import from_base64url, topic_bytes
from .errors import ConnectionFailed, HTTPError, MessageError, Problem
from .https import (
    Address,
    AddressError,
    Exchange,
    Retry,
    problem_of,
    problem_with,
)
from .strict_json import JSONRefused, parse

QUERY_COUNT_MAX = 1_000
ANSWER_BYTE_COUNT_MAX = 1 << 22  # 1,000 bundles in base64url, or 1,000 problems

_API_KEY = re.compile(r"spk_[A-Za-z0-9_-]{43}")
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")
_CLASSES = ("call", "urgent", "normal", "background")


@dataclass(frozen=True)
class Accepted:
    """A notification that is on the relay's disk."""

    device: str
    id: str
    """The relay's and Apple's id of it."""
    trace: str


@dataclass(frozen=True)
class Rejected:
    """A recipient that a partial submission left out: nothing was sent to it."""

    index: int
    """Its place in `recipients`, from 0."""
    device: str
    problem: Problem
    """The error that a submission to it alone would get."""


class RelayClient:
    """The relay that holds devices' bundles and takes notifications. Safe to share between threads."""

    def __init__(self, url, api_key, *, ca_file=None, timeout=30, retry=Retry()):
        """`ca_file` is a PEM file of authorities that replace the system's.

        Raises AddressError, OSError if `ca_file` cannot be read.
        """
        address, path = Address.of(url)
        if path != "/" or not _API_KEY.fullmatch(api_key):
            raise AddressError("a relay has an address without path, and an API key spk_…")
        self._exchange = Exchange(address, ca_file, timeout, ANSWER_BYTE_COUNT_MAX)
        self._key, self._retry, self._query_lock = api_key, retry, threading.Lock()

    def bundle(self, device):
        """A device's key bundle, unverified: `PinStore.recipient` verifies it.

        Raises ConnectionFailed, Problem.
        """
        answer = self._call("GET", f"/v1/devices/{_device_id(device)}/bundle", expected=200)
        bundle = from_base64url(answer.get("bundle")) if isinstance(answer.get("bundle"), str) else None
        if bundle is None:
            raise ConnectionFailed("malformed-answer")
        return bundle

    def bundles(self, devices, cache=None):
        """The key bundles of many devices, unverified: a dict, with None for a device that the relay does not have.

        One request for each 1,000 devices, with the tags of what `cache` has: the relay sends the changed bundles
        alone. It answers one such request of a tenant at a time. This client asks one at a time, too; another process
        may get 429, which is tried again.

        Raises MessageError, ConnectionFailed, Problem.
        """
        devices = list(dict.fromkeys(map(_device_id, devices)))
        cache = BundleCache() if cache is None else cache
        copies = {}
        for start in range(0, len(devices), QUERY_COUNT_MAX):
            with self._query_lock:
                copies |= self._query(devices[start : start + QUERY_COUNT_MAX], cache)
        return {device: copy.bundle if copy else None for device, copy in copies.items()}

    def _query(self, devices, cache):
        # Another thread may change the cache meanwhile: `unchanged` means the copy whose tag was sent.
        known = cache.copies(devices)
        query = [{"device": device} | ({"etag": known[device].etag} if device in known else {}) for device in devices]
        answer = self._call("POST", "/v1/bundles/query", json.dumps({"devices": query}).encode())
        copies = _copies(answer, devices, known)
        cache.keep(copies)
        return copies

    def send(
        self,
        recipients,
        *,
        topic,
        notification_class="normal",
        expiry=None,
        collapse_id=None,
        idempotency_key=None,
        partial=False,
    ):
        """Submits one message, sealed for each of its recipients: pairs of device id and SealedMessage.

        All are on the relay's disk when it returns, or none after a Problem. After ConnectionFailed it is unknown:
        call it again with the error's `idempotency_key` and the same arguments, and nothing is sent twice.

        With `partial` a recipient that cannot be sent to, such as a device that is gone, does not refuse the others. If
        none can be sent to, it is a Problem all the same.

        Returns a list with one element for each recipient, in their order: Accepted, or with `partial` also Rejected.

        Raises MessageError, ConnectionFailed, Problem.
        """
        recipients = list(recipients)
        is_call = notification_class == "call"
        if notification_class not in _CLASSES or any(sealed.is_call != is_call for _, sealed in recipients):
            raise MessageError("class", "a call goes out as call, all else as urgent, normal or background")
        key = secrets.token_urlsafe(18) if idempotency_key is None else idempotency_key
        if not _IDEMPOTENCY_KEY.fullmatch(key):
            raise MessageError("idempotency-key", "1 to 255 printable ASCII characters")
        body = {"topic": topic_bytes(topic).decode(), "class": notification_class, "idempotency-key": key}
        body |= {name: value for name, value in (("expiry", expiry), ("collapse-id", collapse_id)) if value is not None}
        if partial:
            body["partial"] = True
        body["recipients"] = [_recipient(device, sealed) for device, sealed in recipients]
        try:
            answer = self._call("POST", "/v1/notifications", json.dumps(body).encode(), expected=202)
            return _results(answer, [device for device, _ in recipients], partial, self._key)
        except HTTPError as error:
            error.idempotency_key = key
            raise

    def _call(self, method, target, body=None, expected=200):
        fields = {"Authorization": f"Bearer {self._key}"}
        if body is not None:
            fields |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        problem = lambda answer: problem_of(answer, self._key)
        answer = self._retry.run(lambda: self._exchange.run(method, target, fields, body), problem)
        if answer.status != expected:
            raise problem(answer)
        try:
            members = parse(answer.body, ANSWER_BYTE_COUNT_MAX)
        except JSONRefused:
            members = None
        if not isinstance(members, dict):
            raise ConnectionFailed("malformed-answer")
        return members

    def __repr__(self):
        return "RelayClient"


def _device_id(device):
    if not isinstance(device, str) or not DEVICE_ID.fullmatch(device):
        raise MessageError("device", "a device's id has 1 to 64 letters, digits, hyphens and underscores")
    return device


def _recipient(device, sealed):
    recipient = {"device": _device_id(device), "sealed": sealed.field, "trace": sealed.trace}
    return recipient | ({"receipt-hash": sealed.receipt_hash} if sealed.receipt_hash else {})


def _objects(answer, name):
    """The objects in an answer's array."""
    listed = answer.get(name)
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise ConnectionFailed("malformed-answer")
    return listed


def _copies(answer, devices, known):
    """The answer to a query: each device's copy, or None."""
    listed = _objects(answer, "bundles")
    if [one.get("device") for one in listed] != devices:
        raise ConnectionFailed("malformed-answer")
    copies = {}
    for device, one in zip(devices, listed):
        state = one.get("state")
        copy = BundleCopy.of(one.get("etag"), one.get("bundle")) if state == "current" else known.get(device)
        if state not in ("current", "unchanged", "missing") or copy is None and state != "missing":
            raise ConnectionFailed("malformed-answer")
        copies[device] = copy if state != "missing" else None
    return copies


def _results(answer, devices, is_partial, secret):
    """The answer to a submission: what became of each recipient."""
    results = [None] * len(devices)
    for one in _objects(answer, "rejected") if is_partial else []:
        rejected = _rejected(one, devices, secret)
        if results[rejected.index] is not None:
            raise ConnectionFailed("malformed-answer")
        results[rejected.index] = rejected
    accepted = iter(_objects(answer, "notifications"))
    for index, device in enumerate(devices):
        if results[index] is None:
            one = next(accepted, {})
            results[index] = Accepted(*(one.get(name) for name in ("device", "id", "trace")))
            if one.get("device") != device or not all(isinstance(one.get(name), str) for name in ("id", "trace")):
                raise ConnectionFailed("malformed-answer")
    if next(accepted, None) is not None:
        raise ConnectionFailed("malformed-answer")
    return results


def _rejected(one, devices, secret):
    index, problem = one.get("index"), one.get("problem")
    is_right = type(index) is int and 0 <= index < len(devices) and isinstance(problem, dict)
    # The relay leaves out a device that it could not read.
    if not is_right or one.get("device", devices[index]) != devices[index] or type(problem.get("status")) is not int:
        raise ConnectionFailed("malformed-answer")
    return Rejected(index, devices[index], problem_with(problem, problem["status"], secret))
