"""A relay with a thousand registered devices, Apple's stand-in behind it, and a sidecar beside it."""

import http.client
import json
import os
import socket
import sys
import time

from black_box.programs import PATIENCE, Child, program
from black_box.service import APP, Service, Simulator, base64url
from sealedpush import FilePins, Message, Problem, RelayClient, SenderKey, prepare, seal
from sealedpush.encoding import DAY
from tests.device import Device

from . import environment


def until(found, what):
    """Asks again until `found` returns something. A program that says nothing of it by itself is asked."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = found()
        if result:
            return result
        time.sleep(0.2)
    sys.exit(f"{what} did not come in {PATIENCE} s")


class FleetDevice:
    """A phone that is never switched on: an identity, a signed bundle, and a token of the simulator."""

    def __init__(self, name, now):
        device = Device()
        self.name, self.identity = name, device.identity
        entry = device.entry(not_before=now, not_after=now + 59 * DAY)
        self.bundle = device.bundle(epoch=now, issued_at=now, entries=[entry])

    def recipient(self):
        return {"device": self.name, "identity": self.identity.text}


class Fleet:
    def __init__(self, folder, stack, count):
        self.folder, self.stack = folder, stack
        self.sender = SenderKey()
        self.sender.save(self.path("sender.key"))
        self.simulator = Simulator(folder)
        stack.callback(self.simulator.child.stop)
        self.service = Service(folder, self.simulator)
        self.service.start()
        stack.callback(self.service.child.stop)
        self.key = self.service.keys["acme"]
        self.write("relay.key", self.key + "\n")
        now = time.time_ns() // 1_000_000
        self.devices = [FleetDevice(f"d{number}", now) for number in range(count)]
        self.numbers = {}
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port)
        for device in self.devices:
            self.numbers[device.name], token = self.simulator.enrol()
            body = {"token": token, "topic": APP, "environment": "sandbox", "bundle": base64url(device.bundle)}
            self.ask(connection, "PUT", f"/v1/devices/{device.name}", body, 201)
        connection.close()
        self.registered = time.time()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(os.open(self.path(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)

    @property
    def url(self):
        return f"https://{Service.TLS_ADDRESS}:{self.service.tls_port}"

    def client(self):
        return RelayClient(self.url, self.key, ca_file=self.service.certificate)

    def ask(self, connection, method, path, body, expected):
        fields = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body else None, fields)
        response = connection.getresponse()
        content = response.read()
        if response.status != expected:
            sys.exit(f"the relay answered {response.status} to {method} {path}: {content.decode()[:400]}")
        return json.loads(content)

    def kill(self, device):
        """Its app is gone. Returns when the relay has learnt that from Apple, by a push."""
        # Apple's time of a removal has whole seconds. A registration in the same one would count as later.
        until(lambda: time.time() > self.registered + 1, "the next second")
        self.simulator.remove_app(self.numbers[device.name])
        recipient = FilePins(self.path("pins")).recipient(device.bundle, device.identity, APP)
        relay = self.client()

        def is_refused():
            sealed = seal(self.sender, prepare(Message(body="Are you there?")), recipient)
            try:
                self.ended([relay.send([(device.name, sealed)], topic=APP)[0].id])
            except Problem as problem:
                return problem.errors
            return None

        until(is_refused, f"the relay's refusal of the dead device {device.name}")

    def ended(self, ids):
        """The states of notifications, each ended."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port)

        def state(id):
            state = self.ask(connection, "GET", f"/v1/notifications/{id}", None, 200)
            return state if state["state"] not in ("queued", "sending", "parked") else None

        states = [until(lambda: state(id), f"the end of notification {id}") for id in ids]
        connection.close()
        return states

    def sidecar(self, name="sidecar", database=None):
        return Sidecar(self, name, database)


class Sidecar:
    """`sealedpush-sidecar` with a file of its own, and its back end's side of the socket."""

    def __init__(self, fleet, name, database=None):
        self.socket = fleet.path(name + ".sock")
        self.database = database or fleet.path(name + ".sqlite")
        relay = {"url": fleet.url, "key-file": fleet.path("relay.key"), "authorities-file": fleet.service.certificate}
        configuration = {
            "socket": {"path": self.socket},
            "database-file": self.database,
            "topic": APP,
            "sender-key-file": fleet.path("sender.key"),
            "relay": relay,
        }
        fleet.write(name + ".json", json.dumps(configuration))
        words = [program("sealedpush-sidecar"), "--config", fleet.path(name + ".json")]
        self.child = Child(name, words, env=environment())
        fleet.stack.callback(self.child.stop)
        self.child.await_named("ready")

    @property
    def process(self):
        return self.child.process.pid

    def call(self, method, path, body=None):
        connection = UnixConnection(self.socket)
        connection.request(method, path, json.dumps(body) if body is not None else None)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status not in (200, 202):
            sys.exit(f"the sidecar answered {response.status} to {method} {path}: {content.decode()[:400]}")
        return content

    def send(self, text, recipients):
        """The message's id."""
        body = {"message": {"title": "Anna", "body": text}, "recipients": recipients}
        return json.loads(self.call("POST", "/v1/messages", body))["id"]

    def settled(self, id):
        """What became of each recipient, when none waits."""

        def recipients():
            listed = json.loads(self.call("GET", f"/v1/messages/{id}"))["recipients"]
            return listed if all(one["state"] != "queued" for one in listed) else None

        return until(recipients, "the relay's answer for every recipient of the sidecar's message")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)
