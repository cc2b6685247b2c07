"""No secret in a wrong place: a whole run of sealedpushd with marked tokens, keys and texts.

Registers, sends, reads states, gives receipts, requests re-sends, lets one notification die and replays it, is refused
in every way, reloads good and bad configurations, drains, and dies once more by a signal that leaves a core. Then log,
answers, webhooks, metrics, arguments and the database's files are searched for each secret, raw, hexadecimal, base64
and base64url, whole or in part. Secrets that docs/store.md lets rest in the database are searched for there, too: a
search that finds nothing anywhere would prove nothing.

    Tests/Conformance/Service/canary

Needs sealedpush and sealedpushd (scripts/swift build), openssl, and what Tests/Conformance/Service/python needs.
"""

import base64
import json
import os
import re
import resource
import secrets
import signal
import sys
import tempfile

sys.dont_write_bytecode = True

from black_box.markers import Marker, Search, check_search  # noqa: E402
from black_box.programs import PATIENCE  # noqa: E402
from black_box.receiver import Receiver  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator, base64url, receipt_hash  # noqa: E402

JWT = re.compile(rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ")


class Run:
    def __init__(self, folder):
        self.folder = folder
        self.markers = []
        self.seen = {}  # place: bytes
        self.simulator = Simulator(folder)
        self.sender = Sender(folder)
        self.receiver = Receiver()
        self.service = Service(folder, self.simulator)
        self.configure()
        self.mark_files()

    def mark(self, name, data, rests=None):
        self.markers.append(Marker(name, data, rests))
        return data

    def mark_word(self, name, rests=None):
        """A text that occurs nowhere else."""
        return self.mark(name, secrets.token_hex(16).encode(), rests).decode()

    def configure(self):
        secret_file = os.path.join(self.folder, "hook.key")
        with open(os.open(secret_file, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(self.receiver.secret.encode())
        self.mark("the webhooks' secret", base64.b64decode(self.receiver.secret.removeprefix("whsec_")))
        tenant = self.service.configuration["tenants"][0]
        tenant["webhook"] = {
            "url": self.receiver.url,
            "secret-file": secret_file,
            "allows-plain-http": True,
            "allowed-ranges": ["127.0.0.0/8"],
        }

    def mark_files(self):
        with open(self.service.token_key, "rb") as file:
            key = file.read().strip()
        self.mark("the key of device tokens", key)
        for name, key in self.service.keys.items():
            self.mark(f"the API key of {name}", key[4:].encode())
            self.mark(f"the API key of {name}, decoded", base64.urlsafe_b64decode(key[4:] + "="))
        for path in (os.path.join(self.simulator.folder, "provider.p8"), os.path.join(self.folder, "tls.key")):
            with open(path) as file:
                body = "".join(line for line in file.read().splitlines() if "-" not in line and "#" not in line)
            # The head of such a file is the same in all of them.
            self.mark(os.path.basename(path), body[60:100].encode())

    def see(self, place, content):
        self.seen[place] = self.seen.get(place, b"") + content + b"\n"

    def call(self, status, method, path, body=None, **options):
        answer = self.service.expect(status, method, path, body, **options)
        place = "the answers with bundles" if path.endswith("/bundle") else "the answers"
        self.see(place, repr(answer.fields).encode() + answer.raw)
        return answer

    def register(self, device):
        number, token = self.simulator.enrol()
        self.mark(f"the token of {device}", bytes.fromhex(token))
        voip = self.mark(f"the VoIP token of {device}", secrets.token_bytes(32)).hex()
        body = {"token": token, "topic": APP, "environment": "sandbox", "bundle": self.sender.bundle}
        body["voip-token"] = voip
        for status in (201, 200):
            self.call(status, "PUT", f"/v1/devices/{device}", body)
        return number

    def send(self, device, sealed, **more):
        """The notification's id and trace."""
        recipient = {"device": device, "sealed": sealed, **more.pop("recipient", {})}
        body = {"topic": APP, "class": "urgent", "recipients": [recipient], **more}
        answer = self.call(202, "POST", "/v1/notifications", body)
        accepted = answer.body["notifications"][0]
        return accepted["id"], accepted["trace"]

    def seal(self, name):
        text = self.mark_word(f"{name}'s words")
        sealed = self.sender.seal(text)
        # The head is the prekey's, the same in every message.
        self.mark(f"{name}, sealed", sealed[400:1400].encode(), "a payload waits there, and stays with a dead letter")
        return sealed

    def await_attempt(self, trace):
        self.service.child.await_event(
            lambda event: event.get("event") == "attempt" and event.get("trace") == trace, "an attempt's line"
        )

    def deliver(self):
        """From registration to receipt."""
        self.register("d1")
        # It is kept as bytes, and contains the app's name, which is no secret: its end is the signature.
        bundle = base64.urlsafe_b64decode(self.sender.bundle + "==")
        self.mark("the bundle", bundle[-64:], "senders ask for it")
        self.call(200, "GET", "/v1/devices/d1")
        self.call(200, "GET", "/v1/devices/d1/bundle")
        capability = self.mark("the receipt's capability", secrets.token_bytes(16))
        word = self.mark_word("the sender's word for what replaces what")
        key = self.mark_word("the idempotency key", "a repetition is known by it")
        sealed = self.seal("a message")
        more = {"collapse-id": word, "idempotency-key": key, "recipient": {"receipt-hash": receipt_hash(capability)}}
        self.first, trace = self.send("d1", sealed, **more)
        self.await_attempt(trace)
        receipt = {"receipts": [{"capability": base64url(capability), "code": "opened"}]}
        for _ in range(2):
            self.call(204, "POST", "/v1/receipts", receipt, key=None)
        self.call(204, "POST", "/v1/resends", {"resends": [{"trace": trace}]}, key=None)
        self.receiver.await_text(self.first)
        self.call(200, "GET", f"/v1/notifications/{self.first}")
        self.call(200, "GET", "/v1/devices/d1/deliveries")
        clear = self.mark_word("words in clear", "SAP's payload waits there")
        body = {"topic": APP, "devices": ["d1"], "notification": {"alert": clear}}
        self.call(202, "POST", "/v1/compat/sap", body)

    def die(self):
        """A dead letter, which keeps its payload, and its replay."""
        number = self.register("gone")
        self.simulator.remove_app(number)
        self.dead, trace = self.send("gone", self.seal("a dead letter"))
        self.await_attempt(trace)
        self.receiver.await_text(self.dead)
        letters = self.call(200, "GET", "/v1/dead-letters").body["dead-letters"]
        if self.dead not in [letter["id"] for letter in letters]:
            raise SystemExit("what went to an app that is gone is no dead letter")
        self.call(200, "POST", "/v1/dead-letters/replay", {"ids": [self.dead]})

    def be_refused(self):
        """Every fault of a request, with secrets in it."""
        word = self.mark_word("what was refused")
        token = self.mark("a token that was refused", secrets.token_bytes(32)).hex()
        secret = "spk_" + self.mark_word("a key that nobody has") + "0123456789a"
        recipient = {"device": "d1", "sealed": word}
        self.call(401, "GET", "/v1/devices/d1", key=None, fields={"authorization": f"Bearer {secret}"})
        self.call(403, "GET", "/v1/devices/d1", key="send-only")
        self.call(404, "GET", "/v1/devices/d1", key="other")
        self.call(404, "GET", f"/v1/{word}")
        self.call(404, "GET", f"/v1/notifications/{self.first}", key="other")
        self.call(422, "PUT", "/v1/devices/d2", {"token": token, "topic": word, "bundle": word, "more": word})
        for body in (
            {"topic": APP, "class": "normal", "recipients": [recipient]},
            {"topic": APP, "class": "normal", "title": word, "recipients": [recipient]},
            {"topic": word, "class": word, "recipients": [{"device": word, "sealed": word * 200}]},
        ):
            self.call(422, "POST", "/v1/notifications", body)
        self.call(413, "POST", "/v1/notifications", {**body, "topic": APP, "class": "normal"})
        self.call(400, "POST", "/v1/notifications", f'{{"{word}": "{token}" "{word}'.encode())
        self.call(400, "GET", f"/v1/dead-letters?{word}={word}")
        self.call(415, "POST", "/v1/notifications", b"x", fields={"content-type": f"text/{word}"})

    def reload(self):
        """A wrong configuration with misplaced secrets, then the good one again."""
        good = json.dumps(self.service.configuration)
        tenant = self.service.configuration["tenants"][0]
        tenant["keys"][0]["hash"] = self.service.keys["acme"]
        tenant["secret"] = self.service.keys["other"]
        self.service.write_configuration()
        self.service.child.signal(signal.SIGHUP)
        self.service.child.await_named("reload-fault")
        self.call(200, "GET", "/v1/readiness", key=None)
        self.service.configuration = json.loads(good)
        self.service.write_configuration()
        self.service.child.signal(signal.SIGHUP)
        self.service.child.await_event(
            lambda _: len([e for e in self.service.child.events("audit") if e.get("act") == "reload"]) >= 2,
            "the second reload's line",
        )
        self.call(200, "GET", "/v1/health", key=None)

    def see_process(self):
        number = self.service.child.process.pid
        for name in ("cmdline", "environ"):
            with open(f"/proc/{number}/{name}", "rb") as file:
                self.see("the process's arguments and environment", file.read())
        with open(f"/proc/{number}/limits") as file:
            if not re.search(r"^Max core file size +0 +0 ", file.read(), re.MULTILINE):
                raise SystemExit("the process may leave a core")

    def end(self):
        """In order, then by a signal that may leave a core."""
        self.see_process()
        self.see("the metrics", self.call(200, "GET", "/v1/metrics").raw)
        if (status := self.service.child.stop()) != 0:
            raise SystemExit(f"sealedpushd ended with {status}")
        self.see("the log", self.service.child.output())
        self.service.start()
        self.see_files()
        self.service.child.signal(signal.SIGABRT)
        if (status := self.service.child.process.wait(PATIENCE)) != -signal.SIGABRT:
            raise SystemExit(f"after SIGABRT sealedpushd ended with {status}")
        self.see("the log", self.service.child.output())
        self.simulator.child.stop()
        cores = [name for name in os.listdir(os.getcwd()) if name.startswith("core")]
        if cores:
            raise SystemExit(f"there is a core: {cores}")
        for fields, body in self.receiver.requests:
            self.see("the webhooks", fields.encode() + body)
        self.receiver.check_signatures()

    def see_files(self):
        """All files that the service wrote. Its secrets' own files were there before."""
        for name in sorted(os.listdir(self.folder)):
            path = os.path.join(self.folder, name)
            # Beside them is the socket for back-ups.
            if name.startswith("store.sqlite") and os.path.isfile(path):
                with open(path, "rb") as file:
                    self.see("the database", file.read())

    def judge(self):
        faults = []
        search = Search(self.markers)
        for place, content in self.seen.items():
            print(f"{place}: {len(content)} bytes")
            found = search.find(content)
            if JWT.search(content):
                faults.append(f"a provider token: found in {place}")
            for marker in found:
                rests = marker.rests and (place == "the database" or marker.name == "the bundle" and "bundles" in place)
                if not rests:
                    faults.append(f"{marker.name}: found in {place}")
            # The search sees the database's content: secrets that must rest there are found.
            if place == "the database":
                missing = {"a dead letter, sealed", "the bundle"} - {marker.name for marker in found}
                faults += [f"{name}: not found in {place}, where it rests: is this its file?" for name in missing]
        if faults:
            raise SystemExit("\n".join(sorted(faults)))
        print(f"{len(self.markers)} secrets: none where it does not belong")


def main():
    check_search()
    # As an operator who wants cores has it: the service must refuse by itself.
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run = Run(folder)
        run.service.start()
        run.deliver()
        run.die()
        run.be_refused()
        run.reload()
        run.end()
        run.judge()


if __name__ == "__main__":
    main()
