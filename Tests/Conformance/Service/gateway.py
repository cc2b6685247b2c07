"""Two servers that the publisher does not know push to one phone, each to an endpoint that the phone gave it.

The servers are PyPI's pywebpush, unmodified; relay, simulator and phone are processes, the phone's extension an app
team's own. Both messages are shown. One endpoint is revoked, and its server gets 410 while the other goes on. The
publisher's log and metrics have neither a URL nor a text.

    Tests/Conformance/Service/gateway
"""

import hashlib
import json
import os
import secrets
import sys
import tempfile

sys.dont_write_bytecode = True

import pywebpush  # noqa: E402
import requests  # noqa: E402
from black_box.programs import Child, program  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator, base64url  # noqa: E402

KEY = "spd_" + base64url(secrets.token_bytes(32))
TEXTS = [("Mastodon", "Grace mentioned you"), ("Matrix", "Ada wrote in #computing"), ("Matrix", "and once more")]


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


def device_call(service, method, path):
    return service.call(method, path, key=None, fields={"authorization": f"Bearer {KEY}"})


def main():
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(folder)
        sender = Sender(folder)
        service = Service(folder, simulator)
        app = service.configuration["tenants"][0]["apps"][0]
        app["gateway"] = {"origin": "https://push.example.com"}
        service.start()
        phone = None
        try:
            phone = Phone(folder, simulator, sender)
            service.expect(201, "PUT", "/v1/devices/d1", phone.registration)
            hashed = base64url(hashlib.sha256(b"SealedPush/1 endpoint key" + KEY.encode()).digest())
            service.expect(204, "PUT", "/v1/devices/d1/endpoint-key", {"hash": hashed})
            made = [device_call(service, "POST", "/v1/endpoints") for _ in range(2)]
            check([answer.status for answer in made] == [201, 201], "no endpoints were made")
            # The relay's name resolves nowhere here.
            origin = f"https://{Service.TLS_ADDRESS}:{service.tls_port}"
            urls = [answer.body["endpoint"] for answer in made]
            check(all(url.startswith("https://push.example.com/wp/") for url in urls), "the origin is not the one configured")
            urls = [url.replace("https://push.example.com", origin) for url in urls]
            mastodon, matrix = (Server(url, phone.keys, service.certificate) for url in urls)
            answer = mastodon.push(*TEXTS[0], headers={"Urgency": "high"})
            check((answer.status_code, answer.headers["TTL"]) == (201, "3600"), f"the push was answered {answer}")
            check("Location" in answer.headers, "the answer has no Location")
            check(phone.await_shown(1) == TEXTS[:1], "the first message is not what was sent")
            matrix.push(*TEXTS[1])
            check(phone.await_shown(2) == TEXTS[:2], "the second message is not what was sent")
            id = made[0].body["id"]
            check(device_call(service, "DELETE", f"/v1/endpoints/{id}").status == 204, "no endpoint was revoked")
            try:
                mastodon.push("Mastodon", "after the end")
                sys.exit("gateway: a revoked endpoint took a push")
            except pywebpush.WebPushException as error:
                check(error.response.status_code == 410, f"a revoked endpoint answered {error.response.status_code}")
            matrix.push(*TEXTS[2])
            check(phone.await_shown(3) == TEXTS, "the other server was cut off too")
            said = service.expect(200, "GET", "/v1/metrics").raw.decode()
            service.child.stop()
            said += service.child.output().decode()
            words = [url.rsplit("/", 1)[1] for url in urls] + [word for text in TEXTS for word in text] + [KEY]
            check(not [word for word in words if word in said], "the log or the metrics have a URL, a key or a text")
        finally:
            for child in (phone and phone.child, service.child, simulator.child):
                if child:
                    child.stop()
    print("gateway: two servers' messages are shown, and a revoked endpoint is gone")


if __name__ == "__main__":
    main()
