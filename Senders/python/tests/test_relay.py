import datetime
import ipaddress
import json
import os
import tempfile
import time
import unittest

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sealedpush import (
    AddressError,
    ConnectionFailed,
    Message,
    MessageError,
    Problem,
    Receipt,
    RelayClient,
    Retry,
    SenderKey,
    prepare,
    seal,
    upload_attachment,
    verify_bundle,
)
from sealedpush.encoding import base64url
from tests.device import TOPIC, Device
from tests.server import KEY, Server

REFUSED = "urn:sealedpush:problem:invalid-fields"


def make_certificate(path):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    today = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - datetime.timedelta(1))
        .not_valid_after(today + datetime.timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    with open(path, "wb") as file:
        file.write(certificate.public_bytes(pem))
        file.write(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path


def sealed(message=Message(body="b")):
    device = Device()
    recipient, _ = verify_bundle(
        device.bundle(epoch=0, entries=[device.entry(not_before=_now(), not_after=_now() + 10**9)]),
        device.identity,
        TOPIC,
        None,
    )
    return seal(SenderKey(), prepare(message), recipient)


def _now():
    return time.time_ns() // 1_000_000


ACCEPTED = (202, {}, {"notifications": [{"device": "d1", "id": "one", "trace": "t"}]})


class Relay(unittest.TestCase):
    def setUp(self):
        self.waits = []

    def client(self, server, **options):
        options.setdefault("retry", Retry(sleep=self.waits.append, random=lambda: 0.5))
        return RelayClient(server.url, KEY, timeout=10, **options)

    def send(self, server, message=Message(body="b"), **options):
        return self.client(server).send([("d1", sealed(message))], topic=TOPIC, **options)

    def fail(self, server, error=Problem, **options):
        with self.assertRaises(error) as caught:
            self.send(server, **options)
        self.assertNotIn(KEY, str(caught.exception))
        return caught.exception

    def test_a_notification_is_sent_as_the_relay_takes_it(self):
        receipt = Receipt()
        with Server(ACCEPTED) as server:
            (accepted,) = self.send(
                server, Message(body="b", receipt=receipt), expiry=3600, collapse_id="c", idempotency_key="order-1"
            )
        self.assertEqual((accepted.device, accepted.id), ("d1", "one"))
        method, path, fields, body = server.requests[0]
        self.assertEqual((method, path, fields["Authorization"]), ("POST", "/v1/notifications", f"Bearer {KEY}"))
        body = json.loads(body)
        (recipient,) = body.pop("recipients")
        self.assertEqual(
            body, {"topic": TOPIC, "class": "normal", "expiry": 3600, "collapse-id": "c", "idempotency-key": "order-1"}
        )
        self.assertEqual(sorted(recipient), ["device", "receipt-hash", "sealed", "trace"])
        self.assertEqual((len(recipient["sealed"]), recipient["receipt-hash"]), (3_840, receipt.hash))

    def test_busy_relays_and_lost_connections_are_tried_again_with_the_same_bytes(self):
        script = [(429, {"Retry-After": "7"}, {}), (503, {}, b"not JSON"), "drop", (500, {}, {}), ACCEPTED]
        with Server(*script) as server:
            self.send(server)
        self.assertEqual(len(server.requests), 5)
        bodies = {body for *_, body in server.requests}
        self.assertEqual(len(bodies), 1)
        self.assertRegex(json.loads(bodies.pop())["idempotency-key"], r"^[!-~]{20,}$")
        # Retry-After and half of 0.5; then three quarters of 1, 2 and 4 seconds.
        self.assertEqual(self.waits, [7.25, 0.75, 1.5, 3.0])

    def test_other_refusals_are_not_tried_again(self):
        for status in (400, 401, 403, 404, 409, 413, 415, 422, 302):
            with Server((status, {"Location": "/elsewhere"}, {"type": REFUSED, "title": "T", "detail": "D"})) as server:
                error = self.fail(server)
                self.assertEqual((error.status, error.type, error.title, error.detail), (status, REFUSED, "T", "D"))
                self.assertEqual(len(server.requests), 1, status)
        self.assertEqual(self.waits, [])

    def test_it_gives_up_after_five_attempts(self):
        with Server(*[(503, {"Retry-After": "1"}, {})] * 9) as server:
            error = self.fail(server)
        self.assertEqual((len(server.requests), error.attempts, error.retry_after), (5, 5, 1))
        with Server(*["drop"] * 9) as server:
            error = self.fail(server, ConnectionFailed)
        self.assertEqual((len(server.requests), error.attempts, error.reason), (5, 5, "connection-lost"))
        self.assertTrue(error.idempotency_key)

    def test_a_long_retry_after_is_the_callers(self):
        with Server((429, {"Retry-After": "3600"}, {"type": "urn:sealedpush:problem:quota-exceeded"})) as server:
            error = self.fail(server)
        self.assertEqual((error.retry_after, self.waits), (3600, []))

    def test_a_server_that_is_not_there_is_tried_again(self):
        with Server() as server:
            pass
        error = self.fail(server, ConnectionFailed)
        self.assertEqual((error.reason, len(self.waits)), ("not-reached", 4))

    def test_the_key_given_goes_with_every_attempt_and_every_error(self):
        with Server("drop", (422, {}, {})) as server:
            error = self.fail(server, idempotency_key="order-2")
        self.assertEqual(error.idempotency_key, "order-2")
        self.assertEqual([json.loads(body)["idempotency-key"] for *_, body in server.requests], ["order-2"] * 2)

    def test_an_answer_is_read_within_bounds_and_never_trusted(self):
        problem = {
            "type": 7,
            "title": f"your key {KEY}\n\x1b[31m",
            "detail": "d" * 9_000,
            "errors": [1, {"pointer": "/a", "detail": None}] * 40,
        }
        with Server((422, {}, problem)) as server:
            error = self.fail(server)
            self.assertEqual((error.type, len(error.detail)), ("about:blank", 500))
            self.assertNotIn("\x1b", str(error))
            self.assertLessEqual(len(error.errors), 32)
        for body in (
            b"",
            b"[]",
            b"[" * 50_000,
            b"\xff",
            {},
            {"notifications": 1},
            {"notifications": [1]},
            {"notifications": []},
            {"notifications": [{"device": "d2", "id": "one", "trace": "t"}]},
            {"notifications": [{"device": "d1", "id": 1, "trace": "t"}]},
        ):
            with Server((202, {}, body)) as server:
                self.assertEqual(self.fail(server, ConnectionFailed).reason, "malformed-answer")
        with Server(*[(202, {"content-length": "9"}, b"short")] * 5) as server:
            self.assertEqual(self.fail(server, ConnectionFailed).reason, "connection-lost")
        with Server(*[(202, {}, b" " * (1 << 22) + b"{}")] * 5) as server:
            self.assertEqual(self.fail(server, ConnectionFailed).reason, "connection-lost")

    def test_a_bundle_is_fetched(self):
        bundle = Device().bundle()
        with Server((503, {}, {}), (200, {}, {"bundle": base64url(bundle), "language": "de"})) as server:
            self.assertEqual(self.client(server).bundle("d1"), bundle)
            self.assertEqual(server.requests[1][:2], ("GET", "/v1/devices/d1/bundle"))
        for answer in ({}, {"bundle": 1}, {"bundle": "A"}, {"bundle": "ä"}):
            with Server((200, {}, answer)) as server, self.assertRaises(ConnectionFailed):
                self.client(server).bundle("d1")

    def test_arguments_that_would_go_elsewhere_are_refused_before_anything_is_sent(self):
        with Server() as server:
            for device in ("", "../d1", "d1\r\nx: y", "d" * 65, None):
                with self.assertRaises(MessageError):
                    self.client(server).bundle(device)
            for options in (
                {"notification_class": "call"},
                {"notification_class": "loud"},
                {"idempotency_key": "a b"},
                {"idempotency_key": ""},
            ):
                with self.assertRaises(MessageError):
                    self.send(server, **options)
            with self.assertRaises(MessageError):
                self.send(server, Message.call("c"))
            self.assertEqual(server.requests, [])
        for url, key in (
            ("http://push.example.com", KEY),
            ("https://push.example.com/path", KEY),
            ("https://u:p@push.example.com", KEY),
            ("https://push.example.com\n", KEY),
            ("ftp://localhost", KEY),
            ("https://[", KEY),
            ("https://x:99999", KEY),
            ("https://push.example.com", "spk_short"),
            ("https://push.example.com", KEY + "\r\nx: y"),
        ):
            with self.assertRaises(AddressError) as caught:
                RelayClient(url, key)
            self.assertNotIn("p@", str(caught.exception))
        self.assertNotIn(KEY, repr(RelayClient("https://push.example.com", KEY)))


class TLS(unittest.TestCase):
    def test_an_own_authority_is_trusted_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate = make_certificate(os.path.join(folder, "tls.pem"))
            waits = []
            retry = Retry(sleep=waits.append)
            with Server(ACCEPTED, certificate=certificate) as server:
                RelayClient(server.url, KEY, ca_file=certificate).send([("d1", sealed())], topic=TOPIC)
                with self.assertRaises(ConnectionFailed) as caught:
                    RelayClient(server.url, KEY, retry=retry).send([("d1", sealed())], topic=TOPIC)
                self.assertEqual((caught.exception.reason, waits), ("not-trusted", []))
                with self.assertRaises(ConnectionFailed) as caught:
                    RelayClient(
                        server.url.replace("127.0.0.1", "localhost"), KEY, ca_file=certificate, retry=retry
                    ).bundle("d1")
                self.assertEqual((caught.exception.reason, waits), ("not-trusted", []))


class Uploads(unittest.TestCase):
    def test_a_file_is_put_with_its_length_alone_and_again_after_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            path, waits = os.path.join(folder, "sealed"), []
            content = os.urandom(100_000)
            with open(path, "wb") as file:
                file.write(content)
            retry = Retry(sleep=waits.append)
            with Server("drop", (503, {}, b""), (201, {}, b"")) as server:
                upload_attachment(path, server.url + "/bucket/x?signature=secret", retry=retry)
            self.assertEqual([body for *_, body in server.requests], [content] * 3)
            self.assertEqual({path for _, path, *_ in server.requests}, {"/bucket/x?signature=secret"})
            self.assertEqual(sorted(name.lower() for name in server.requests[0][2]), ["content-length", "host"])
            for status in (400, 403, 404, 301):
                with Server((status, {}, b"")) as server, self.assertRaises(Problem) as caught:
                    upload_attachment(path, server.url + "/bucket/x?signature=secret", retry=retry)
                self.assertNotIn("secret", str(caught.exception))
                self.assertEqual(len(server.requests), 1)
