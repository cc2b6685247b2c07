"""Makes the files that a release is judged by later. See Tests/Conformance/Service/releases."""

import base64
import calendar
import json
import lzma
import os
import secrets
import socket
import sys
import time

from black_box.kept import Host, Phone, Sidecar
from black_box.programs import await_true, program, run, set_clock
from black_box.service import APP, Sender, Service, Simulator, base64url, new_capability, receipt_hash

# A device refuses what is older than its own build: the day lies after all builds to come, and before 2050, when
# certificates write dates in another way.
DAY = calendar.timegm((2045, 6, 1, 12, 0, 0))
# As `keygen --example` writes it: private keys that everyone has load nowhere by mistake.
MARK = b"# SealedPush example key: published, protects nothing.\n"
MARKED = ("keys/device.key", "keys/sender.key")
# In place of the folder, in configurations.
PLACE = "/FOLDER"
# Larger files are compressed: most of them are zeros.
BYTES_MAX = 16_384
WORDS = {"waits": "it waited for Apple", "dead": "its app was gone", "phone": "it waited for the relay", "file": "kept"}


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def write_private(path, text):
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)


class Maker:
    def __init__(self, folder):
        self.folder = folder
        for name in ("relay", "sidecar", "device", "attachment", "host"):
            os.mkdir(self.path(name), 0o700)
        self.promises = {"words": WORDS}
        self.simulator = Simulator(folder, "--keep-tokens", self.path("tokens"))
        self.sender = Sender(folder)
        self.phone = Phone(self.path("phone"), self.simulator, self.path("keys/sender.pub"))
        self.service = Service(self.path("relay"), self.simulator)
        self.configure()
        self.service.start()

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self):
        """With a webhook whose receiver is not there: its events wait."""
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        write_private(self.path("relay/hook.secret"), secret)
        self.service.configuration["tenants"][0]["webhook"] = {
            "url": f"http://127.0.0.1:{closed_port()}/hooks",
            "secret-file": self.path("relay/hook.secret"),
            "allows-plain-http": True,
            "allowed-ranges": ["127.0.0.0/8"],
        }

    def register(self, device, body):
        self.service.expect(201, "PUT", f"/v1/devices/{device}", body)

    def register_all(self):
        """d1 has keys of files, d2 is the phone with tokens of three kinds, gone has lost its app."""
        common = {"topic": APP, "environment": "sandbox"}
        self.register("d1", {**common, "token": self.simulator.enrol()[1], "bundle": self.sender.bundle})
        extra = [{"kind": "liveactivity", "name": "order-7", "token": self.phone.text("activity.token")}]
        registration = json.loads(self.phone.text("registration"))
        self.register("d2", {**registration, "tokens": extra, "language": "de-CH", "region": "CH"})
        number, token = self.simulator.enrol()
        self.register("gone", {**common, "token": token, "bundle": self.sender.bundle})
        self.simulator.remove_app(number)

    def send(self, device, text, body, **recipient):
        recipient = {"device": device, "sealed": self.sender.seal(text), **recipient}
        body = {"topic": APP, "class": "urgent", "expiry": 604800, "recipients": [recipient], **body}
        return body, self.service.expect(202, "POST", "/v1/notifications", body).body["notifications"][0]

    def await_state(self, id, state):
        found = lambda: self.service.expect(200, "GET", f"/v1/notifications/{id}").body["state"] == state
        await_true(found, f"the state '{state}'")

    def fill_relay(self):
        capability = new_capability()
        _, accepted = self.send("d1", "seen", {}, **{"receipt-hash": receipt_hash(capability)})
        self.await_state(accepted["id"], "accepted")
        _, dead = self.send("gone", WORDS["dead"], {})
        self.await_state(dead["id"], "dead")
        self.promises |= {"accepted": accepted["id"], "dead": dead["id"], "capability": base64url(capability)}

    def start_sidecar(self):
        write_private(self.path("sidecar/relay.key"), self.service.keys["acme"])
        configuration = {
            "socket": {"path": self.path("sidecar/socket")},
            "database-file": self.path("sidecar/sidecar.sqlite"),
            "sender-key-file": self.path("keys/sender.key"),
            "topic": APP,
            "relay": {"url": f"http://127.0.0.1:{self.service.port}", "key-file": self.path("sidecar/relay.key")},
        }
        with open(self.path("sidecar/sidecar.json"), "w") as file:
            json.dump(configuration, file, indent=2)
        return Sidecar(self.path("sidecar/sidecar.json"))

    def leave_waiting(self):
        """A notification that waits for Apple, and a message that waits for the relay."""
        sidecar = self.start_sidecar()
        first, _ = sidecar.send("the first", {"device": "d2", "identity": self.phone.text("identity")})
        sidecar.await_state(first, "accepted")
        self.phone.await_shown("the first")
        stop(self.phone.child, self.simulator.child)
        body, waiting = self.send("d1", WORDS["waits"], {"idempotency-key": "kept"})
        self.await_state(waiting["id"], "queued")
        run(self.service.program, "backup", self.path("relay/backup.sqlite"), "--config", self.service.file)
        stop(self.service.child)
        message, recipient = sidecar.send(WORDS["phone"], {"device": "d2"})
        if recipient["state"] != "queued":
            sys.exit(f"the sidecar's message is {recipient['state']}, and the relay is not there")
        stop(sidecar.child)
        self.promises |= {"waiting": waiting["id"], "repeated": body, "first": first, "message": message}
        self.promises["api-key"] = self.service.keys["acme"]

    def make_files(self):
        """A payload sealed to a second bundle, which the pins hold; an attachment; a host that has it."""
        sealer = program("sealedpush")
        key, bundle = self.path("keys/device.key"), self.path("device/newer.bundle")
        run(sealer, "keygen", "bundle", "--device-key", key, "--out", bundle)
        run(
            *[sealer, "seal", "-", "--sender-key", self.path("keys/sender.key"), "--bundle", bundle],
            *["--identity", self.path("keys/identity.pub"), "--topic", APP, "--pins", self.path("device/pins")],
            *["--lifetime", "7d", "--out", self.path("device/push.json")],
            input=json.dumps({"body": WORDS["file"]}),
        )
        plain, stored = self.path("attachment/plain"), self.path("attachment/stored")
        with open(plain, "w") as file:
            file.write(WORDS["file"] * 100)
        pointer = run(sealer, "attachment", "seal", plain, stored, "--type", "text/plain")
        tenants = run(program("sealedpush-blobs"), "token", "--name", "acme", "--out", self.path("host/acme.token"))
        with open(self.path("host/tenants"), "w") as file:
            file.write(tenants)
        host = Host(self.path("host"), self.service.certificate, self.path("relay/tls.key"))
        pointer = run(
            *[sealer, "attachment", "upload", stored, "--to", host.address, "--pointer", "-"],
            *["--token-file", self.path("host/acme.token"), "--ca", self.service.certificate],
            input=pointer,
        )
        stop(host.child)
        with open(self.path("attachment/pointer.json"), "w") as file:
            file.write(pointer)


def stop(*children):
    for child in children:
        if (status := child.stop()) != 0:
            sys.exit(f"{child.name} ended with {status}: {child.output()[-400:]!r}")


def is_kept(name):
    """Not the simulator's own keys, which each start makes anew, and nothing that lives as long as a process."""
    return not name.startswith("simulator/")


def copy_out(folder, out):
    os.makedirs(out)
    count = 0
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in sorted(names)):
            name = os.path.relpath(path, folder)
            if not os.path.isfile(path) or not is_kept(name):
                continue
            if name.endswith(("-wal", "-shm")):
                sys.exit(f"{name} is there: a program has not ended in order")
            with open(path, "rb") as file:
                content = file.read()
            content = content.replace(folder.encode(), PLACE.encode()) if name.endswith(".json") else content
            if name in MARKED:
                content = MARK + content
            if len(content) > BYTES_MAX:
                name, content = name + ".xz", lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
            target = os.path.join(out, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(content)
            count += len(content)
    return count


def keep(version, folder, out):
    for name in ("sealedpush", "sealedpushd", "sealedpush-sidecar", "sealedpush-blobs"):
        said = run(program(name), "--version").splitlines()[0]
        if said not in (f"{name} {version}", f"{name}, {version}"):
            sys.exit(f"releases: {name} says '{said}', not {version}; use the release's programs")
    if os.path.exists(out):
        sys.exit(f"releases: {out} is there; give a new folder")
    set_clock(DAY)
    began = time.time()
    maker = Maker(folder)
    maker.register_all()
    maker.fill_relay()
    maker.leave_waiting()
    maker.make_files()
    maker.promises["version"] = version
    maker.promises["made"] = DAY + int(time.time() - began) + 1
    with open(os.path.join(folder, "promises.json"), "w") as file:
        json.dump(maker.promises, file, indent=2)
    print(f"releases: {copy_out(folder, out)} bytes in {out}")
