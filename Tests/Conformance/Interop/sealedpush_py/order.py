"""Section 11: of several changes to one message, or to one badge, the latest by (sent-at, message id) counts."""
from .encoding import CLOCK_SKEW, from_base64url, require


class Order:
    """The last changes. A sender can only name messages of its own: its key is part of every name."""

    def __init__(self):
        self.messages, self.badges = {}, {}

    def apply_change(self, sender_key, frame, message, window):
        """A show, replace or remove; one older than the applied one is superseded. The same one again is not.

        Before any change of the target, a replace or remove must be later than the message with its id."""
        if message["op"] not in ("show", "replace", "remove"):
            return
        target = from_base64url(message["target"], 16) if "target" in message else frame.message_id
        name = sender_key, target
        stamp = frame.sent_at, frame.message_id  # bytes compare as the big-endian number they are
        require(self.messages.get(name, stamp) <= stamp, "superseded")
        if name not in self.messages and message["op"] != "show":
            named = window.stamp(*name)
            require(named is None or named < stamp, "superseded")
        self.messages[name] = stamp

    def apply_badge(self, sender_key, frame):
        """True if this badge counts: it is not older than the last one of the same sender."""
        stamp = frame.sent_at, frame.message_id
        if self.badges.get(sender_key, stamp) > stamp:
            return False
        self.badges[sender_key] = stamp
        return True

    def forget(self, lower_bound, lifetime_max):
        """Drops changes that no message can overtake any more: all that was sent before has expired."""
        last = lower_bound - CLOCK_SKEW - lifetime_max
        self.messages = {name: stamp for name, stamp in self.messages.items() if stamp[0] > last}
