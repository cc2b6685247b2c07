#!/usr/bin/env python3
"""Seals a message for one device, as a back end would. The bytes are made in sealedpush_py/seal.py.

What a back end needs: the device's identity, pinned through the app's own channel; its bundle, from anywhere; a
sender's key that devices have as a contact; and, for each identity, the newest bundle it has seen (--pin).
"""
import argparse
import json
import pathlib
import sys
import time

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import key_files
from sealedpush_py import bundle
from sealedpush_py.encoding import PREKEY_CLASSES, Refused, base64url, from_base64url, topic_bytes
from sealedpush_py.seal import Sender


def read_pin(path):
    """The record of the newest bundle (section 16), or None the first time."""
    if path is None or not pathlib.Path(path).exists():
        return None
    saved = json.loads(pathlib.Path(path).read_text())
    suites = {int(prekey_class): suite for prekey_class, suite in saved["suites"].items()}
    return bundle.Pin(saved["epoch"], from_base64url(saved["digest"], 32), suites)


def write_pin(path, pin):
    """Whole or not at all. Several processes of one sender would need a lock around both."""
    saved = {"epoch": pin.epoch, "digest": base64url(pin.digest), "suites": pin.suites}
    new = pathlib.Path(path + ".new")
    new.write_text(json.dumps(saved))
    new.replace(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    arguments.add_argument("message", metavar="MESSAGE.json", help="the members of section 6")
    for name in "--sender-key", "--bundle", "--identity", "--topic", "--out":
        arguments.add_argument(name, required=True)
    arguments.add_argument("--pin", help="a file for what is remembered between two runs")
    arguments.add_argument("--class", dest="prekey_class", type=int, choices=PREKEY_CLASSES, default=1)
    arguments.add_argument("--lifetime", type=int, default=86_400, help="seconds, at most seven days")
    a, now = arguments.parse_args(), time.time_ns() // 1_000_000
    sender = Sender(
        key=Ed25519PrivateKey.from_private_bytes(key_files.private_keys(a.sender_key, "sender")[0]),
        topic=topic_bytes(a.topic),
        prekey_class=a.prekey_class,
        placeholder='{"body":"You have a new message"}')  # a constant of the app: it never says more
    pinned = key_files.public_key(a.identity, "identity")
    verified = bundle.verify(key_files.bundle(a.bundle), pinned, sender.topic, now, read_pin(a.pin))
    if a.pin:
        write_pin(a.pin, verified.pin)
    payload = sender.seal(key_files.message(a.message), verified, sent_at=now, lifetime=a.lifetime * 1_000)
    pathlib.Path(a.out).write_text(payload)


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        sys.exit(f"not sealed: {refusal.kind}")
    except (OSError, ValueError) as error:
        sys.exit(f"not sealed: {type(error).__name__}")
