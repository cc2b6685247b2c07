"""Seals a message for one device, and gives it to the relay."""

import os

from sealedpush import ConnectionFailed, FilePins, IdentityKey, Message, Problem, Receipt, RelayClient, SenderKey
from sealedpush import prepare, seal

TOPIC = "com.example.chat"  # the app's bundle id
DEVICE = "d1"  # your id of the device, under which the app's back end registered it

relay = RelayClient(os.environ["RELAY_URL"], os.environ["RELAY_KEY"], ca_file=os.environ.get("RELAY_CA"))
pins = FilePins("pins")
sender = SenderKey.load("sender.key")
identity = IdentityKey.load("identity.pub")

recipient = pins.recipient(relay.bundle(DEVICE), identity, TOPIC)
message = Message(title="Anna", body="The relay cannot read this", receipt=Receipt())
sealed = seal(sender, prepare(message), recipient)
try:
    accepted = relay.send([(DEVICE, sealed)], topic=TOPIC, notification_class="normal")
    print(accepted[0].id)
except Problem as problem:  # nothing was sent; the relay says why
    raise SystemExit(problem)
except ConnectionFailed as error:  # unknown: send it again with this key, and nothing is sent twice
    raise SystemExit(f"{error}; again with {error.idempotency_key}")
