"""Sends a message to all devices of a group: one query for their bundles, one submission."""

import json
import os
from pathlib import Path

from sealedpush import BundleCache, BundleRefused, FilePins, IdentityKey, Message, Rejected, RelayClient, SenderKey
from sealedpush import prepare, seal

TOPIC = "com.example.chat"  # the app's bundle id
SAVED = Path("bundles.txt")

relay = RelayClient(os.environ["RELAY_URL"], os.environ["RELAY_KEY"], ca_file=os.environ.get("RELAY_CA"))
pins = FilePins("pins")
sender = SenderKey.load("sender.key")
cache = BundleCache.from_text(SAVED.read_text()) if SAVED.exists() else BundleCache()
identities = json.loads(Path("group.json").read_text())  # {"d1": "sealedpush-identity-1:…"}, of your own database

prepared = prepare(Message(title="Anna", body="To all of you"))
recipients = []
for device, bundle in relay.bundles(identities, cache).items():
    if bundle is None:
        print(f"{device}: the relay does not have it")
        continue
    try:
        recipient = pins.recipient(bundle, IdentityKey.from_text(identities[device]), TOPIC)
        recipients.append((device, seal(sender, prepared, recipient)))
    except BundleRefused as refused:
        print(f"{device}: {refused.reason}")
SAVED.write_text(cache.text)
for result in relay.send(recipients, topic=TOPIC, partial=True) if recipients else []:
    print(f"{result.device}: {result.problem if isinstance(result, Rejected) else result.id}")
