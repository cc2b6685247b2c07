#!/usr/bin/env python3
"""Opens a push as a device would, and prints what it shows. Every step is in sealedpush_py/device.py.

A device keeps its replay window and the order of changes on disk; this keeps them while it runs, for one push.
"""
import argparse
import json
import pathlib
import sys
import time

from key_files import private_keys, public_key
from sealedpush_py.device import Device
from sealedpush_py.encoding import PREKEY_CLASSES, Refused, topic_bytes
from sealedpush_py.keys import Prekey, is_acceptable_point
from sealedpush_py.rights import Allowed, Contact


def device_of(arguments):
    """One app on one device, with one contact: all of it known before the push comes."""
    identity, sender = public_key(arguments.identity, "identity"), public_key(arguments.sender, "sender")
    for key in identity, sender:
        if not is_acceptable_point(key):  # section 2: also when a key is pinned
            raise ValueError("a key that cannot be pinned")
    name = f"prekey x25519 {PREKEY_CLASSES[arguments.prekey_class]}"
    secrets = private_keys(arguments.prekey_secret, name)
    return Device(
        topic=topic_bytes(arguments.topic),
        identity=identity,
        prekeys=[Prekey.of_secret(secret, arguments.prekey_class, identity) for secret in secrets],
        contacts={sender: Contact("service" if arguments.service else "person")},
        allowed=Allowed(),  # no category, sound or user info unless the app lists them
        build_date=1_767_225_600_000)  # 2026: an app puts the date here on which it was built


def main():
    arguments = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    arguments.add_argument("payload", metavar="PUSH.json")
    for name in "--prekey-secret", "--identity", "--topic", "--sender":
        arguments.add_argument(name, required=True)
    arguments.add_argument("--class", dest="prekey_class", type=int, choices=PREKEY_CLASSES, default=1)
    arguments.add_argument("--service", action="store_true", help="the sender is a service, not a person")
    arguments = arguments.parse_args()
    device = device_of(arguments)
    outcome = device.open(pathlib.Path(arguments.payload).read_bytes(), now=time.time_ns() // 1_000_000)
    if outcome.kind != "opened":
        sys.exit(outcome.kind)  # the kind on standard error, never contents
    print(json.dumps(outcome.shows, ensure_ascii=False))
    device.shown(outcome)  # from now on the same push is a replay


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, Refused) as error:
        sys.exit(f"not opened: {type(error).__name__}")
