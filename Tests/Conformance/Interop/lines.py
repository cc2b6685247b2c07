#!/usr/bin/env python3
"""Seals or opens line by line, messages or attachments, as the verb says. README.md describes the lines."""
import collections
import json
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import setting
from sealedpush_py import attachment_file, bundle
from sealedpush_py.device import Device, State
from sealedpush_py.encoding import PUSH_CLASSES, Refused, base64url, from_base64url, topic_bytes
from sealedpush_py.seal import Sender


def seal_line(request):
    """The payload, or {"refused": KIND} for a bundle or message that cannot be sealed."""
    sender = Sender(Ed25519PrivateKey.from_private_bytes(from_base64url(request["sender-secret"], 32)),
                    topic_bytes(request["topic"]), request["class"], PUSH_CLASSES[request.get("push-class", "alert")])
    try:
        pinned = from_base64url(request["pinned"], 32)
        verified = bundle.verify(from_base64url(request["bundle"]), pinned, sender.topic, request["sent-at"])
        return sender.seal(request["message"], verified, request["sent-at"], request["lifetime-ms"])
    except Refused as refusal:
        return json.dumps({"refused": refusal.kind})


def open_line(request, windows):
    """{"expect": outcome, "shows": members or null}. `windows` holds the state of each name that came before."""
    identity = from_base64url(request["identity"], 32)
    device = Device(topic_bytes(request["topic"]), identity,
                    [setting.prekey(text, identity) for text in request["prekeys"]],
                    setting.contacts(request["contacts"]), request["build-date"], setting.allowed(request["allow"]),
                    push=PUSH_CLASSES[request.get("push-class", "alert")],
                    state=windows[request["window"]] if "window" in request else State())
    outcome = device.open(request["payload"].encode(), request["now"])
    device.shown(outcome)
    return {"expect": outcome.kind, "shows": outcome.shows}


def seal_attachment_line(request):
    """{"stored": …}, of one file."""
    key, attachment_id = from_base64url(request["key"], 32), from_base64url(request["id"], 16)
    return {"stored": base64url(attachment_file.seal(from_base64url(request["file"]), key, attachment_id))}


def open_attachment_line(request):
    """{"expect": outcome, "file": … or null}."""
    key, attachment_id = from_base64url(request["key"], 32), from_base64url(request["id"], 16)
    stored = from_base64url(request["stored"])
    try:
        file = attachment_file.open_stored(stored, key, attachment_id, request["size"])
        return {"expect": "opened", "file": base64url(file)}
    except Refused as refusal:
        return {"expect": refusal.kind, "file": None}


def main():
    answers = {"seal-attachment-lines": seal_attachment_line, "open-attachment-lines": open_attachment_line}
    if len(sys.argv) == 2 and sys.argv[1] in answers:
        for line in sys.stdin:
            print(json.dumps(answers[sys.argv[1]](json.loads(line))))
        return
    if sys.argv[1:] not in (["seal-lines"], ["open-lines"]):
        sys.exit("usage: lines.py seal-lines|open-lines|seal-attachment-lines|open-attachment-lines")
    windows = collections.defaultdict(State)
    for line in sys.stdin:
        request = json.loads(line)
        print(seal_line(request) if sys.argv[1] == "seal-lines" else json.dumps(open_line(request, windows)))


if __name__ == "__main__":
    main()
