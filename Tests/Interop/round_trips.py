"""Both programs seal for each other, and refuse the same things. Started by `run`, with the count of messages."""
import argparse, json, os, pathlib, random, subprocess, sys, tempfile
from forgeries import KEYS, TOPIC, Forger, accepted_bundles, accepted_pushes, refused_bundles, refused_pushes
from seal_in_python import BODY_ROOM

HERE, ROOT = pathlib.Path(__file__).parent, pathlib.Path(__file__).parents[2]
SWIFT = ROOT / ".build/debug/sealedpush"
FIELDS = "title", "subtitle", "body", "thread-id"


def run(program, *arguments):
    return subprocess.run([str(part) for part in (*program, *arguments)], capture_output=True, cwd=ROOT)


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, holds, name, *results):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"FAILED: {name}")
            for result in results:
                print(f"  exit {result.returncode}: {result.stderr.decode(errors='replace').strip()}")


# The two programs, called alike

SWIFT_BUNDLE = (SWIFT, "keygen", "bundle", "--device-key", KEYS / "device.key", "--allow-example-keys")
SWIFT_SEAL = (SWIFT, "seal", "--json", "--allow-example-keys")
SWIFT_OPEN = (SWIFT, "open", "--json", "--allow-example-keys", "--device-key", KEYS / "device.key",
              "--senders", KEYS / "sender.pub")
PYTHON_SEAL = (sys.executable, HERE / "seal_in_python.py")
PYTHON_OPEN = (sys.executable, HERE / "open_sealed.py", "--prekey-secret", KEYS / "device.key",
               "--identity", KEYS / "identity.pub", "--topic", TOPIC, "--sender", KEYS / "sender.pub")


def seal(program, message, bundle, out, topic=TOPIC, identity=KEYS / "identity.pub"):
    return run(program, message, "--sender-key", KEYS / "sender.key", "--bundle", bundle, "--identity", identity,
               "--topic", topic, "--out", out)


# Messages

def message(generator, kind):
    words = ["meet", "me", "under", "the", "clock", "at", "nine", "Grüße", "пример", "例え", "שלום"]
    emoji = ["🕘", "👩‍👩‍👧", "🇨🇭", "👍🏽", "❤️", "e\u0301", "𝄞"]
    escapes = list('"\\/\n\t\r\b\f\u0001\u001f\u007f\u2028\ufeff') + ["\\u0041"]

    def text(pieces, count, joint):
        return joint.join(generator.choice(pieces) for _ in range(count))

    body = {
        "plain": lambda: text(words, generator.randint(1, 60), " "),
        "emoji": lambda: text(emoji + words, generator.randint(1, 80), ""),
        "long": lambda: text(words + emoji, 1_400, " "),
        "escapes": lambda: text(escapes + words, generator.randint(1, 120), ""),
    }[kind]()
    fields = {"title": text(words, 3, " "), "body": body}
    if generator.random() < 0.5:
        fields |= {"subtitle": text(emoji, 3, ""), "thread-id": text(words, 1, "")}
    return fields


def same(sent, opened, truncated):
    """Whether all fields came through; of a shortened text, a beginning of a decent length."""
    if any(opened.get(field, "") != sent.get(field, "") for field in FIELDS if field != "body"):
        return False
    if not truncated:
        return opened.get("body", "") == sent["body"]
    whole, part = sent["body"], opened.get("body", "")
    return whole != part and whole.startswith(part) and len(part.encode()) > BODY_ROOM / 2


def round_trips(tally, generator, count, folder, bundle):
    for i in range(count):
        kind = ("plain", "emoji", "long", "escapes")[i % 4]
        sent, file, out = message(generator, kind), folder / f"message-{i}.json", folder / f"push-{i}.json"
        file.write_text(json.dumps(sent, ensure_ascii=generator.random() < 0.5))
        is_long = kind == "long"

        sealed = seal(SWIFT_SEAL, file, bundle, out)
        opened = run(PYTHON_OPEN, out)
        holds = sealed.returncode == opened.returncode == 0 and same(sent, json.loads(opened.stdout), is_long)
        holds = holds and f"truncated {int(is_long)}" in opened.stderr.decode()
        tally.expect(holds, f"message {i} ({kind}), Swift to Python", sealed, opened)

        out.unlink(missing_ok=True)
        sealed = seal(PYTHON_SEAL, file, bundle, out)
        opened = run(SWIFT_OPEN, out)
        holds = sealed.returncode == opened.returncode == 0
        fields = json.loads(opened.stdout) if holds else {}
        holds = holds and same(sent, fields, is_long) and fields.get("truncated") is is_long
        tally.expect(holds, f"message {i} ({kind}), Python to Swift", sealed, opened)


# What both must refuse

SWIFT_WORDS = {  # how the Swift program says what open_sealed.py says; it says one thing of all that is not authentic
    "unsupported": "newer version", "stale": "another device", "unknown sender": "not trusted", "expired": "expired",
}


def is_refusal(result, words=""):
    """One sentence on standard error, exit code 1, nothing on standard output."""
    sentence = result.stderr.decode()
    return result.returncode == 1 and not result.stdout and len(sentence.splitlines()) == 1 and words in sentence


def judge_pushes(tally, generator, folder, bundle):
    forger, file = Forger.of_example_keys(), folder / "push.json"
    for name, payload in accepted_pushes(forger):
        file.write_text(payload)
        for side, program in ("Swift", SWIFT_OPEN), ("Python", PYTHON_OPEN):
            opened = run(program, file)
            tally.expect(opened.returncode == 0 and '"b' in opened.stdout.decode(), f"{side} opens: {name}", opened)
    tally.expect(seal(SWIFT_SEAL, KEYS / "message.json", bundle, file).returncode == 0, "seals what is altered next")
    for name, payload, reason in refused_pushes(forger, generator, file.read_text()):
        file.write_text(payload)
        opened = run(SWIFT_OPEN, file)
        tally.expect(is_refusal(opened, SWIFT_WORDS.get(reason, "")), f"Swift refuses: {name}", opened)
        opened = run(PYTHON_OPEN, file)
        tally.expect(is_refusal(opened, reason), f"Python refuses: {name}", opened)


def judge_arguments(tally, folder, bundle):
    """A good push or bundle, but the caller pins something else."""
    forger, file, out = Forger.of_example_keys(), folder / "push.json", folder / "out.json"
    other_identity = KEYS.joinpath("sender.pub").read_text().strip().replace("sender", "identity")
    other_sender = KEYS.joinpath("identity.pub").read_text().strip().replace("identity", "sender")
    other_senders, other_identities = folder / "other-sender.pub", folder / "other-identity.pub"
    other_senders.write_text(other_sender + "\n")
    other_identities.write_text(other_identity + "\n")

    tally.expect(seal(SWIFT_SEAL, KEYS / "message.json", bundle, file).returncode == 0, "seals for the wrong pins")
    for option, value, reason in (("--topic", TOPIC + "2", "OpenError"), ("--sender", other_sender, "unknown sender"),
                                  ("--identity", other_identity, "stale"), ("--class", "2", "no 'prekey")):
        opened = run(PYTHON_OPEN, file, option, value)
        tally.expect(is_refusal(opened, reason), f"Python refuses a push with another {option}", opened)
    tally.expect(seal(PYTHON_SEAL, KEYS / "message.json", bundle, file).returncode == 0, "seals for the wrong pins")
    for option, value, words in ("--topic", TOPIC + "2", ""), ("--senders", other_senders, "not trusted"):
        kept = [part for part in SWIFT_OPEN if option != "--senders" or part not in ("--senders", KEYS / "sender.pub")]
        opened = run(kept, file, option, value)
        tally.expect(is_refusal(opened, words), f"Swift refuses a push with another {option}", opened)

    for side, program in ("Swift", SWIFT_SEAL), ("Python", PYTHON_SEAL):
        for pin in {"topic": TOPIC + "2"}, {"identity": other_identities}:
            out.unlink(missing_ok=True)
            sealed = seal(program, KEYS / "message.json", bundle, out, **pin)
            tally.expect(is_refusal(sealed) and not out.exists(), f"{side} refuses a bundle, pinned {pin}", sealed)

    unlocked = folder / "unlocked.key"
    unlocked.write_text(KEYS.joinpath("device.key").read_text().replace("after-first-unlock", "unlocked"))
    file.write_text(forger.push(prekey_class=2))
    for side, program in ("Swift", SWIFT_OPEN), ("Python", (*PYTHON_OPEN, "--class", "2")):
        opened = run([unlocked if part == KEYS / "device.key" else part for part in program], file)
        tally.expect(opened.returncode == 0, f"{side} opens a push of class 2", opened)


def judge_bundles(tally, generator, folder):
    forger, file, out = Forger.of_example_keys(), folder / "bundle", folder / "out.json"
    for side, program in ("Swift", SWIFT_SEAL), ("Python", PYTHON_SEAL):
        for name, bundle in accepted_bundles(forger):
            file.write_text(bundle)
            sealed = seal(program, KEYS / "message.json", file, out)
            tally.expect(sealed.returncode == 0 and out.exists(), f"{side} seals for a bundle: {name}", sealed)
            out.unlink(missing_ok=True)
        for name, bundle in refused_bundles(forger, generator):
            file.write_text(bundle)
            out.unlink(missing_ok=True)
            sealed = seal(program, KEYS / "message.json", file, out)
            tally.expect(is_refusal(sealed) and not out.exists(), f"{side} refuses a bundle: {name}", sealed)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("count", type=int, nargs="?", default=25)
    arguments.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    a = arguments.parse_args()
    print(f"seed {a.seed}")
    tally, generator = Tally(), random.Random(a.seed)
    (ROOT / ".build/tmp").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / ".build/tmp", prefix="interop-") as name:
        folder = pathlib.Path(name)
        bundle = folder / "device.bundle"
        made = run(SWIFT_BUNDLE, "--out", bundle)
        tally.expect(made.returncode == 0, "makes a bundle", made)
        round_trips(tally, generator, a.count, folder, bundle)
        judge_pushes(tally, generator, folder, bundle)
        judge_arguments(tally, folder, bundle)
        judge_bundles(tally, generator, folder)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
