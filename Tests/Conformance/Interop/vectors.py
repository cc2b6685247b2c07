#!/usr/bin/env python3
"""Runs test vectors: prints differences from sealedpush_py, and fails if there are any, or an unknown field."""
import collections
import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

import setting
from sealedpush_py import attachment, attachment_file, bundle, json_strict, safety_number, succession
from sealedpush_py.device import Device
from sealedpush_py.encoding import DAY, PREKEY_CLASSES, PUSH_CLASSES, Refused, base64url, from_base64url, topic_bytes
from sealedpush_py.frame import Frame
from sealedpush_py.seal import Sender
from sealedpush_py.web_push import Subscription
from setting import NotUnderstood, understand
from vector_file import VectorFile


def subscription(text):
    scalar, auth = text.split(" ")
    return Subscription.of(from_base64url(scalar, 32), from_base64url(auth, 16))


def compare(inputs, expectations, found):
    """A sentence for each difference."""
    for i, (_, expected, actual) in enumerate(zip(inputs, expectations, found, strict=True), 1):
        expected, actual = json.dumps(expected, sort_keys=True), json.dumps(actual, sort_keys=True)
        if expected != actual:  # as texts: to Python True is 1
            yield f"input {i}: expected {expected}, found {actual}"


def run_message(file):
    file.require_names("topic", "identity", "prekey", "contact", "allow", "lifetime-max", "build-date", "web-push",
                       "floor", "store", "elapsed", "uptime", "confirmed", "now", "class", "shows", "attachments", "retired")
    identity = file.bytes("identity", 32)
    device = Device(topic_bytes(file.one("topic")), identity,
                    [setting.prekey(text, identity) for text in file.all("prekey")],
                    setting.contacts(file.all("contact")), file.number("build-date"),
                    setting.allowed(file.all("allow"), file.optional("attachments", "allowed")),
                    int(file.optional("lifetime-max", 7 * DAY)),
                    PUSH_CLASSES[file.optional("class", "alert")])
    device.retired = setting.retired(file.all("retired"))
    if "web-push" in file.values:
        device.subscription = subscription(file.one("web-push"))
    for key, floor in (text.split(" ") for text in file.all("floor")):
        device.state.window.lift_floor(from_base64url(key, 32), int(floor))
    store = file.optional("store", "available")
    understand(store in ("available", "unavailable"), f"store {store}")
    device.state.is_available = store == "available"
    found, inputs = [], file.inputs()
    for payload, now, elapsed, uptime, confirmed in zip(
            inputs, file.per_input("now"), file.per_input("elapsed", "-"), file.per_input("uptime", "1 0"),
            file.per_input("confirmed", "-"), strict=True):
        understand(elapsed in ("-", "died"), f"elapsed {elapsed}")
        start, uptime = (int(word) for word in uptime.split(" "))
        if confirmed != "-":
            device.state.window.time.pass_to(start, uptime)
            device.state.window.time.confirm(int(confirmed))
        outcome = device.open(payload, int(now), start, uptime)
        if elapsed != "died":
            device.shown(outcome)
        found.append((outcome.kind, outcome.shows))
    yield from compare(inputs, list(zip(file.all("expect"), file.shows(), strict=True)), found)


def run_seal(file):
    file.require_names("topic", "sender-secret", "bundle", "pinned", "now", "message-id", "sent-at", "expires-at",
                       "ephemeral", "body", "flags", "class", "class-of-prekey", "trace", "alert-loc-key", "payload")
    file.require_no_input()
    understand(file.one("expect") == "sealed", "another expectation than sealed")
    key = Ed25519PrivateKey.from_private_bytes(file.bytes("sender-secret", 32))
    sender = Sender(key, topic_bytes(file.one("topic")), file.number("class-of-prekey"),
                    PUSH_CLASSES[file.optional("class", "alert")],
                    json.dumps({"loc-key": file.optional("alert-loc-key", "-")}, separators=(",", ":")))
    verified = bundle.verify(file.bytes("bundle"), file.bytes("pinned", 32), sender.topic, file.number("now"))
    frame = Frame(file.bytes("message-id", 16), file.number("sent-at"), file.number("expires-at"),
                  key.public_key().public_bytes_raw(), file.number("flags"), file.one("body").encode())
    ephemeral = X25519PrivateKey.from_private_bytes(file.bytes("ephemeral", 32))
    payload = sender.payload(sender.seal_frame(frame, verified, ephemeral), file.one("trace"))
    yield from compare([None], [file.one("payload")], [payload])


def run_bundle(file):
    file.require_names("pinned", "topic", "now", "pin")
    pin = None
    if "pin" in file.values:
        epoch, digest, *suites = file.one("pin").split(" ")
        suites = dict(zip(PREKEY_CLASSES, map(int, suites), strict=True))
        pin = bundle.Pin(int(epoch), from_base64url(digest, 32), suites)
    found, inputs, topic = [], file.inputs(), topic_bytes(file.one("topic"))
    for text, now in zip(inputs, file.per_input("now"), strict=True):
        try:
            raw = from_base64url(text.decode("latin-1"))
            pin = bundle.verify(raw, file.bytes("pinned", 32), topic, int(now), pin).pin
            found.append("valid")
        except Refused as refusal:
            found.append(refusal.kind)
    yield from compare(inputs, file.all("expect"), found)


def run_announcement(file):
    file.require_names("topic", "contact", "now", "knows")
    contacts, retired = setting.contacts(file.all("contact")), {}
    found, inputs, topic = [], file.inputs(), topic_bytes(file.one("topic"))
    for text, now in zip(inputs, file.per_input("now"), strict=True):
        try:
            announcement = succession.verify(from_base64url(text.decode("latin-1")), topic, int(now))
            found.append(succession.take(contacts, retired, announcement))
        except Refused as refusal:
            found.append(refusal.kind)
    yield from compare(inputs, file.all("expect"), found)
    knows = [f"{base64url(key)} contact" for key in contacts]
    for key, own in retired.items():
        kind = f"superseded {own.announced_at} {base64url(own.successor)}" if own.successor else f"revoked {own.announced_at}"
        knows.append(f"{base64url(key)} {kind}")
    yield from compare([None], [file.all("knows")], [sorted(knows)])


def run_json(file):
    file.require_names()
    yield from compare([file.input], [file.one("expect")], [verdict(json_strict.parse, file.input)[0]])


def run_base64url(file):
    file.require_names("bytes")
    found, raw = verdict(from_base64url, file.input.decode("latin-1"))
    expected = file.one("expect"), file.one("bytes").removeprefix("-") if file.one("expect") == "valid" else None
    yield from compare([file.input], [expected], [(found, raw.hex() if found == "valid" else None)])


def run_attachment_url(file):
    file.require_names("host", "port", "path")
    found, parts = verdict(attachment.parse_url, file.input.decode("latin-1"))
    is_valid = file.one("expect") == "valid"
    expected = file.one("expect"), [file.one("host"), file.number("port"), file.one("path")] if is_valid else None
    yield from compare([file.input], [expected], [(found, parts)])


def verdict(read, raw):
    try:
        return "valid", read(raw)
    except Refused:
        return "refused", None


def run_safety_number(file):
    file.require_names("one", "other", "number", "qr")
    file.require_no_input()
    understand(file.one("expect") == "number", "another expectation than number")
    one, other = file.bytes("one", 32), file.bytes("other", 32)
    expected = file.one("number"), file.one("qr")
    for pair in (one, other), (other, one):
        yield from compare([None], [expected], [(safety_number.number(*pair), safety_number.code(*pair))])


def run_web_push(file):
    file.require_names("key", "shows")
    receiver, found, inputs = subscription(file.one("key")), [], file.inputs()
    for text in inputs:
        try:
            found.append(("unauthenticated", receiver.open(from_base64url(text.decode("latin-1")))))
        except Refused as refusal:
            found.append((refusal.kind, None))
    yield from compare(inputs, list(zip(file.all("expect"), file.shows(), strict=True)), found)


def run_attachment(file):
    file.require_names("key", "id", "size", "file-sha256")
    stored, digest = from_runs(file.input.decode("ascii")), None
    try:
        opened = attachment_file.open_stored(stored, file.bytes("key", 32), file.bytes("id", 16), file.number("size"))
        found, digest = "opened", base64url(hashlib.sha256(opened).digest())
    except Refused as refusal:
        found = refusal.kind
    yield from compare([stored], [(file.one("expect"), file.optional("file-sha256", None))], [(found, digest)])


def from_runs(text):
    """Hexadecimal, in which `00*16384` is a byte that many times."""
    raw = b""
    for part in text.split(" "):
        digits, star, count = part.partition("*")
        understand(not star or len(digits) == 2 and count.isdecimal(), "a run of one byte")
        raw += bytes.fromhex(digits) * int(count or 1)
    return raw


KINDS = {"message": run_message, "seal": run_seal, "bundle": run_bundle,
         "announcement": run_announcement, "json": run_json, "base64url": run_base64url,
         "attachment": run_attachment, "attachment-url": run_attachment_url, "safety-number": run_safety_number,
         "web-push": run_web_push}


def differences(path):
    """(kind, sentences). An unknown field, a refused seal and a malformed head are differences as well."""
    kind = "unknown"
    try:
        file = VectorFile(path.read_bytes())
        kind = file.one("kind")
        understand(kind in KINDS, f"kind {kind}")
        return kind, list(KINDS[kind](file))
    except NotUnderstood as error:
        return kind, [f"not understood: {error}"]
    except (Refused, ValueError, KeyError) as error:
        return kind, [f"{type(error).__name__}: {error}"]


def run(folder):
    """True if all files of the folder hold; prints the faults, and a count for each kind."""
    counts, has_failed = collections.Counter(), False
    for path in sorted(pathlib.Path(folder).iterdir()):
        kind, sentences = differences(path)
        counts[kind] += 1
        has_failed |= bool(sentences)
        for sentence in sentences:
            print(f"{path.name}: {sentence}")
    print(f"{counts.total()} vectors" + "".join(f", {count} {kind}" for kind, count in sorted(counts.items())))
    return not has_failed and counts.total() > 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: vectors.py DIR")
    sys.exit(0 if run(sys.argv[1]) else 1)
