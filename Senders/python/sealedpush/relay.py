"""A client of the relay: docs/service.md and docs/openapi.yaml."""

import json
import re
import secrets
from dataclasses import dataclass

from .encoding import from_base64url, topic_bytes
from .errors import ConnectionFailed, HTTPError, MessageError
from .https import (
    ANSWER_BYTE_COUNT_MAX,
    Address,
    AddressError,
    Exchange,
    Retry,
    problem_of,
)
from .strict_json import JSONRefused, parse

_API_KEY = re.compile(r"spk_[A-Za-z0-9_-]{43}")
_DEVICE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")
_CLASSES = ("call", "urgent", "normal", "background")


@dataclass(frozen=True)
class Accepted:
    """A notification that is on the relay's disk."""

    device: str
    id: str
    """The relay's and Apple's id of it."""
    trace: str


class RelayClient:
    """The relay that holds devices' bundles and takes notifications. Safe to share between threads."""

    def __init__(self, url, api_key, *, ca_file=None, timeout=30, retry=Retry()):
        """`ca_file` is a PEM file of authorities that replace the system's.

        Raises AddressError, OSError if `ca_file` cannot be read.
        """
        address, path = Address.of(url)
        if path != "/" or not _API_KEY.fullmatch(api_key):
            raise AddressError("a relay has an address without path, and an API key spk_…")
        self._exchange, self._key, self._retry = Exchange(address, ca_file, timeout), api_key, retry

    def bundle(self, device):
        """A device's key bundle, unverified: `PinStore.recipient` verifies it.

        Raises ConnectionFailed, Problem.
        """
        answer = self._call("GET", f"/v1/devices/{_device_id(device)}/bundle", expected=200)
        bundle = from_base64url(answer.get("bundle")) if isinstance(answer.get("bundle"), str) else None
        if bundle is None:
            raise ConnectionFailed("malformed-answer")
        return bundle

    def send(
        self, recipients, *, topic, notification_class="normal", expiry=None, collapse_id=None, idempotency_key=None
    ):
        """Submits one message, sealed for each of its recipients: pairs of device id and SealedMessage.

        All are on the relay's disk when it returns, or none after a Problem. After ConnectionFailed it is unknown:
        call it again with the error's `idempotency_key` and the same arguments, and nothing is sent twice.

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
        body["recipients"] = [_recipient(device, sealed) for device, sealed in recipients]
        try:
            answer = self._call("POST", "/v1/notifications", json.dumps(body).encode(), expected=202)
            return _accepted(answer, [device for device, _ in recipients])
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
    if not isinstance(device, str) or not _DEVICE_ID.fullmatch(device):
        raise MessageError("device", "a device's id has 1 to 64 letters, digits, hyphens and underscores")
    return device


def _recipient(device, sealed):
    recipient = {"device": _device_id(device), "sealed": sealed.field, "trace": sealed.trace}
    return recipient | ({"receipt-hash": sealed.receipt_hash} if sealed.receipt_hash else {})


def _accepted(answer, devices):
    listed = answer.get("notifications")
    listed = listed if isinstance(listed, list) and all(isinstance(one, dict) for one in listed) else []
    accepted = [Accepted(*(one.get(name) for name in ("device", "id", "trace"))) for one in listed]
    are_texts = all(isinstance(text, str) for one in accepted for text in (one.device, one.id, one.trace))
    if not are_texts or [one.device for one in accepted] != devices:
        raise ConnectionFailed("malformed-answer")
    return accepted
