"""A kept release under today's programs. See Tests/Conformance/Service/releases."""

import base64
import hashlib
import json
import lzma
import os
import shutil
import sqlite3
import subprocess
import sys

from black_box.kept import HookReceiver, Host, Phone, Sidecar
from black_box.programs import PATIENCE, await_true, program, run, set_clock
from black_box.service import APP, Sender, Service, Simulator
from releases_keep import MARK, PLACE, stop


def copy_in(kept, folder):
    """The files as they were: whole, with their modes, and keys without the mark of published ones."""
    for place, _, names in os.walk(kept):
        for name in names:
            path = os.path.join(place, name)
            target = os.path.join(folder, os.path.relpath(path, kept)).removesuffix(".xz")
            with open(path, "rb") as file:
                content = file.read()
            content = (lzma.decompress(content) if path.endswith(".xz") else content).removeprefix(MARK)
            content = content.replace(PLACE.encode(), folder.encode()) if target.endswith(".json") else content
            os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
            with open(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                file.write(content)


def expect(expected, actual, what):
    if expected != actual:
        sys.exit(f"releases: {what}: expected {expected!r}, got {actual!r}")


def refuse(words, text, what, **options):
    """Runs what must fail with a sentence that has this text. Returns its exit code."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
    if done.returncode == 0 or text not in done.stderr + done.stdout:
        sys.exit(f"releases: {what}: ended with {done.returncode}: {(done.stderr + done.stdout).strip()[-400:]}")
    return done.returncode


def digests(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        # The owner's name and the socket for back-ups come and go.
        if os.path.isfile(path) and "lock" not in name:
            with open(path, "rb") as file:
                found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class KeptService(Service):
    """The relay with the files of a release."""

    def __init__(self, folder, promises):
        self.folder, self.program = folder, program("sealedpushd")
        self.file = os.path.join(folder, "sealedpushd.json")
        self.database = os.path.join(folder, "store.sqlite")
        self.token_key = os.path.join(folder, "token.key")
        self.certificate = os.path.join(folder, "tls.pem")
        self.keys = {"acme": promises["api-key"]}
        with open(self.file) as file:
            self.configuration = json.load(file)
        self.child = None
        self.variables = {}

    def point(self, simulator, hooks):
        """Simulator and receiver have other ports than then."""
        for tenant in self.configuration["tenants"]:
            for app in tenant["apps"]:
                app["endpoint"]["port"] = simulator.ready["push-port"]
        self.configuration["tenants"][0]["webhook"]["url"] = hooks.url
        self.write_configuration()

    def opened(self):
        return self.child.await_named("store-opened")


class KeptSender(Sender):
    def __init__(self, folder):
        self.folder = os.path.join(folder, "keys")
        with open(os.path.join(self.folder, "device.bundle")) as file:
            self.bundle = file.read().strip()


class Checker:
    def __init__(self, kept, folder):
        self.folder = folder
        copy_in(kept, folder)
        with open(self.path("promises.json")) as file:
            self.promises = json.load(file)
        set_clock(self.promises["made"] + 1)
        self.words = self.promises["words"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read().strip()

    # MARK: Files of devices and senders

    def open_payload(self, payload):
        opened = run(
            *[program("sealedpush"), "open", payload, "--json", "--device-key", self.path("keys/device.key")],
            *["--senders", self.path("keys/sender.pub")],
        )
        return json.loads(opened)["body"]

    def check_keys(self):
        """Key files load, pins hold, and what was sealed opens."""
        expect(self.words["file"], self.open_payload(self.path("device/push.json")), "the sealed payload")
        seal = [program("sealedpush"), "seal", "-", "--sender-key", self.path("keys/sender.key"), "--topic", APP]
        seal += ["--pins", self.path("device/pins")]
        to_device = ["--identity", self.path("keys/identity.pub"), "--bundle"]
        # First of all: without pins it would be the newest that is known.
        older = [*seal, *to_device, self.path("keys/device.bundle")]
        refuse(older, "older", "the pins hold against an older bundle", input='{"body": "older"}')
        sealed = self.path("again.json")
        run(*seal, *to_device, self.path("device/newer.bundle"), "--out", sealed, input='{"body": "again"}')
        expect("again", self.open_payload(sealed), "a payload of today's sender")
        stranger = [*seal, "--identity", self.path("phone/identity"), "--bundle", self.path("device/newer.bundle")]
        refuse(stranger, "identity", "a bundle of another identity is refused", input='{"body": "other"}')
        newest = self.path("newest.bundle")
        run(program("sealedpush"), "keygen", "bundle", "--device-key", self.path("keys/device.key"), "--out", newest)
        run(*seal, *to_device, newest, input='{"body": "newest"}')

    def check_attachment(self):
        """The stored attachment opens, also as its host serves it."""
        host = Host(self.path("host"), self.path("relay/tls.pem"), self.path("relay/tls.key"))
        blob = json.loads(self.text("attachment/pointer.json"))["url"].rpartition("/")[2]
        served = self.path("attachment/served")
        run(
            *["curl", "--silent", "--show-error", "--fail", "--cacert", self.path("relay/tls.pem")],
            *["--output", served, f"{host.address}/v1/blobs/{blob}"],
        )
        stop(host.child)
        for stored in (self.path("attachment/stored"), served):
            opened = stored + ".opened"
            pointer = self.path("attachment/pointer.json")
            run(program("sealedpush"), "attachment", "open", stored, opened, "--pointer", pointer)
            expect(self.text("attachment/plain"), self.text(os.path.relpath(opened, self.folder)), "the attachment")

    # MARK: The relay

    def start(self):
        self.record = self.path("record.jsonl")
        options = ["--keep-tokens", self.path("tokens"), "--record", self.record, "--record-payloads"]
        self.simulator = Simulator(self.folder, *options)
        self.sender = KeptSender(self.folder)
        self.hooks = HookReceiver(self.text("relay/hook.secret"))
        self.service = KeptService(self.path("relay"), self.promises)
        self.service.point(self.simulator, self.hooks)

    def state(self, id):
        return self.service.expect(200, "GET", f"/v1/notifications/{id}").body

    def await_state(self, id, *states):
        await_true(lambda: self.state(id)["state"] in states, f"the state '{states[0]}' of a kept notification")

    def words_of(self, id):
        """What a device opens of this notification, as it came to the simulator."""

        def recorded():
            with open(self.record) as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
            return [line["payload"] for line in lines if id.lower() in json.dumps(line["headers"]).lower()]

        payload = await_true(recorded, "the push of a kept notification")[0]
        with open(self.path("arrived.json"), "wb") as file:
            file.write(base64.urlsafe_b64decode(payload + "=="))
        return self.open_payload(self.path("arrived.json"))

    def check_relay(self):
        """The database opens and is upgraded; what it had is there, and goes on."""
        self.service.start()
        expect("no", self.service.opened()["restored"], "its own file")
        self.check_devices()
        for name, state in (("accepted", "accepted"), ("dead", "dead")):
            expect(state, self.state(self.promises[name])["state"], f"the state of the notification '{name}'")
        self.await_state(self.promises["waiting"], "accepted")
        expect(self.words["waits"], self.words_of(self.promises["waiting"]), "the words that waited")
        again = self.service.expect(202, "POST", "/v1/notifications", self.promises["repeated"]).body
        expect(self.promises["waiting"], again["notifications"][0]["id"], "the id after a repetition")
        receipt = {"receipts": [{"capability": self.promises["capability"], "code": "opened"}]}
        self.service.expect(204, "POST", "/v1/receipts", receipt, key=None)
        expect("delivered", self.state(self.promises["accepted"])["state"], "the state after its receipt")
        self.hooks.await_event("dead", self.promises["dead"])
        self.hooks.await_event("delivered", self.promises["accepted"])
        self.check_dead_letter()

    def check_devices(self):
        for device, bundle in (("d1", self.sender.bundle), ("d2", self.text("phone/bundle"))):
            known = self.service.expect(200, "GET", f"/v1/devices/{device}").body
            expect((device, APP, "sandbox"), (known["id"], known["topic"], known["environment"]), "a device")
            found = self.service.expect(200, "GET", f"/v1/devices/{device}/bundle").body
            expect(bundle, found["bundle"], f"the bundle of {device}")
        expect("de-CH", known["language"], "the language of d2")
        # Its further tokens can be read with the key, and are right.
        sealed = self.sender.seal("activity")
        aps = {"event": "update", "timestamp": self.promises["made"]}
        activity = {"topic": APP, "class": "liveactivity", "aps": aps}
        call = {"topic": APP, "class": "call"}
        for body, recipient in (
            (activity, {"token-name": "order-7", "sealed": sealed}),
            (call, {"sealed": self.sender.seal_call("room-1")}),
        ):
            body = {**body, "recipients": [{"device": "d2", **recipient}]}
            sent = self.service.expect(202, "POST", "/v1/notifications", body).body["notifications"][0]["id"]
            self.await_state(sent, "accepted")

    def check_dead_letter(self):
        letters = self.service.expect(200, "GET", "/v1/dead-letters").body["dead-letters"]
        expect([self.promises["dead"]], [letter["id"] for letter in letters], "the dead letters")
        self.service.register("gone", self.simulator.enrol()[1], self.sender)
        replay = self.service.expect(200, "POST", "/v1/dead-letters/replay", {"ids": [self.promises["dead"]]}).body
        id = replay["replays"][0]["replayed-as"]
        self.await_state(id, "accepted")
        expect(self.words["dead"], self.words_of(id), "the words of the dead letter")

    # MARK: Sidecar and phone

    def check_sidecar(self):
        """What waited is delivered to a phone that has its keys; pins hold."""
        file = self.path("sidecar/sidecar.json")
        with open(file) as opened:
            configuration = json.load(opened)
        configuration["relay"]["url"] = f"http://127.0.0.1:{self.service.port}"
        with open(file, "w") as opened:
            json.dump(configuration, opened)
        phone = Phone(self.path("phone"), self.simulator, self.path("keys/sender.pub"))
        sidecar = Sidecar(file)
        for name in ("message", "first"):
            sidecar.await_state(self.promises[name], "accepted")
        phone.await_shown(self.words["phone"])
        other = {"device": "d2", "identity": self.text("keys/identity.pub")}
        _, recipient = sidecar.send("for a stranger", other)
        expect("rejected", recipient["state"], "a recipient with another identity than the pinned one")
        _, recipient = sidecar.send("after the upgrade", {"device": "d2"})
        expect(False, recipient["state"] == "rejected", "a recipient that the sidecar has pinned is rejected")
        phone.await_shown("after the upgrade")
        shown = [event.get("body") for event in phone.child.events("shown")]
        expect(1, shown.count(self.words["phone"]), "how often the words are shown")
        stop(sidecar.child, phone.child)

    # MARK: The way back

    def check_later_version(self):
        """A database of a later version is refused with a sentence, and keeps its bytes."""
        for name, words in (
            ("relay/store.sqlite", [program("sealedpushd"), "--config", self.path("relay/sealedpushd.json")]),
            ("sidecar/sidecar.sqlite", [program("sealedpush-sidecar"), "--config", self.path("sidecar/sidecar.json")]),
        ):
            path = self.path(name)
            shutil.copy(path, path + ".before")
            with sqlite3.connect(path) as database:
                # Not the kept file's version and one: today's programs may know that.
                database.execute("PRAGMA user_version = 1000")
            database.close()
            before = digests(os.path.dirname(path))
            code = refuse(words, "later version", f"a later {name} is refused")
            expect(78, code, "the exit code, at which systemd does not try again")
            changed = [file for file, _ in digests(os.path.dirname(path)).items() ^ before.items()]
            expect([], changed, f"files that the refusal of {name} changed")
            os.replace(path + ".before", path)

    def check_way_back(self):
        """The copy made before the upgrade, put back as docs/operations.md says."""
        config = ["--config", self.service.file]
        stop(self.service.child)
        for name in ("-wal", "-shm"):
            if os.path.exists(self.service.database + name):
                os.remove(self.service.database + name)
        shutil.copy(self.path("relay/backup.sqlite"), self.service.database)
        expect("ok", run(self.service.program, "integrity", *config).strip(), "the copy's integrity")
        self.service.start()
        self.service.child.await_named("restored")
        expect("backup", self.service.opened()["restored"], "the cause")
        self.service.expect(503, "GET", "/v1/readiness", key=None)
        expect("queued", self.state(self.promises["waiting"])["state"], "the state of what waited at the copy")
        stop(self.service.child)
        run(self.service.program, "acknowledge-restore", "drop", *config)
        self.service.start()
        self.service.expect(200, "GET", "/v1/readiness", key=None)
        letter = self.state(self.promises["waiting"])
        expect(("dead", "outcome-unknown"), (letter["state"], letter["dead-reason"]), "what waited, dropped")
        expect("accepted", self.state(self.promises["accepted"])["state"], "what was accepted at the copy")
        id, _ = self.send("after the way back")
        self.await_state(id, "accepted")
        expect("after the way back", self.words_of(id), "the words after the way back")

    def send(self, text):
        body = {"topic": APP, "class": "normal", "recipients": [{"device": "d1", "sealed": self.sender.seal(text)}]}
        sent = self.service.expect(202, "POST", "/v1/notifications", body).body["notifications"][0]
        return sent["id"], sent["trace"]

    def stop(self):
        stop(self.service.child, self.simulator.child)


def check(kept, folder):
    checker = Checker(kept, folder)
    checker.check_keys()
    checker.check_attachment()
    checker.start()
    checker.check_later_version()
    checker.check_relay()
    checker.check_sidecar()
    checker.check_way_back()
    checker.stop()
