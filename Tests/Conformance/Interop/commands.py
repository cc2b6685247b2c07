"""A few runs of the commands that people type: `sealedpush` beside the two example scripts."""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE, ROOT = pathlib.Path(__file__).parent, pathlib.Path(__file__).parents[3]
KEYS, TOPIC, SWIFT = ROOT / "keys-example", "com.example.chat", ROOT / ".build/debug/sealedpush"

SWIFT_BUNDLE = (SWIFT, "keygen", "bundle", "--device-key", KEYS / "device.key", "--allow-example-keys")
SWIFT_SEAL = (SWIFT, "seal", "--json", "--allow-example-keys")
SWIFT_OPEN = (SWIFT, "open", "--json", "--allow-example-keys", "--device-key", KEYS / "device.key",
              "--senders", KEYS / "sender.pub")
PYTHON_SEAL = (sys.executable, "-B", HERE / "seal_in_python.py")
PYTHON_OPEN = (sys.executable, "-B", HERE / "open_sealed.py", "--prekey-secret", KEYS / "device.key",
               "--identity", KEYS / "identity.pub", "--topic", TOPIC, "--sender", KEYS / "sender.pub")
FIELDS = "title", "subtitle", "body", "thread-id"


def run(program, *arguments):
    return subprocess.run([str(part) for part in (*program, *arguments)], capture_output=True, cwd=ROOT)


def seal(program, message, bundle, out, *others, topic=TOPIC, identity=KEYS / "identity.pub"):
    return run(program, message, "--sender-key", KEYS / "sender.key", "--bundle", bundle, "--identity", identity,
               "--topic", topic, "--out", out, *others)


def is_refusal(result):
    """True for one sentence on standard error, exit code 1, nothing on standard output."""
    return result.returncode == 1 and not result.stdout and len(result.stderr.decode().splitlines()) == 1


def told(result):
    return {"exit": result.returncode, "stderr": result.stderr.decode(errors="replace").strip()}


def check(tally, generator):
    """Runs each; `generator` varies the texts, `tally.expect` gets each run."""
    with tempfile.TemporaryDirectory(dir=ROOT / ".build", prefix="interop-") as name:
        folder = pathlib.Path(name)
        bundle = folder / "device.bundle"
        made = run(SWIFT_BUNDLE, "--out", bundle)
        tally.expect(made.returncode == 0, "keygen makes a bundle", **told(made))
        for i, text in enumerate(("Grüße 🇨🇭 \\ \"", "x" * generator.randint(1, 2_000), "é" * 3_000)):
            pass_through(tally, folder, bundle, {"title": "T", "subtitle": "S", "body": text, "thread-id": f"t{i}"})
        refuse(tally, folder, bundle)


def pass_through(tally, folder, bundle, message):
    file, out, is_long = folder / "message.json", folder / "push.json", len(message["body"]) == 3_000
    file.write_text(json.dumps(message))
    for by, sealing, opening in ("Swift", SWIFT_SEAL, PYTHON_OPEN), ("Python", PYTHON_SEAL, SWIFT_OPEN):
        out.unlink(missing_ok=True)
        sealed = seal(sealing, file, bundle, out)
        opened = run(opening, out)
        shows = json.loads(opened.stdout) if opened.returncode == 0 else {}
        same = all(shows.get(field) == message[field] for field in FIELDS if field != "body" or not is_long)
        same = same and bool(shows.get("truncated")) is is_long and message["body"].startswith(shows.get("body", "?"))
        tally.expect(same, f"{by}'s command seals, the other opens", sealed=told(sealed), opened=told(opened))


def refuse(tally, folder, bundle):
    """A good push or bundle against another pin; and a bundle older than the last one."""
    out, pin, newer = folder / "push.json", folder / "pin", folder / "newer.bundle"
    identities = folder / "other-identity.pub"
    identities.write_text(KEYS.joinpath("sender.pub").read_text().replace("sender", "identity"))
    senders = folder / "other-sender.pub"
    senders.write_text(KEYS.joinpath("identity.pub").read_text().replace("identity", "sender"))
    for by, sealing in ("Swift", SWIFT_SEAL), ("Python", PYTHON_SEAL):
        for pins in {"topic": TOPIC + "2"}, {"identity": identities}:
            out.unlink(missing_ok=True)
            sealed = seal(sealing, KEYS / "message.json", bundle, out, **pins)
            tally.expect(is_refusal(sealed) and not out.exists(), f"{by} refuses a bundle: {pins}", sealed=told(sealed))
    seal(SWIFT_SEAL, KEYS / "message.json", bundle, out)
    for option, value in ("--topic", TOPIC + "2"), ("--sender", senders), ("--identity", identities):
        opened = run(PYTHON_OPEN, out, option, value)
        tally.expect(is_refusal(opened), f"Python refuses a push with another {option}", opened=told(opened))
    seal(PYTHON_SEAL, KEYS / "message.json", bundle, out)
    known = [part for part in SWIFT_OPEN if part not in ("--senders", KEYS / "sender.pub")]
    for program, option, value in (SWIFT_OPEN, "--topic", TOPIC + "2"), (known, "--senders", senders):
        opened = run(program, out, option, value)
        tally.expect(is_refusal(opened), f"Swift refuses a push with another {option}", opened=told(opened))
    run(SWIFT_BUNDLE, "--out", newer)
    for file, is_good in (newer, True), (bundle, False), (newer, True):
        sealed = seal(PYTHON_SEAL, KEYS / "message.json", file, out, "--pin", pin)
        good = sealed.returncode == 0 if is_good else b"rolled-back" in sealed.stderr
        tally.expect(good, "Python remembers the newest bundle", sealed=told(sealed))
