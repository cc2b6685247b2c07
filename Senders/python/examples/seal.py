"""Seals a message for one device, and writes the push for APNs."""

from sealedpush import FilePins, IdentityKey, Message, Placeholder, SenderKey, prepare, seal
from sealedpush.encoding import from_base64url

TOPIC = "com.example.chat"  # the app's bundle id

sender = SenderKey.load("sender.key")
identity = IdentityKey.load("identity.pub")  # came over your own authenticated channel
with open("device.bundle") as file:
    bundle = from_base64url(file.read().strip())  # may come from anyone

pins = FilePins("pins")  # shared by all processes that seal for this sender
recipient = pins.recipient(bundle, identity, TOPIC)

message = Message(title="Anna", body="See you at eight", thread_id="conversation 7")
sealed = seal(sender, prepare(message), recipient)

with open("push.json", "wb") as file:
    file.write(sealed.payload(Placeholder(body="You have a new message")))
