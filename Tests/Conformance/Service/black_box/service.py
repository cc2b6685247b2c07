"""A service with two tenants, the simulator behind it, and a sender's tools beside it."""

import base64
import hashlib
import http.client
import json
import os
import re
import secrets
import ssl

from .programs import Child, program, run

APP = "com.example.chat"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def receipt_hash(capability):
    """docs/service.md, "Receipts"."""
    context = b"SealedPush/1 receipt"
    return base64url(hashlib.sha256(bytes([len(context)]) + context + capability).digest())


class Simulator:
    """APNs, with keys of its own in `folder`."""

    def __init__(self, folder, *options):
        self.folder = os.path.join(folder, "simulator")
        words = ["simulate", "--json", "--port", "0", "--device-port", "0", "--control-port", "0", "--app", APP]
        self.child = Child("simulator", [program("sealedpush"), *words, "--folder", self.folder, *options])
        self.ready = self.child.await_named("ready")
        self.keys = self.child.await_named("keys")

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.ready["control-port"])
        content = json.dumps(body) if body is not None else None
        connection.request(method, path, content, {"authorization": f"bearer {self.ready['control-bearer']}"})
        return json.loads(connection.getresponse().read() or b"null")

    def enrol(self):
        """A new device's number and token."""
        answer = self.call("POST", "/v1/devices", {"topic": APP})
        return answer["device"], answer["token"]

    def remove_app(self, number):
        self.call("POST", f"/v1/devices/{number}/state", {"state": "app-removed"})


class Sender:
    """One device's keys, and a sender that seals to them."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "keys")
        run(program("sealedpush"), "keygen", "device", "--topic", APP, "--out", self.folder)
        run(program("sealedpush"), "keygen", "sender", "--out", self.folder)
        with open(os.path.join(self.folder, "device.bundle")) as file:
            self.bundle = file.read().strip()
        with open(os.path.join(self.folder, "identity.pub")) as file:
            self.identity = file.read().strip()

    def seal(self, text):
        """The sealed field of a message with this text."""
        return self.seal_message({"body": text})

    def seal_call(self, text):
        """The sealed field of a call with this text for the app."""
        return self.seal_message({"op": "call", "call": text}, "--class", "call")

    def seal_message(self, message, *options):
        payload = run(
            *[program("sealedpush"), "seal", "-", "--topic", APP],
            *["--sender-key", os.path.join(self.folder, "sender.key")],
            *["--bundle", os.path.join(self.folder, "device.bundle")],
            *["--identity", os.path.join(self.folder, "identity.pub")],
            *options,
            input=json.dumps(message),
        )
        return json.loads(payload)["sealed"]


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.fields = response.getheaders()
        self.raw = response.read()

    @property
    def body(self):
        return json.loads(self.raw)


class Service:
    """`sealedpushd` with its files in `folder`. Tenants: acme, which may do everything, and other."""

    TLS_ADDRESS = "127.0.0.2"  # the loopback port is 127.0.0.1's

    def __init__(self, folder, simulator):
        self.folder, self.simulator = folder, simulator
        self.program = program("sealedpushd")
        self.file = os.path.join(folder, "sealedpushd.json")
        self.database = os.path.join(folder, "store.sqlite")
        self.token_key = os.path.join(folder, "token.key")
        self.certificate = os.path.join(folder, "tls.pem")
        run(self.program, "make-key", self.token_key)
        self.make_certificate()
        self.keys, hashes = {}, {}
        for name in ("acme", "send-only", "other"):
            self.keys[name], hashes[name] = self.make_api_key()
        self.configuration = self.configure(hashes)
        self.child = None
        self.variables = {}

    def make_certificate(self):
        key = os.path.join(self.folder, "tls.key")
        run(
            *["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
            *["-noenc", "-days", "30"],
            *["-subj", "/CN=localhost", "-keyout", key, "-out", self.certificate],
            *["-addext", f"subjectAltName=DNS:localhost,DNS:push.example.com,IP:127.0.0.1,IP:{self.TLS_ADDRESS}"],
        )
        os.chmod(key, 0o600)

    def make_api_key(self):
        """A key and its hash, which must be that of docs/service.md."""
        printed = run(self.program, "make-api-key")
        key = re.search(r"spk_[A-Za-z0-9_-]{43}", printed).group()
        hashed = base64url(hashlib.sha256(b"SealedPush/1 API key" + key.encode()).digest())
        if hashed not in printed:
            raise SystemExit("make-api-key prints another hash than docs/service.md says")
        return key, hashed

    def configure(self, hashes):
        everything = ["send", "manage", "read", "metrics"]
        app = {
            "bundle-id": APP,
            "environment": "sandbox",
            "credential": {
                "key-file": os.path.join(self.simulator.folder, "provider.p8"),
                "key-id": self.simulator.keys["key-id"],
                "team-id": self.simulator.keys["team-id"],
            },
            "endpoint": {
                "host": "localhost",
                "port": self.simulator.ready["push-port"],
                "authorities-file": os.path.join(self.simulator.folder, "ca.pem"),
            },
            "placeholder": {"body": "You have a new message"},
            "receipts": True,
        }
        tenant = {"quota-per-day": 1_000_000_000, "requests-per-second": 1_000_000}
        return {
            "listen": [{"address": self.TLS_ADDRESS, "port": 0}],
            "loopback-port": 0,
            "tls": {"certificate-file": self.certificate, "key-file": os.path.join(self.folder, "tls.key")},
            "database-file": self.database,
            "token-key-file": self.token_key,
            "limits": {
                "requests-per-second-of-address": 1_000_000,
                "pushes-per-minute-of-device": 60_000,
                "push-burst-of-device": 1_000,
            },
            "tenants": [
                {
                    "id": "acme",
                    "keys": [
                        {"name": "all", "hash": hashes["acme"], "scopes": everything},
                        {"name": "send-only", "hash": hashes["send-only"], "scopes": ["send"]},
                    ],
                    "allows-clear-text": True,
                    "apps": [app],
                    **tenant,
                },
                {
                    "id": "other",
                    "keys": [{"name": "all", "hash": hashes["other"], "scopes": everything}],
                    "apps": [app],
                    **tenant,
                },
            ],
        }

    def write_configuration(self):
        with open(self.file, "w") as file:
            json.dump(self.configuration, file, indent=2)

    def start(self):
        self.write_configuration()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SEALEDPUSH")}
        environment.update(self.variables)
        self.child = Child("sealedpushd", [self.program, "--config", self.file], env=environment)
        self.child.await_named("ready")
        listening = self.child.events("listening")
        ports = {event["address"]: int(event["port"]) for event in listening if "for" not in event}
        self.dashboard_ports = [int(event["port"]) for event in listening if event.get("for") == "dashboard"]
        self.port, self.tls_port = ports["127.0.0.1"], ports[self.TLS_ADDRESS]

    def call(self, method, path, body=None, key="acme", fields=(), tls=False):
        """One request, over HTTP/1.1; `key` is a name of `keys`, or None."""
        if tls:
            trust = ssl.create_default_context(cafile=self.certificate)
            connection = http.client.HTTPSConnection(self.TLS_ADDRESS, self.tls_port, context=trust)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
        fields = dict(fields)
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            fields.setdefault("content-type", "application/json")
        if key is not None:
            fields["authorization"] = f"Bearer {self.keys[key]}"
        connection.request(method, path, content, fields)
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def expect(self, status, method, path, body=None, **options):
        """The same, when only one answer is right."""
        answer = self.call(method, path, body, **options)
        if answer.status != status:
            raise SystemExit(f"{method} {path}: expected {status}, got {answer.status}: {answer.raw[:400]!r}")
        return answer

    def register(self, device, token, sender, key="acme"):
        body = {"token": token, "topic": APP, "environment": "sandbox", "bundle": sender.bundle}
        return self.call("PUT", f"/v1/devices/{device}", body, key=key)

    def await_attempts(self, count):
        """Until the log has so many attempts' lines."""
        self.child.await_event(
            lambda _: len(self.child.events("attempt")) >= count, f"the line of attempt {count}"
        )


def new_capability():
    return secrets.token_bytes(16)
