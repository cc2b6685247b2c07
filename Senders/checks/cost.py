"""Prints this process's CPU time for each recipient, in nanoseconds: cost.py SENDER-KEY RECIPIENTS PINS ROUNDS.

The first line is for verifying and pinning a bundle, each other one for sealing a message in one round. RECIPIENTS has
a line for each: its id, identity and bundle. The other languages' programs here do the same.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))

from sealedpush import FilePins, IdentityKey, Message, SenderKey, prepare, seal  # noqa: E402
from sealedpush.encoding import from_base64url  # noqa: E402

TOPIC = "com.example.chat"


def main():
    key, file, folder, rounds = sys.argv[1:]
    sender, pins = SenderKey.load(key), FilePins(folder)
    with open(file) as lines:
        devices = [line.split() for line in lines]
    start = time.process_time_ns()
    recipients = []
    for _, identity, bundle in devices:
        recipients.append(pins.recipient(from_base64url(bundle), IdentityKey.from_text(identity), TOPIC))
    print((time.process_time_ns() - start) // len(devices), flush=True)
    for _ in range(int(rounds)):
        start = time.process_time_ns()
        prepared = prepare(Message(title="Anna", body="See you at eight"))
        sealed = [seal(sender, prepared, recipient).field for recipient in recipients]
        print((time.process_time_ns() - start) // len(sealed), flush=True)


main()
