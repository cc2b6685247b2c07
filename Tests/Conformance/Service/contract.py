"""Starts everything, then runs curl, the examples and schemathesis. See Tests/Conformance/Service/contract."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import yaml

from black_box.programs import CHECKOUT, PATIENCE
from black_box.service import APP, Sender, Service, Simulator, base64url

TESTS = os.path.join(CHECKOUT, "Tests/Conformance/Service")
DOCUMENT = os.path.join(CHECKOUT, "docs/openapi.yaml")
DEVICES = ["d1", "d2", "d3"]
# Not among the ids that schemathesis draws: nothing deletes it.
# A device has few of these in a minute; `make_endpoints` demands that they go through.
RARE = {"postEnrolment", "postChallenge"}
TRACE = "pjj7j-rDp1tYySyQLaVDCQ"
# The document's example of a notification's id. schemathesis starts with examples.
EXAMPLE = "019ab2f1-6b0f-7c07-9d59-0d2c6a3f5e11"
# Other spellings of existing paths (abuse case 91).
TRICKS = [
    *["//v1/health", "/v1//health", "/v1/health/", "/v1/./health", "/v1/../v1/health", "/%76%31/health"],
    *["/v1/health;x", "/v1/health.", "/V1/health", "/v1/devices/d1%2Fbundle", "/v1/devices/%2e%2e/d1"],
    "/v1/devices/" + "a" * 8_000,
]


def curl(service, version, *words, body=None):
    """Status, HTTP version and body of one request over TLS."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", f"--http{version}", "--cacert", service.certificate]
        + ["--write-out", "\n%{http_code} %{http_version}", "--header", "@-"]
        + (["--json", json.dumps(body)] if body is not None else [])
        + [*words[1:], f"https://{service.TLS_ADDRESS}:{service.tls_port}{words[0]}"],
        input=f"authorization: Bearer {service.keys['acme']}",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if done.returncode != 0:
        sys.exit(f"curl --http{version} {words[0]}: {done.stderr}")
    content, _, last = done.stdout.rpartition("\n")
    status, spoken = last.split()
    return int(status), spoken, content


def check_curl(service, sender, token):
    """A device, a notification and its state, in both versions of HTTP on the one port. Returns the notifications'
    ids."""
    notifications = []
    for version, spoken in (("2", "2"), ("1.1", "1.1")):
        device = {"token": token, "topic": APP, "environment": "sandbox", "bundle": sender.bundle}
        recipient = {"device": "d1", "sealed": sender.seal(f"by HTTP/{version}"), "trace": TRACE}
        steps = [
            (("/v1/health",), None, 200),
            (("/v1/devices/d1", "--request", "PUT"), device, 200),
            (("/v1/devices/d1/bundle",), None, 200),
            (("/v1/devices/d1/bundle", "--header", "if-none-match: *"), None, 304),
            (("/v1/bundles/query",), {"devices": [{"device": "d1"}, {"device": "none"}]}, 200),
            (("/v1/devices/d1/deliveries",), None, 200),
            (("/v1/devices/d1/notifications",), None, 200),
            (("/v1/statistics",), None, 200),
            (("/v1/service/statistics/days?day=2031-05-04",), None, 200),
            (("/v1/notifications",), {"topic": APP, "class": "normal", "recipients": [recipient]}, 202),
            (("/v1/nothing",), None, 404),
        ]
        for words, body, expected in steps:
            status, actual, content = curl(service, version, *words, body=body)
            if (status, actual) != (expected, spoken):
                sys.exit(f"curl --http{version} {words}: {status} over HTTP/{actual}, expected {expected}: {content}")
            if expected == 202:
                notifications.append(json.loads(content)["notifications"][0]["id"])
        service.await_attempts(1)
        status, _, content = curl(service, version, f"/v1/notifications/{notifications[-1]}")
        if status != 200 or json.loads(content)["id"] != notifications[-1]:
            sys.exit(f"curl --http{version}: the state is {status}: {content}")
        for path in TRICKS:
            status, _, content = curl(service, version, path, "--path-as-is")
            if status not in (400, 404):
                sys.exit(f"curl --http{version} {path[:80]}: {status}, expected to be refused: {content[:400]}")
        print(f"curl over HTTP/{version}: as expected")
    return notifications


def check_examples(service, sender, token):
    """Runs the examples as a newcomer would."""
    environment = {
        **os.environ,
        "SEALEDPUSH_URL": f"http://127.0.0.1:{service.port}",
        "SEALEDPUSH_KEY": service.keys["acme"],
        "TOPIC": APP,
        "DEVICE_TOKEN": token,
        "DEVICE_BUNDLE": sender.bundle,
        "DEVICE_IDENTITY": sender.identity,
        "SENDER_KEY": os.path.join(sender.folder, "sender.key"),
    }
    for name, words in (("Python", ["python3", "-B", "send.py"]), ("Node", ["node", "send.mjs"])):
        if subprocess.run(["which", words[0]], capture_output=True).returncode != 0:
            print(f"{name}: NOT RUN: there is no '{words[0]}'")
            continue
        words[-1] = os.path.join(CHECKOUT, "Examples/Service", words[-1])
        # Node has no locks of files: its pins are its own.
        environment["PINS"] = os.path.join(sender.folder, "pins-" + name)
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0 or "accepted" not in done.stdout:
            sys.exit(f"{name}: ended with {done.returncode}: {done.stdout}{done.stderr}")
        print(f"{name}: {done.stdout.splitlines()[-1]}")


def registration(sender, token):
    upload = {"token": token, "topic": APP, "environment": "sandbox", "bundle": sender.bundle}
    return base64url(json.dumps(upload).encode())


def make_endpoints(service, sender, token):
    """A device's endpoint key, with which it enrols, and endpoints: some to push to, some to revoke."""
    key = "spd_" + base64url(os.urandom(32))
    fields = {"authorization": f"Bearer {key}"}
    body = {"registration": registration(sender, token)}
    service.expect(201, "POST", "/v1/enrolments", body, key=None, fields=fields)
    service.expect(200, "POST", "/v1/enrolments/challenge", key=None, fields=fields)
    made = [service.expect(201, "POST", "/v1/endpoints", {}, key=None, fields=fields).body for _ in range(6)]
    return key, made


def keep_record(service, endpoint):
    """A record too long for a push, and the name under which its device fetches it."""
    path = "/wp/" + endpoint["endpoint"].rpartition("/")[2]
    fields = {"ttl": "3600", "content-encoding": "aes128gcm", "content-type": "application/octet-stream"}
    record = bytes(16) + (4096).to_bytes(4, "big") + bytes([65]) + bytes(4_075)
    made = service.expect(201, "POST", path, record, key=None, fields=fields)
    number = {name.lower(): value for name, value in made.fields}["location"].rpartition("/")[2]
    trace = service.expect(200, "GET", f"/v1/notifications/{number}").body["trace"]
    parts = [base64.urlsafe_b64decode(text + "==") for text in (endpoint["id"], trace)]
    return base64url(hashlib.sha256(b"SealedPush/1 endpoint record" + b"".join(parts)).digest())


def things(simulator, sender, notifications, endpoints, record):
    """Values that schemathesis_hooks.py draws from."""
    sealed = [sender.seal(f"message {number}") for number in range(3)]
    filler = base64url(bytes(range(256)) * 16)
    tokens = [simulator.enrol()[1] for _ in range(2)]
    return {
        "app": [APP],
        "device-id": DEVICES,
        "notification-id": notifications,
        "notification-trace": [TRACE],
        "device-token": tokens,
        "key-bundle": [sender.bundle],
        "registration": [registration(sender, token) for token in tokens],
        "sealed-field": sealed,
        "sealed-call-field": [sender.seal_call(f"room {number}") for number in range(3)],
        "web-push-record": [filler[:400], filler[:3000]],
        "endpoint-id": [endpoint["id"] for endpoint in endpoints[3:]],
        "block-id": [endpoint["id"] for endpoint in endpoints[3:]],
        "record-name": [record],
        "endpoint-secret": [endpoint["endpoint"].rpartition("/")[2] for endpoint in endpoints[:3]],
    }


def check_document(folder, service, known, endpoint_key, count, seed):
    """schemathesis, with every check. Then: did a request of each operation get through?"""
    with open(os.path.join(folder, "known.json"), "w") as file:
        json.dump(known, file)
    with open(os.path.join(TESTS, "schemathesis.toml")) as file:
        settings = file.read()
    with open(os.path.join(folder, "schemathesis.toml"), "w") as file:
        os.chmod(file.name, 0o600)
        # The keys are the run's own, and in no command line.
        file.write(f'hooks = "schemathesis_hooks"\n{settings}\n[auth.openapi.key]\nbearer = "{service.keys["acme"]}"\n')
        file.write(f'[auth.openapi.endpointKey]\nbearer = "{endpoint_key}"\n')
    with open(DOCUMENT) as file:
        text = file.read()
    if EXAMPLE not in text:
        sys.exit(f"{DOCUMENT} has no example of a notification's id any more")
    document = os.path.join(folder, "openapi.yaml")
    with open(document, "w") as file:
        # An existing one. Answers are open in the document, so that today's clients take tomorrow's members; here they
        # are closed, so that no member is without a description.
        text = text.replace(EXAMPLE, known["notification-id"][0])
        file.write(text.replace("additionalProperties: true", "additionalProperties: false"))
    report = os.path.join(folder, "report.har")
    done = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "schemathesis")]
        + ["--config-file", os.path.join(folder, "schemathesis.toml"), "run", document]
        + ["--url", f"http://127.0.0.1:{service.port}", "--mode", "all", "--no-color"]
        + ["--max-examples", str(count), "--seed", str(seed), "--continue-on-failure"]
        + ["--suppress-health-check", "all", "--request-timeout", str(PATIENCE)]
        + ["--report-har-path", report, "--output-sanitize", "true"],
        env={**os.environ, "SEALEDPUSH_CONTRACT": os.path.join(folder, "known.json"), "PYTHONPATH": TESTS},
        cwd=folder,
    )
    if done.returncode != 0:
        sys.exit(f"schemathesis found faults (above); 'Tests/Conformance/Service/contract {count} {seed}' repeats them")
    require_successes(report)


def require_successes(report):
    """A suite whose every request is refused proves nothing about answers."""
    with open(report) as file:
        entries = json.load(file)["log"]["entries"]
    with open(DOCUMENT) as file:
        paths = yaml.safe_load(file)["paths"]
    succeeded = set()
    for entry in entries:
        steps = entry["request"]["url"].split("?")[0].split("/")[3:]
        if 200 <= entry["response"]["status"] < 300:
            succeeded.add((entry["request"]["method"], tuple(steps)))
    missing = []
    for path, item in paths.items():
        pattern = path.split("/")[1:]
        for method, operation in item.items():
            if method != "parameters" and operation["operationId"] not in RARE and not any(
                method.upper() == asked
                and len(steps) == len(pattern)
                and all(step == known or known.startswith("{") for step, known in zip(steps, pattern))
                for asked, steps in succeeded
            ):
                missing.append(operation["operationId"])
    if missing:
        sys.exit(f"no request got through to {', '.join(missing)}: {len(entries)} were sent")
    print(f"schemathesis: {len(entries)} requests; every operation had some that got through")


def main():
    count, seed = int((sys.argv[1:2] or ["40"])[0]), int((sys.argv[2:3] or ["1"])[0])
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(folder)
        sender = Sender(folder)
        service = Service(folder, simulator)
        gateway = {"origin": "https://push.example.com", "enrolment": {"by": "open"}}
        # The other tenant has the same app, without a gateway.
        app = {**service.configuration["tenants"][0]["apps"][0], "gateway": gateway}
        service.configuration["tenants"][0]["apps"] = [app]
        service.start()
        try:
            token = simulator.enrol()[1]
            for device in DEVICES:
                if service.register(device, token, sender).status != 201:
                    sys.exit(f"a new device is not answered with 201: {device}")
            notifications = check_curl(service, sender, token)
            check_examples(service, sender, token)
            endpoint_key, endpoints = make_endpoints(service, sender, simulator.enrol()[1])
            record = keep_record(service, endpoints[0])
            known = things(simulator, sender, notifications, endpoints, record)
            check_document(folder, service, known, endpoint_key, count, seed)
        finally:
            status = service.child.stop()
            simulator.child.stop()
        if status != 0:
            sys.exit(f"sealedpushd ended with {status}: {service.child.errors.decode(errors='replace')}")


if __name__ == "__main__":
    main()
