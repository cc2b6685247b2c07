"""A phone, a sidecar, a host of attachments and a receiver of webhooks whose files stay in a folder."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .programs import PATIENCE, Child, await_true, program
from .service import APP, Answer

PLACEHOLDER = "You have a new message"


class Phone:
    """A device with an app that keeps keys and replay window, and comes back with its token."""

    def __init__(self, folder, simulator, senders):
        self.folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)
        token = os.path.join(folder, "token")
        words = ["device", "--json", "--topic", APP, "--folder", os.path.join(folder, "app"), "--senders", senders]
        words += ["--server", f"localhost:{simulator.ready['device-port']}"]
        words += ["--ca", os.path.join(simulator.folder, "ca.pem")]
        if os.path.exists(token):
            words += ["--token", token]
        else:
            words += ["--token-out", token, "--registration-out", self.path("registration")]
            words += ["--bundle-out", self.path("bundle"), "--identity-out", self.path("identity")]
            words += ["--register", f"liveactivity:order-7={self.path('activity.token')}"]
            words += ["--register", f"voip={self.path('voip.token')}"]
        self.child = Child("the phone", [program("sealedpush"), *words])
        self.child.await_named("ready")

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read().strip()

    def await_shown(self, body):
        shown = self.child.await_event(
            lambda event: event.get("event") == "shown" and event.get("body") in (body, PLACEHOLDER),
            f"'{body}' on the screen",
        )
        if shown["body"] != body:
            raise SystemExit(f"the phone shows the placeholder, not '{body}': {shown['why']}")


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Sidecar:
    """`sealedpush-sidecar` with the configuration in `file`."""

    def __init__(self, file):
        with open(file) as opened:
            self.socket = json.load(opened)["socket"]["path"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SEALEDPUSH")}
        self.child = Child("sealedpush-sidecar", [program("sealedpush-sidecar"), "--config", file], env=environment)
        self.child.await_named("listening")

    def call(self, method, path, body=None, **fields):
        connection = SocketConnection(self.socket)
        if body is not None:
            body = json.dumps(body)
            fields["content-type"] = "application/json"
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def send(self, text, recipient):
        """The message's id and its recipient's state."""
        answer = self.call("POST", "/v1/messages", {"message": {"body": text}, "recipients": [recipient]})
        if answer.status != 202:
            raise SystemExit(f"the sidecar answers {answer.status}: {answer.raw[:400]!r}")
        return answer.body["id"], answer.body["recipients"][0]

    def await_state(self, id, state):
        def found():
            answer = self.call("GET", f"/v1/messages/{id}")
            return answer.status != 200 or answer.body["recipients"][0]["state"] == state

        await_true(found, f"the state '{state}' of the sidecar's message")
        answer = self.call("GET", f"/v1/messages/{id}")
        if answer.status != 200:
            raise SystemExit(f"the sidecar has no message {id} any more: {answer.status}")


class Host:
    """`sealedpush-blobs` with its folder, a tenant, and the relay's certificate."""

    def __init__(self, folder, certificate, key):
        self.folder = folder
        words = ["serve", "--json", "--port", "0", "--folder", os.path.join(folder, "files")]
        words += ["--tenants", os.path.join(folder, "tenants"), "--certificate", certificate, "--certificate-key", key]
        self.child = Child("sealedpush-blobs", [program("sealedpush-blobs"), *words])
        self.address = f"https://localhost:{self.child.await_event(lambda event: 'port' in event, 'its port')['port']}"


class HookReceiver:
    """Takes webhooks and checks their signatures as docs/webhooks.md says, but for the time: its clock is another."""

    def __init__(self, secret):
        key = base64.b64decode(secret.removeprefix("whsec_") + "==")
        self.change, self.events = threading.Condition(), []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
                expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
                with receiver.change:
                    receiver.events.append((expected in self.headers["webhook-signature"].split(" "), json.loads(body)))
                    receiver.change.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"

    def await_event(self, name, apns_id):
        fits = lambda event: (event["event"], event["apns-id"]) == (name, apns_id)
        with self.change:
            found = lambda: [(signed, event) for signed, event in self.events if fits(event)]
            if not self.change.wait_for(found, PATIENCE):
                raise SystemExit(f"no webhook '{name}' came; {len(self.events)} others did")
            signed, event = found()[0]
            if not signed:
                raise SystemExit(f"the webhook '{name}' is not signed with the tenant's secret")
            return event
