"""One HTTP request, and when it is tried again. No redirect is followed; nothing is logged."""

from __future__ import annotations

import http.client
import random
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from .errors import ConnectionFailed, Problem, SealedPushError
from .strict_json import JSONRefused, parse

ANSWER_BYTE_COUNT_MAX = 1 << 20
_RETRIED_STATUSES = (429, 500, 502, 503, 504)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class AddressError(SealedPushError):
    """An address that is not `https`, or an API key that is none."""


@dataclass(frozen=True)
class Address:
    """A server's host and port. `http` is for this machine alone: a key goes with each request."""

    host: str
    port: int
    is_secure: bool

    @classmethod
    def of(cls, url):
        """Reads a URL. Returns the address, and path and query.

        Raises AddressError, which does not repeat the URL.
        """
        host = None
        if re.fullmatch(r"[!-~]+", url):
            try:
                parts = urlsplit(url)
                host, port = parts.hostname, parts.port
            except ValueError:
                host = None
        is_secure = url.startswith("https://")
        if not host or parts.username is not None or not (is_secure or parts.scheme == "http" and host in _LOOPBACK):
            raise AddressError("an address begins with https://")
        target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        return cls(host, port or (443 if is_secure else 80), is_secure), target


@dataclass(frozen=True, repr=False)
class Answer:
    status: int
    retry_after: int | None
    body: bytes


class Exchange:
    """Requests to one server, each on a connection of its own."""

    def __init__(self, address, ca_file=None, timeout=30, answer_byte_count_max=ANSWER_BYTE_COUNT_MAX):
        self.address, self.timeout, self.answer_byte_count_max = address, timeout, answer_byte_count_max
        # An own authority replaces the system's.
        self.trust = ssl.create_default_context(cafile=ca_file) if address.is_secure else None
        if self.trust is not None:
            self.trust.hostname_checks_common_name = False

    def run(self, method, target, fields, body=None):
        """One request, and its answer of at most `answer_byte_count_max` bytes.

        Raises ConnectionFailed.
        """
        connection = self._connection()
        try:
            connection.connect()
        except (ssl.SSLCertVerificationError, ssl.CertificateError):
            raise ConnectionFailed("not-trusted") from None
        except OSError:
            raise ConnectionFailed("not-reached") from None
        try:
            self._send(connection, method, target, fields, body)
            return self._answer(connection.getresponse())
        except (OSError, http.client.HTTPException, ValueError):
            raise ConnectionFailed("connection-lost") from None
        finally:
            connection.close()

    def _connection(self):
        host, port = self.address.host, self.address.port
        if self.trust is None:
            return http.client.HTTPConnection(host, port, timeout=self.timeout)
        return http.client.HTTPSConnection(host, port, timeout=self.timeout, context=self.trust)

    @staticmethod
    def _send(connection, method, target, fields, body):
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in fields.items():
            connection.putheader(name, value)
        try:
            connection.endheaders(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # A server may answer and hang up before it has read the body: its answer counts.

    def _answer(self, response):
        end = time.monotonic() + self.timeout
        body = bytearray()
        while piece := response.read1(65_536):
            body += piece
            if len(body) > self.answer_byte_count_max or time.monotonic() > end:
                raise http.client.HTTPException
        # An answer that ends too early has lost its connection.
        if response.length:
            raise http.client.HTTPException
        seconds = response.getheader("Retry-After", "")
        return Answer(response.status, int(seconds) if re.fullmatch(r"[0-9]{1,9}", seconds) else None, bytes(body))


@dataclass(frozen=True)
class Retry:
    """When a request is tried again: after 429, 5xx and lost connections, never after another 4xx."""

    attempts: int = 5
    first_delay: float = 0.5
    delay_max: float = 30
    patience: float = 120
    """Seconds of a Retry-After that are waited for; a longer one is raised at once."""
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def run(self, once, problem):
        """Calls `once` until its answer is final. `problem` makes an error of an answer.

        Raises ConnectionFailed, or what `problem` made.
        """
        for attempt in range(1, self.attempts + 1):
            try:
                answer = once()
                if answer.status not in _RETRIED_STATUSES:
                    return answer
                failure, retry_after = problem(answer), answer.retry_after
            except ConnectionFailed as error:
                failure, retry_after = error, None
            is_final = isinstance(failure, ConnectionFailed) and failure.reason == "not-trusted"
            if is_final or attempt == self.attempts or (retry_after or 0) > self.patience:
                raise _counted(failure, attempt)
            self.sleep(self.delay(attempt, retry_after))

    def delay(self, attempt, retry_after):
        """Seconds before the next try: never before Retry-After, and never all senders at once."""
        delay = min(self.first_delay * 2 ** (attempt - 1), self.delay_max)
        if retry_after is not None:
            return retry_after + delay * self.random()
        return delay * (0.5 + 0.5 * self.random())


def _counted(failure, attempts):
    if isinstance(failure, ConnectionFailed):
        return ConnectionFailed(failure.reason, attempts)
    failure.attempts = attempts
    return failure


def problem_of(answer, secret=""):
    """The error of an answer that is no success. Whatever its body holds, `secret` is not in it."""
    try:
        members = parse(answer.body, ANSWER_BYTE_COUNT_MAX)
    except JSONRefused:
        members = {}
    return problem_with(members if isinstance(members, dict) else {}, answer.status, secret, answer.retry_after)


def problem_with(members, status, secret="", retry_after=None):
    """The error of a problem's members (RFC 9457). Whatever they hold, `secret` is not in it."""
    listed = members.get("errors")
    errors = [error for error in listed[:32] if isinstance(error, dict)] if isinstance(listed, list) else []
    clean = lambda mapping, name: _clean(mapping.get(name), secret)
    return Problem(
        status,
        clean(members, "type") or "about:blank",
        clean(members, "title"),
        clean(members, "detail"),
        [(clean(error, "pointer"), clean(error, "detail")) for error in errors],
        retry_after,
    )


def _clean(text, secret):
    if not isinstance(text, str):
        return ""
    text = text.replace(secret, "…") if secret else text
    return "".join(character if character.isprintable() else " " for character in text[:500])
