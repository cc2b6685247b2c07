"""`sealedpush audit` at a running relay: a database full of notifications with its log, a back-up, log, memory.

Prints the audit's table and its seconds. Then the audit must find a device token in the log.

    Tests/Conformance/Service/audit 100000
"""

import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from black_box.programs import await_true, program  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator  # noqa: E402

BATCH = 500


def fill(service, simulator, sender, count):
    devices = [f"d{number}" for number in range(BATCH)]
    for device in devices:
        _, token = simulator.enrol()
        service.register(device, token, sender)
    sealed = sender.seal("a text")
    body = {"topic": APP, "class": "normal", "recipients": [{"device": name, "sealed": sealed} for name in devices]}
    accepted = 0
    while accepted < count:
        answer = service.call("POST", "/v1/notifications", body)
        if answer.status == 429:
            time.sleep(0.1)
            continue
        if answer.status != 202:
            raise SystemExit(f"{answer.status}: {answer.raw[:300]!r}")
        accepted += BATCH
    # Parsing each line anew, as other checks do, would take hours.
    await_true(
        lambda: sum(line is not None and b'"attempt"' in line for line in service.child.lines) >= accepted,
        "a line for each attempt",
    )
    return accepted


class Audit:
    def __init__(self, service, folder):
        self.service, self.folder = service, folder
        self.key = os.path.join(folder, "api.key")
        with open(os.open(self.key, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(service.keys["acme"])

    def run(self, *holdings):
        started = time.monotonic()
        address = f"https://{self.service.TLS_ADDRESS}:{self.service.tls_port}"
        done = subprocess.run(
            [
                *[program("sealedpush"), "audit", "--relay", address, "--ca", self.service.certificate],
                *["--topic", APP, "--environment", "sandbox", "--api-key-file", self.key, *holdings],
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout, time.monotonic() - started


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(folder)
        sender, service = Sender(folder), Service(folder, simulator)
        service.start()
        accepted = fill(service, simulator, sender, count)
        audit = Audit(service, folder)
        kept = os.path.join(folder, "held")
        holdings = [f"store={service.database}", "--process", str(service.child.process.pid), "--keep", kept]
        status, text, seconds = audit.run(*holdings)
        print(text)
        size = sum(os.path.getsize(service.database + end) for end in ("", "-wal")) // 1_000_000
        print(f"{accepted} notifications, {size} MB: {seconds:.1f} s")
        if status != 0:
            raise SystemExit(f"the audit ended with {status}")
        # The audit's own calls begin with a token.
        leak = os.path.join(folder, "leak")
        with open(os.path.join(kept, "calls", "bodies"), "rb") as calls, open(leak, "wb") as log:
            log.write(b"".join(line for line in service.child.lines if line) + calls.readline())
        done = subprocess.run(
            [program("sealedpush"), "audit", "--offline", kept, f"log={leak}"], capture_output=True, text=True
        )
        if done.returncode != 1 or "device token at log" not in done.stderr:
            raise SystemExit(f"a device token in the log was not found: {done.stderr}")
        print("a device token in the log is found")


if __name__ == "__main__":
    main()
