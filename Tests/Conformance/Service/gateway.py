"""Servers that the publisher does not know push to one phone, each to an endpoint that the phone gave it.

The servers are PyPI's pywebpush, unmodified, and RFC 8291 written out below; relay, simulator and phone are processes, the
phone's extension an app team's own. The phone enrols itself, with a ticket that `sealedpush ticket` signed. Each
endpoint has keys of its own, one is for a server's VAPID key alone. A message of a draft's coding, one too long for a
push, an envelope of the app's own sender and a push without a body are shown too. A flood of one server ends at its own
limit, and another's message is shown next. One endpoint is revoked, another blocked by the publisher, and their servers get 410. The publisher sees counts alone.

    Tests/Conformance/Service/gateway [--tell]     with what happens, for `make demo-gateway`
"""

import base64
import json
import os
import secrets
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import py_vapid  # noqa: E402
import pywebpush  # noqa: E402
import requests  # noqa: E402
from black_box.programs import Child, await_true, program  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator, base64url  # noqa: E402
from cryptography.hazmat.primitives import hashes  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402
from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: E402
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: E402

ORIGIN = "https://push.example.com"
TEXTS = [("Mastodon", "Grace mentioned you"), ("Matrix", "Ada wrote in #computing"), ("Own", "and once more")]
# Half of what a device gets at once.
FLOOD_COUNT = 10


def tell(what):
    if "--tell" in sys.argv:
        print(what, flush=True)


def check(is_so, what):
    if not is_so:
        sys.exit(f"gateway: {what}")


class Phone:
    """Its extension shows Web Push; its app takes a token from the simulator, enrols, and gives endpoints to servers."""

    def __init__(self, folder, simulator, sender, service, *more):
        self.folder = folder
        self.child = Child("phone", self.command(simulator, sender, service, *more))
        self.child.await_named("ready")

    def command(self, simulator, sender, service, *more):
        file = self.path
        with open(file("authorities"), "w") as authorities:
            for path in (os.path.join(simulator.folder, "ca.pem"), service.certificate):
                with open(path) as certificate:
                    authorities.write(certificate.read())
        return [
            *[program("sealedpush"), "device", "--json", "--topic", APP, "--folder", file("phone")],
            *["--server", f"localhost:{simulator.ready['device-port']}", "--ca", file("authorities")],
            *["--relay", f"{service.TLS_ADDRESS}:{service.tls_port}"],
            *["--senders", os.path.join(sender.folder, "sender.pub")],
            *["--extension", program("EndToEndExtension"), *more],
        ]

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def await_file(self, name):
        await_true(lambda: os.path.exists(self.path(name)), name)
        return self.read(name)

    def await_shown(self, count):
        self.child.await_event(lambda _: len(self.child.events("shown")) >= count, f"message {count} on the screen")
        return self.child.events("shown")[count - 1]


class Server:
    """Knows a subscription; nothing of devices, tokens or Apple."""

    def __init__(self, subscription, origin, certificate, vapid=None):
        # The relay's name resolves nowhere here.
        self.subscription = {**subscription, "endpoint": subscription["endpoint"].replace(ORIGIN, origin)}
        self.vapid = vapid
        self.session = requests.Session()
        # The environment may name other authorities and proxies.
        self.session.trust_env = False
        self.session.verify = certificate

    def push(self, text, audience=ORIGIN, lifetime=3600, **fields):
        claims = {"aud": audience, "exp": int(time.time()) + lifetime, "sub": "mailto:admin@example.com"}
        signing = {"vapid_private_key": self.vapid, "vapid_claims": claims} if self.vapid else {}
        body = json.dumps({"title": text[0], "body": text[1]})
        try:
            return pywebpush.webpush(
                self.subscription, body, ttl=3600, requests_session=self.session, **signing, **fields
            ).status_code
        except pywebpush.WebPushException as error:
            return error.response.status_code


def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class OwnServer(Server):
    """RFC 8291 and 8188 by hand: no library of Web Push."""

    def push(self, text, **fields):
        peer, auth = (unbase64url(self.subscription["keys"][name]) for name in ("p256dh", "auth"))
        key, salt = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        secret = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), peer))

        def derive(salt, secret, info, length):
            return HKDF(hashes.SHA256(), length, salt, info).derive(secret)

        secret = derive(auth, secret, b"WebPush: info\0" + peer + point, 32)
        content_key = derive(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(salt, secret, b"Content-Encoding: nonce\0", 12)
        message = json.dumps({"title": text[0], "body": text[1]}).encode() + b"\2"
        record = salt + struct.pack(">IB", 4096, len(point)) + point + AESGCM(content_key).encrypt(nonce, message, None)
        return self.session.post(
            self.subscription["endpoint"],
            data=record,
            headers={"TTL": "3600", "Content-Encoding": "aes128gcm", **fields},
        ).status_code


def key_text(vapid):
    return base64url(vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def enrol(phone, folder, around, *options):
    """The phone registers itself, with a ticket of its app's back end.

    Returns the phone, its name at the relay, and what only it may know."""
    phone.child.stop()
    ticket = subprocess.run(
        [
            *[program("sealedpush"), "ticket", "--sender-key", os.path.join(folder, "enrolment", "sender.key")],
            *["--origin", ORIGIN, "--registration", phone.path("registration")],
            *["--endpoint-key-hash", phone.read("endpoint-key")["hash"]],
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    with open(phone.path("ticket"), "w") as file:
        file.write(ticket)
    with open(phone.path("phone/SealedPush-endpoint-key")) as file:
        key = file.read()
    options = ["--token", phone.path("token"), *options, "--enrol"]
    refused = subprocess.run(phone.command(*around, *options, "open"), capture_output=True, text=True)
    check(refused.returncode == 1 and "(403)" not in refused.stdout, "a phone enrolled without a ticket")
    check("refused the enrolment with 403" in refused.stderr, f"an enrolment without a ticket: {refused.stderr}")
    phone = Phone(folder, *around, *options, phone.path("ticket"))
    return phone, "e-" + base64url(unbase64url(phone.read("endpoint-key")["hash"])[:16]), [key, ticket.strip()]


def seal(phone, sender, text):
    """An envelope of the app's own sender for this phone."""
    payload = subprocess.run(
        [
            *[program("sealedpush"), "seal", "-", "--topic", APP],
            *["--sender-key", os.path.join(sender.folder, "sender.key")],
            *["--bundle", phone.path("bundle"), "--identity", phone.path("identity")],
        ],
        check=True,
        capture_output=True,
        text=True,
        input=json.dumps({"title": text[0], "body": text[1]}),
    ).stdout
    return unbase64url(json.loads(payload)["sealed"])


def push_all(phone, sender, mastodon, matrix):
    """What each server may send, and what it may not."""
    check(mastodon.push(TEXTS[0], headers={"Urgency": "high"}) == 201, "the first push was refused")
    shown = phone.await_shown(1)
    check((shown["title"], shown["body"]) == TEXTS[0], "the first message is not what was sent")
    check(shown["subtitle"] == "Mastodon", "the server has not the name that the app gave it")
    for refused in (
        (401, Server({**matrix.subscription}, "", matrix.session.verify).push(TEXTS[1])),
        (403, matrix.push(TEXTS[1], audience="https://other.example.com")),
        (403, matrix.push(TEXTS[1], lifetime=2 * 86400)),
    ):
        check(refused[0] == refused[1], f"a push under the wrong key or token was answered {refused[1]}")
    check(matrix.push(TEXTS[1]) == 201, "a signed push was refused")
    shown = phone.await_shown(2)
    check((shown["title"], shown["body"]) == TEXTS[1], "the second message is not what was sent")
    draft = Server(matrix.subscription, "", matrix.session.verify, py_vapid.Vapid01(matrix.vapid.private_key))
    check(draft.push(TEXTS[0], content_encoding="aesgcm") == 201, "a push of the draft was refused")
    check(phone.await_shown(3)["body"] == TEXTS[0][1], "a message of the draft is not what was sent")
    # GoToSocial's library fills each record up to 4,096 bytes.
    for number, (server, fields) in enumerate(((mastodon, {}), (draft, {"content_encoding": "aesgcm"})), start=4):
        check(server.push(("Long", "a" * 3_900), **fields) == 201, "a long record was refused")
        check(phone.await_shown(number)["body"].startswith("a" * 1_000), "a long record is not what was sent")


    envelope = seal(phone, sender, ("Signed", "by a sender of the app's"))
    sealed = {"TTL": "3600", "Content-Type": "application/vnd.sealedpush.envelope"}
    endpoint = mastodon.subscription["endpoint"]
    check(mastodon.session.post(endpoint, data=envelope, headers=sealed).status_code == 201, "an envelope was refused")
    shown = phone.await_shown(6)
    check(shown["title"] == "Signed", f"an envelope was shown as {shown}")
    check(mastodon.session.post(endpoint, headers={"TTL": "3600"}).status_code == 201, "an empty push was refused")
    shown = phone.await_shown(7)
    check(shown["title"] or shown["body"], f"an empty push was shown as {shown}")


def flood(phone, server, other):
    """The other server's message is shown right behind what was taken of the flood."""
    before = len(phone.child.events("shown"))
    start = time.monotonic()
    answers = [server.push(("Flood", str(number))) for number in range(40)]
    seconds = time.monotonic() - start
    check(set(answers) == {201, 429}, f"a flood was answered {sorted(set(answers))}")
    accepted = answers.count(201)
    # One more for every two seconds that the flood takes; some were used before, of this server and of others.
    most = FLOOD_COUNT + 1 + int(seconds / 2)
    check(1 <= accepted <= most, f"of a flood {accepted} pushes were taken in {seconds:.1f} s")
    check(other.push(TEXTS[2]) == 201, "the other server was refused")
    shown = phone.await_shown(before + accepted + 1)
    check((shown["title"], shown["body"]) == TEXTS[2], "the other server's message waited for the flood's")
    tell(f"A flood of 40 pushes: {accepted} were taken, and another server's message came right behind.")
    return accepted


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
        app["gateway"] = {"origin": ORIGIN, "allows-aesgcm": True, "enrolment": rule}
        # The defaults: a device gets 20 pushes at once.
        for name in ("pushes-per-minute-of-device", "push-burst-of-device"):
            del service.configuration["limits"][name]
        service.start()
        vapid = py_vapid.Vapid()
        vapid.generate_keys()
        phone = None
        try:
            file = lambda name: os.path.join(folder, name)  # noqa: E731
            around = (simulator, sender, service)
            phone = Phone(
                *[folder, *around, "--token-out", file("token"), "--bundle-out", file("bundle")],
                *["--registration-out", file("registration"), "--endpoint-key-out", file("endpoint-key")],
                *["--identity-out", file("identity")],
            )
            phone, device, said_to_none = enrol(
                *[phone, folder, around, "--endpoint", f"Mastodon={file('mastodon')}"],
                *["--endpoint", f"Own={file('own')}", "--endpoint", f"Matrix,{key_text(vapid)}={file('matrix')}"],
            )
            tell(f"The phone enrolled with a ticket of its app's back end; the relay calls it {device}.")
            subscriptions = [phone.await_file(name) for name in ("mastodon", "matrix", "own")]
            check(all(s["endpoint"].startswith(ORIGIN + "/wp/") for s in subscriptions), "the origin is another")
            check(subscriptions[0]["keys"] != subscriptions[1]["keys"], "two servers have the same keys")
            origin = f"https://{Service.TLS_ADDRESS}:{service.tls_port}"
            mastodon = Server(subscriptions[0], origin, service.certificate)
            matrix = Server(subscriptions[1], origin, service.certificate, vapid)
            own = OwnServer(subscriptions[2], origin, service.certificate)
            push_all(phone, sender, mastodon, matrix)
            tell("Shown, from two servers with pywebpush: " + ", ".join(": ".join(text) for text in TEXTS[:2]) + ".")
            accepted = flood(phone, mastodon, own)
            view = service.expect(200, "GET", "/v1/gateway")
            counts = {(one["accepted"], one["refused"]): one["id"] for one in view.body["busiest"]}
            check({(4 + accepted, 40 - accepted), (1, 0)} <= set(counts), f"the publisher sees {counts}")
            told = (f"{id}: {taken} taken, {refused} refused" for (taken, refused), id in counts.items())
            tell("The publisher sees: " + "; ".join(told) + ".")
            phone.child.stop()
            phone = Phone(folder, simulator, sender, service, "--token", file("token"), "--revoke-endpoint", "Mastodon")
            await_true(lambda: mastodon.push(("Mastodon", "after the end")) == 410, "the revoked endpoint's 410")
            tell("The phone revoked the first server's endpoint: 410.")
            service.expect(204, "PUT", f"/v1/gateway/blocks/{counts[1, 0]}")
            check(own.push(("Own", "blocked")) == 410, "a blocked server was let in")
            tell("The publisher blocked another: 410.")
            listed = service.expect(200, "GET", f"/v1/devices/{device}/endpoints")
            check(sorted(one["blocked"] for one in listed.body["endpoints"]) == [False, True], f"seen: {listed.raw}")
            said = service.expect(200, "GET", "/v1/metrics").raw.decode() + view.raw.decode() + listed.raw.decode()
            service.child.stop()
            said += service.child.output().decode()
            words = [s["endpoint"].rsplit("/", 1)[1] for s in subscriptions] + [word for text in TEXTS for word in text]
            words += said_to_none
            check(not [word for word in words if word in said], "the log or the metrics have a URL, a key or a text")
        finally:
            for child in (phone and phone.child, service.child, simulator.child):
                if child:
                    child.stop()
    print("gateway: three servers' messages are shown, a flood delays none, and a revoked endpoint is gone")


if __name__ == "__main__":
    main()
