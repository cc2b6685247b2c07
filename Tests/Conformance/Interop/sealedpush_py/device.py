"""Sections 8 and 9: a device's handling of a push, step by step. The first step that fails is the outcome."""
import dataclasses

from . import body, envelope, rights, succession
from .encoding import ALERT, CLOCK_SKEW, DAY, MINUTE, TIME_LIMIT, PushClass, Refused, from_base64url, require
from .frame import TRUNCATED_FLAG, Frame
from .json_strict import parse_object
from .keys import verifies
from .order import Order
from .replay import ReplayWindow
from .web_push import Subscription

CALL_LIFETIME_MAX = MINUTE


def shortest_decimal(text):
    """"0.50" is "0.5", and "1.0" is "1": one spelling for each number."""
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclasses.dataclass
class State:
    """A device's state between two pushes; in memory here."""

    window: ReplayWindow = dataclasses.field(default_factory=ReplayWindow)
    order: Order = dataclasses.field(default_factory=Order)
    is_available: bool = True


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`kind` is a name of section 13; `shows` is the app's input, or None; `claim` is for `Device.shown`."""

    kind: str
    shows: dict | None = None
    claim: tuple | None = None


@dataclasses.dataclass
class Device:
    """One app on one device."""

    topic: bytes
    identity: bytes  # IK
    prekeys: list
    contacts: dict  # rights.Contact by SK
    build_date: int
    allowed: rights.Allowed = rights.Allowed()
    lifetime_max: int = 7 * DAY
    push: PushClass = ALERT
    subscription: Subscription | None = None  # Web Push is off without one
    state: State = dataclasses.field(default_factory=State)
    retired: dict = dataclasses.field(default_factory=dict)  # succession.Retired by SK

    def open(self, payload, now, start=1, uptime=0):
        """The outcome for a payload (bytes). Whatever the bytes are, this returns. `uptime` is that of the device's `start`."""
        self._claim = None
        time = self.state.window.time
        time.pass_to(start, uptime)
        # Confirmed time advances by the uptime: the device's clock does not count.
        now = self.lower_bound if time.is_confirmed and time.lower_bound >= self.build_date else now
        try:
            push = parse_object(payload, integers_only=False, depth_max=64)
            require(not ("sealed" in push and "webpush" in push))
            if "sealed" in push:
                kind, shows = "opened", self._open_sealed(push["sealed"], now)
            else:
                require("webpush" in push and self.subscription, "not-sealed")
                kind, shows = "unauthenticated", self._open_web_push(push["webpush"])
        except Refused as refusal:
            kind, shows = refusal.kind, None
        return Outcome(kind, shows, self._claim)

    def shown(self, outcome):
        """The content was handed to iOS: the claim, if the replay window made one, is done."""
        if outcome.claim:
            self.state.window.done(outcome.claim)

    @property
    def lower_bound(self):
        return max(self.build_date, self.state.window.time.lower_bound)

    def _open_sealed(self, sealed, now):
        require(isinstance(sealed, str) and len(sealed) == self.push.sealed_length)
        sealed = envelope.Envelope.parse(from_base64url(sealed))  # step 1
        prekey = self._prekey(sealed.prekey_id)  # step 2
        info = envelope.info(self.topic, self.identity, prekey.fingerprint)
        frame = Frame.parse(envelope.hpke_open(sealed, prekey.secret, info))  # steps 3 and 4
        require(verifies(frame.sender_key, frame.signature, frame.statement(info)))
        contact, given_up = succession.contact_of(self.contacts, self.retired, frame.sender_key)  # step 5
        is_clock_trusted = self._require_timely(frame, now)  # step 6
        succession.require_accepted(given_up, max(now, self.lower_bound), self.lifetime_max)
        require(self.state.is_available, "store-unavailable")
        self._claim, is_again = self.state.window.claim(
            frame.sender_key, frame.message_id, frame.sent_at, frame.expires_at)  # step 7
        message = body.parse(frame.body)  # step 8
        if message["op"] == "call":
            require(frame.expires_at - frame.sent_at <= CALL_LIFETIME_MAX)
            require(is_clock_trusted, "clock-untrusted")
        rights.require_permitted(message, contact)
        require(message["op"] != "call" or not is_again, "replay")
        return self._shows(frame, rights.applied(message, contact, self.allowed))

    def _prekey(self, prekey_id):
        prekey = next((prekey for prekey in self.prekeys if prekey.id == prekey_id), None)
        require(prekey, "unknown-key")
        require(prekey.state != "destroyed", "stale-key")
        require(prekey.state != "locked", "locked")
        return prekey

    def _require_timely(self, frame, now):
        """Section 9. Returns whether the clock can be trusted."""
        require(frame.sent_at < frame.expires_at <= frame.sent_at + self.lifetime_max)
        require(frame.expires_at < TIME_LIMIT)
        is_clock_trusted = now >= self.lower_bound - CLOCK_SKEW
        require(frame.expires_at > (now if is_clock_trusted else self.lower_bound), "expired")
        require(not is_clock_trusted or frame.sent_at <= now + CLOCK_SKEW, "clock-untrusted")
        return is_clock_trusted

    def _shows(self, frame, message):
        """The second half of step 9, and step 10: order, then the app's input."""
        order = self.state.order
        order.forget(self.lower_bound, self.lifetime_max)
        order.apply_change(frame.sender_key, frame, message, self.state.window)
        if "badge" in message and not order.apply_badge(frame.sender_key, frame):
            require(message["op"] != "badge", "superseded")
            del message["badge"]
        hidden = {"op": "show", "level": "active"}  # said by their absence
        shows = {name: value for name, value in message.items() if hidden.get(name) != value}
        for name in shows.keys() & {"relevance-score", "sound-volume"}:
            shows[name] = shortest_decimal(shows[name])
        return shows | ({"truncated": True} if frame.flags & TRUNCATED_FLAG else {})

    def _open_web_push(self, record):
        require(isinstance(record, str))
        record = from_base64url(record)
        shows = self.subscription.open(record)
        require(self.state.is_available, "store-unavailable")
        self._claim = self.state.window.claim_web_push(self.subscription.replay_key(record))
        return shows
