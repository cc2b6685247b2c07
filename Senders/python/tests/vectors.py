"""Runs the test vectors of Tests/Conformance/Vectors/sealedpush and prints one line for each kind."""

import collections
import functools
import hashlib
import os
import re
import sys
import tempfile

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from sealedpush import (
    Announcement,
    attachment,
    safety_code,
    safety_number,
    seal,
    sealing,
    verify_bundle,
)
from sealedpush.bundle import Pin
from sealedpush.encoding import from_base64url
from sealedpush.errors import BundleRefused, MessageError
from sealedpush.keys import IdentityKey, SenderKey, SenderPublicKey
from sealedpush.message import LocalizedText, Message, Receipt
from sealedpush.strict_json import JSONRefused, parse
from tests.vector_keys import VectorKeys

FOLDER = os.environ.get(
    "SEALEDPUSH_VECTORS", os.path.join(os.path.dirname(__file__), "../../../Tests/Conformance/Vectors/sealedpush")
)
NOT_APPLICABLE = {
    "message": "a device opens pushes",
    "web-push": "a device opens Web Push",
}

NO_SENDERS_BYTES = {"malformed", "unsupported", "bad-signature"}


class Vector:
    def __init__(self, content):
        head, _, self.input = content.partition(b"\n\n")
        self.fields = collections.defaultdict(list)
        for line in head.decode().split("\n"):
            name, _, value = line.partition(": ")
            self.fields[name].append(value)

    def __getitem__(self, name):
        return self.fields[name][0]

    def get(self, name, default=None):
        return self.fields[name][0] if name in self.fields else default


def expect(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r} instead of {expected!r}")


def localized(members, prefix):
    if prefix + "loc-key" not in members:
        return None
    return LocalizedText(members[prefix + "loc-key"], tuple(members.get(prefix + "loc-args", ())))


def pointer(members):
    made = attachment.AttachmentPointer(
        from_base64url(members["id"]),
        members["url"],
        from_base64url(members["key"]),
        members["size"],
        members["type"],
        members.get("name", ""),
        members.get("thumbnail", False),
    )
    expect(attachment.stored_size(made.size), members["stored"], "stored")
    return made


def message_of(members):
    """The message that has this JSON."""
    taken = {
        name.replace("-", "_"): members[name]
        for name in "title body subtitle thread-id category sound sound-volume level relevance-score badge "
        "target-content-id user-info crit".split()
        if name in members
    }
    return Message(
        **taken,
        localized_title=localized(members, "title-"),
        localized_subtitle=localized(members, "subtitle-"),
        localized_body=localized(members, ""),
        sender_name=members.get("sender", ""),
        attachments=tuple(map(pointer, members.get("attachments", ()))),
        receipt=Receipt(from_base64url(members["receipt"])) if "receipt" in members else None,
        operation=members.get("op", "show"),
        target=from_base64url(members["target"]) if "target" in members else None,
        call_text=members.get("call", ""),
    )


def run_seal(vector):
    now = int(vector["now"])
    identity = IdentityKey(from_base64url(vector["pinned"]))
    recipient, _ = verify_bundle(
        from_base64url(vector["bundle"]),
        identity,
        vector["topic"],
        None,
        now,
        protection_class=int(vector["class-of-prekey"]),
    )
    prepared = sealing.prepare(
        message_of(parse(vector["body"].encode(), 4_096)),
        message_id=from_base64url(vector["message-id"]),
        sent_at=int(vector["sent-at"]),
        expires_at=int(vector["expires-at"]),
    )
    expect(prepared.body.decode(), vector["body"], "body")
    expect(int(prepared.is_shortened), int(vector["flags"]), "flags")
    sealed = seal(
        SenderKey(from_base64url(vector["sender-secret"])),
        prepared,
        recipient,
        now,
        ephemeral=X25519PrivateKey.from_private_bytes(from_base64url(vector["ephemeral"])),
        trace=from_base64url(vector["trace"]),
    )
    payload = sealed.payload(sealing.Placeholder(key=vector["alert-loc-key"]))
    expect(payload.decode(), vector["payload"], "payload")


def run_bundle(vector):
    identity = IdentityKey(from_base64url(vector["pinned"]))
    pin = None
    if vector.get("pin"):
        epoch, digest, *suites = vector["pin"].split(" ")
        pin = Pin(int(epoch), from_base64url(digest), tuple(map(int, suites)))
    lines = vector.input.split(b"\n")
    expect(len(lines), len(vector.fields["expect"]), "count of inputs")
    for line, now, expected in zip(lines, vector.fields["now"], vector.fields["expect"]):
        bundle = from_base64url(line)
        wanted = 2 if expected == "valid" and has_class_2_alone(bundle) else 1
        try:
            _, pin = verify_bundle(bundle, identity, vector["topic"], pin, int(now), protection_class=wanted)
            outcome = "valid"
        except BundleRefused as error:
            outcome = error.reason
        expect(outcome, expected, "outcome")


def has_class_2_alone(bundle):
    first_entry = 1 + 32 + 8 + 8 + 1 + bundle[49] + 1
    return bundle[first_entry + 1] == 2


def run_json(vector):
    try:
        parse(vector.input, 1 << 20)
        outcome = "valid"
    except JSONRefused:
        outcome = "refused"
    expect(outcome, vector["expect"], "outcome")


def run_base64url(vector):
    data = from_base64url(vector.input)
    expect("refused" if data is None else "valid", vector["expect"], "outcome")
    if data is not None:
        expect(data.hex() or "-", vector["bytes"].lower(), "bytes")


def run_url(vector):
    try:
        host, port, path = attachment.split_url(vector.input.decode("utf-8", "surrogateescape"))
    except MessageError:
        expect("refused", vector["expect"], "outcome")
        return
    expect("valid", vector["expect"], "outcome")
    expect((host, str(port), path), (vector["host"], vector["port"], vector["path"]), "parts")


def public_key(text):
    return SenderPublicKey(from_base64url(text))


def run_safety_number(vector):
    one, other = public_key(vector["one"]), public_key(vector["other"])
    for first, second in ((one, other), (other, one)):
        expect(safety_number(first, second), vector["number"], "number")
        expect(safety_code(first, second), vector["qr"], "qr")


def stored_bytes(text):
    """Hexadecimal, in which `00*16384` is a byte that many times."""
    parts = [re.fullmatch(r"([0-9a-f]*)(?:\*([0-9]+))?", part) for part in text.split()]
    return b"".join(bytes.fromhex(part[1]) * int(part[2] or 1) for part in parts)


def run_attachment(vector):
    """Seals again what opens. The opener is the test's own."""
    stored, size = stored_bytes(vector.input.decode()), int(vector["size"])
    key, id, salt = from_base64url(vector["key"]), from_base64url(vector["id"]), stored[:24]
    expect(len(stored), attachment.stored_size(size), "stored")
    chunk_sealer = attachment._ChunkSealer(key, id, salt)
    cipher, nonce, plain = chunk_sealer._cipher, chunk_sealer._nonce, b""
    for index, start in enumerate(range(56, len(stored), 16_400)):
        plain += cipher.decrypt((nonce ^ index).to_bytes(12, "big"), stored[start : start + 16_400], None)
    expect(hashlib.sha256(plain[:size]).digest(), from_base64url(vector["file-sha256"]), "file-sha256")
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sealed:
        source.write(plain[:size])
        source.seek(0)
        attachment._seal_into(source, sealed, size, key, id, salt)
        sealed.seek(0)
        expect(sealed.read() == stored, True, "the same sealed bytes")


@functools.lru_cache
def vector_keys():
    return VectorKeys(name for name in sorted(os.listdir(FOLDER)) if name.startswith("announcement-"))


def run_announcement(vector):
    """Makes each announcement again: its keys, its time and its app are in its bytes."""
    keys = vector_keys()
    for line in vector.input.split(b"\n"):
        expected = from_base64url(line)
        kind, sender = expected[1], SenderKey(keys.seed(expected[2:34]))
        announced_at, topic_end = int.from_bytes(expected[34:42], "big"), 43 + expected[42]
        topic = expected[43:topic_end].decode()
        if kind == 1:
            successor = SenderKey(keys.seed(expected[topic_end : topic_end + 32]))
            made = Announcement.succession(sender, successor, topic, announced_at)
        else:
            made = Announcement.revocation(sender, topic, announced_at)
        expect(made.data.hex(), expected.hex(), "bytes")


RUNS = {
    "announcement": run_announcement,
    "seal": run_seal,
    "bundle": run_bundle,
    "json": run_json,
    "base64url": run_base64url,
    "attachment-url": run_url,
    "safety-number": run_safety_number,
    "attachment": run_attachment,
}


def reason_not_to_run(vector):
    if vector["kind"] == "attachment" and vector["expect"] != "opened":
        return "a device opens attachments; what opens is sealed again"
    # Of the others a sender makes the bytes, and the device's contacts decide.
    if vector["kind"] == "announcement" and not NO_SENDERS_BYTES.isdisjoint(vector.fields["expect"]):
        return "a device judges bytes that no sender makes; the others are made again"
    return NOT_APPLICABLE.get(vector["kind"])


def main():
    counts, reasons, failed = collections.defaultdict(collections.Counter), {}, 0
    for name in sorted(os.listdir(FOLDER)):
        with open(os.path.join(FOLDER, name), "rb") as file:
            vector = Vector(file.read())
        kind = vector["kind"]
        reason = reason_not_to_run(vector)
        if reason:
            counts[kind]["not-applicable"] += 1
            reasons[kind] = reason
            continue
        counts[kind]["run"] += 1
        try:
            RUNS[kind](vector)
            counts[kind]["passed"] += 1
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
    if not counts["seal"]["run"]:
        sys.exit(f"no vectors in {FOLDER}")
    for kind in sorted(counts):
        count = counts[kind]
        print(
            f"python {kind} run {count['run']} passed {count['passed']} "
            f"not-applicable {count['not-applicable']}: {reasons.get(kind, '-')}"
        )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
