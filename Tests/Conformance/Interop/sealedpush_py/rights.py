"""Section 12: signed is not trusted. Members beyond a contact's rights are ignored, or not permitted."""
import dataclasses

from .encoding import require


@dataclasses.dataclass(frozen=True)
class Contact:
    role: str  # "person" or "service"
    rights: frozenset = frozenset()  # of "call", "critical", "time-sensitive", "links"

    @property
    def is_service(self):
        return self.role == "service"


@dataclasses.dataclass(frozen=True)
class Allowed:
    """The app's own lists, by names as code points. Empty unless the app says otherwise."""

    categories: frozenset = frozenset()
    sounds: frozenset = frozenset()
    user_info: frozenset = frozenset()
    attachments: bool = True


def require_permitted(message, contact):
    require(message["op"] != "badge" or contact.is_service, "not-permitted")
    require(message["op"] != "call" or "call" in contact.rights, "not-permitted")


def applied(message, contact, allowed):
    """The members that this contact may use; the others are ignored, and a level without the right is `active`."""
    kept = dict(message)
    if not contact.is_service:
        kept.pop("badge", None)
        kept.pop("sender", None)
    if message.get("level") in ("time-sensitive", "critical") and message["level"] not in contact.rights:
        kept["level"] = "active"
    if "links" not in contact.rights:
        kept.pop("target-content-id", None)
    if message.get("category") not in allowed.categories:
        kept.pop("category", None)
    if message.get("sound") not in allowed.sounds:
        kept.pop("sound", None)
    if "sound" not in kept or "critical" not in contact.rights:
        kept.pop("sound-volume", None)
    if not allowed.attachments:
        kept.pop("attachments", None)
    info = {name: value for name, value in message.get("user-info", {}).items() if name in allowed.user_info}
    kept.pop("user-info", None)
    return kept | ({"user-info": info} if info else {})
