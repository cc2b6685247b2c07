"""Two servers that the publisher does not know push to one phone, each to an endpoint that the phone gave it.

One server is PyPI's pywebpush, unmodified, the other RFC 8291 written out below; relay, simulator and phone are processes,
the phone's extension an app team's own. The phone enrols itself, with a ticket that `sealedpush ticket` signed. Both
messages are shown. A flood of one server ends at its own limit, and the other's message is shown next. One endpoint is
revoked, another blocked by the publisher, and their servers get 410. The publisher sees counts alone.

    Tests/Conformance/Service/gateway [--tell]     with what happens, for `make demo-gateway`
"""

import base64
import hashlib
import json
import os
import secrets
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import pywebpush  # noqa: E402
import requests  # noqa: E402
from cryptography.hazmat.primitives import hashes  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402
from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: E402
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: E402
from black_box.programs import Child, program  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator, base64url  # noqa: E402

KEY = "spd_" + base64url(secrets.token_bytes(32))
TEXTS = [("Mastodon", "Grace mentioned you"), ("Matrix", "Ada wrote in #computing"), ("Matrix", "and once more")]
# Half of what a device gets at once.
FLOOD_COUNT = 10


def tell(what):
    if "--tell" in sys.argv:
        print(what, flush=True)


def check(is_so, what):
    if not is_so:
        sys.exit(f"gateway: {what}")


class Phone:
    """Its extension shows Web Push; its app takes a token from the simulator."""

    def __init__(self, folder, simulator, sender):
        self.folder = folder
        file = self.path
        self.child = Child(
            "phone",
            [
                *[program("sealedpush"), "device", "--json", "--topic", APP, "--folder", file("phone")],
                *["--server", f"localhost:{simulator.ready['device-port']}"],
                *["--ca", os.path.join(simulator.folder, "ca.pem")],
                *["--senders", os.path.join(sender.folder, "sender.pub")],
                *["--extension", program("EndToEndExtension")],
                *["--registration-out", file("registration"), "--web-push-out", file("subscription")],
            ],
        )
        self.child.await_named("ready")
        self.registration = self.read("registration")
        self.keys = self.read("subscription")

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def await_shown(self, count):
        self.child.await_event(lambda _: len(self.child.events("shown")) >= count, f"message {count} on the screen")
        return [(event["title"], event["body"]) for event in self.child.events("shown")]


class Server:
    """Knows an endpoint and the subscription's keys; nothing of devices, tokens or Apple."""

    def __init__(self, endpoint, keys, certificate):
        self.subscription = {"endpoint": endpoint, "keys": keys}
        self.session = requests.Session()
        # The environment may name other authorities and proxies.
        self.session.trust_env = False
        self.session.verify = certificate

    def push(self, title, body, **fields):
        return pywebpush.webpush(
            self.subscription,
            json.dumps({"title": title, "body": body}),
            ttl=3600,
            requests_session=self.session,
            **fields,
        )


def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class OwnServer(Server):
    """RFC 8291 and 8188 by hand: no library of Web Push."""

    def push(self, title, body, **fields):
        peer, auth = (unbase64url(self.subscription["keys"][name]) for name in ("p256dh", "auth"))
        key, salt = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        secret = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), peer))

        def derive(salt, secret, info, length):
            return HKDF(hashes.SHA256(), length, salt, info).derive(secret)

        secret = derive(auth, secret, b"WebPush: info\0" + peer + point, 32)
        content_key = derive(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(salt, secret, b"Content-Encoding: nonce\0", 12)
        text = json.dumps({"title": title, "body": body}).encode() + b"\2"
        record = salt + struct.pack(">IB", 4096, len(point)) + point + AESGCM(content_key).encrypt(nonce, text, None)
        return self.session.post(
            self.subscription["endpoint"],
            data=record,
            headers={"TTL": "3600", "Content-Encoding": "aes128gcm", **fields},
        )


def device_call(service, method, path, body=None):
    return service.call(method, path, body, key=None, fields={"authorization": f"Bearer {KEY}"})


def enrol(service, phone, folder):
    """The phone registers itself, with a ticket of the app's back end."""
    hashed = base64url(hashlib.sha256(b"SealedPush/1 endpoint key" + KEY.encode()).digest())
    ticket = subprocess.run(
        [
            *[program("sealedpush"), "ticket", "--sender-key", os.path.join(folder, "enrolment", "sender.key")],
            *["--origin", "https://push.example.com", "--registration", phone.path("registration")],
            *["--endpoint-key-hash", hashed],
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    with open(phone.path("registration"), "rb") as file:
        registration = base64url(file.read())
    refused = device_call(service, "POST", "/v1/enrolments", {"registration": registration})
    check(refused.status == 403, f"an enrolment without a ticket was answered {refused.status}")
    enrolled = device_call(service, "POST", "/v1/enrolments", {"registration": registration, "ticket": ticket})
    check(enrolled.status == 201, f"the enrolment was answered {enrolled.status}: {enrolled.raw}")
    return enrolled.body["id"], ticket


def flood(server):
    accepted, start = 0, time.monotonic()
    for number in range(40):
        try:
            server.push("Flood", str(number))
            accepted += 1
        except pywebpush.WebPushException as error:
            check(error.response.status_code == 429, f"a flood was answered {error.response.status_code}")
            check("Retry-After" in error.response.headers, "a 429 has no Retry-After")
    return accepted, time.monotonic() - start


def main():
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(folder)
        sender = Sender(folder)
        service = Service(folder, simulator)
        # The other tenant has the same app, without a gateway.
        app = dict(service.configuration["tenants"][0]["apps"][0])
        service.configuration["tenants"][0]["apps"] = [app]
        subprocess.run([program("sealedpush"), "keygen", "sender", "--out", os.path.join(folder, "enrolment")], check=True)
        with open(os.path.join(folder, "enrolment", "sender.pub")) as file:
            public_key = file.read().strip().rpartition(":")[2]
        rule = {"by": "ticket", "public-keys": [public_key]}
        app["gateway"] = {"origin": "https://push.example.com", "enrolment": rule}
        # The defaults: a device gets 20 pushes at once.
        for name in ("pushes-per-minute-of-device", "push-burst-of-device"):
            del service.configuration["limits"][name]
        service.start()
        phone = None
        try:
            phone = Phone(folder, simulator, sender)
            device, ticket = enrol(service, phone, folder)
            tell(f"The phone enrolled with a ticket of its app's back end; the relay calls it {device}.")
            made = [device_call(service, "POST", "/v1/endpoints", {}) for _ in range(2)]
            check([answer.status for answer in made] == [201, 201], "no endpoints were made")
            # The relay's name resolves nowhere here.
            origin = f"https://{Service.TLS_ADDRESS}:{service.tls_port}"
            urls = [answer.body["endpoint"] for answer in made]
            check(all(url.startswith("https://push.example.com/wp/") for url in urls), "the origin is not the one configured")
            urls = [url.replace("https://push.example.com", origin) for url in urls]
            ids = [answer.body["id"] for answer in made]
            tell(f"It gave an endpoint to each of two servers: {ids[0]}, {ids[1]}.")
            mastodon = Server(urls[0], phone.keys, service.certificate)
            matrix = OwnServer(urls[1], phone.keys, service.certificate)
            answer = mastodon.push(*TEXTS[0], headers={"Urgency": "high"})
            check((answer.status_code, answer.headers["TTL"]) == (201, "3600"), f"the push was answered {answer}")
            check("Location" in answer.headers, "the answer has no Location")
            check(phone.await_shown(1) == TEXTS[:1], "the first message is not what was sent")
            answer = matrix.push(*TEXTS[1])
            check(answer.status_code == 201, f"the second server's push was answered {answer}: {answer.text}")
            check(phone.await_shown(2) == TEXTS[:2], "the second message is not what was sent")
            for server, (title, body) in zip(("pywebpush", "the other"), TEXTS):
                tell(f"Shown, from {server}: {title}: {body}")
            accepted, seconds = flood(mastodon)
            # One more for every two seconds that the flood takes.
            most = FLOOD_COUNT + 1 + int(seconds / 2)
            check(FLOOD_COUNT - 1 <= accepted <= most, f"of a flood {accepted} pushes were taken in {seconds:.1f} s")
            matrix.push(*TEXTS[2])
            # In the order of their coming: nothing of the flood is behind it.
            shown = phone.await_shown(3 + accepted)
            check(shown.index(TEXTS[2]) == len(shown) - 1, "the other server's message waited for the flood's")
            tell(f"A flood of 40 pushes: {accepted} were taken, and the other server's next message came right behind.")
            check(device_call(service, "DELETE", f"/v1/endpoints/{ids[0]}").status == 204, "no endpoint was revoked")
            try:
                mastodon.push("Mastodon", "after the end")
                sys.exit("gateway: a revoked endpoint took a push")
            except pywebpush.WebPushException as error:
                check(error.response.status_code == 410, f"a revoked endpoint answered {error.response.status_code}")
            tell("The phone revoked the first server's endpoint: 410.")
            view = service.expect(200, "GET", "/v1/gateway")
            counts = {one["id"]: (one["accepted"], one["refused"]) for one in view.body["busiest"]}
            check(counts == {ids[0]: (1 + accepted, 40 - accepted), ids[1]: (2, 0)}, f"the publisher sees {counts}")
            tell("The publisher sees: " + ", ".join(f"{id}: {a} taken, {b} refused" for id, (a, b) in counts.items()) + ".")
            service.expect(204, "PUT", f"/v1/gateway/blocks/{ids[1]}")
            check(matrix.push("Matrix", "blocked").status_code == 410, "a blocked server was let in")
            tell("The publisher blocked the second one: 410.")
            listed = service.expect(200, "GET", f"/v1/devices/{device}/endpoints")
            check([one["blocked"] for one in listed.body["endpoints"]] == [True], f"the publisher sees {listed.raw}")
            said = service.expect(200, "GET", "/v1/metrics").raw.decode() + view.raw.decode() + listed.raw.decode()
            service.child.stop()
            said += service.child.output().decode()
            words = [url.rsplit("/", 1)[1] for url in urls] + [word for text in TEXTS for word in text] + [KEY, ticket]
            check(not [word for word in words if word in said], "the log or the metrics have a URL, a key or a text")
        finally:
            for child in (phone and phone.child, service.child, simulator.child):
                if child:
                    child.stop()
    print("gateway: two servers' messages are shown, a flood delays none, and a revoked endpoint is gone")


if __name__ == "__main__":
    main()
