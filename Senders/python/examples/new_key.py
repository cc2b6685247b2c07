"""Announces that a new key takes the old one's place. Never announce a second one: devices refuse it."""

from pathlib import Path

from sealedpush import Announcement, SenderKey

TOPIC = "com.example.chat"  # the app's bundle id; each app needs its own announcement

old = SenderKey.load("sender.key")
new = SenderKey.load_or_make("sender-new.key")
Path("succession").write_bytes(Announcement.succession(old, new, TOPIC).data)
# Keep this one: your app gets it only if the old key is stolen. It ends the key at once.
Path("revocation").write_bytes(Announcement.revocation(old, TOPIC).data)
