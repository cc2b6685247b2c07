"""Section 10: the replay window, in memory. A real one is on disk and shared by the app and its extension."""
import dataclasses
import hashlib
import heapq

from .encoding import DAY, SECOND, require

CLAIM_TICKS = 35  # a process that claimed a message and showed nothing for so many seconds has died
SENDER_LIMIT = 4_096
KEPT_AFTER_EXPIRY = DAY


@dataclasses.dataclass
class Entry:
    expires_at: int
    claimed_at: int
    sent_at: int = 0
    is_done: bool = False


class Quota:
    """The live ids of one sender, and the floor: an id that expires at or before it is too old to be told apart."""

    def __init__(self):
        self.entries, self.by_expiry, self.floor = {}, [], -1

    def claim(self, key, expires_at, tick, lower_bound, sent_at):
        """Returns True if it is claimed again; refuses seen ids, and those that can no longer be told from them."""
        entry = self.entries.get(key)
        if entry:
            require(not entry.is_done and tick - entry.claimed_at > CLAIM_TICKS, "replay")
            entry.claimed_at = tick
            return True
        require(expires_at > self.floor, "too-old")
        self._forget_expired(lower_bound)
        if len(self.entries) >= SENDER_LIMIT:
            self.floor = max(self.floor, self._drop_first())
        self.entries[key] = Entry(expires_at, tick, sent_at)
        heapq.heappush(self.by_expiry, (expires_at, key))
        return False

    def _forget_expired(self, lower_bound):
        # A floor, too: a confirmation may take the bound back.
        while self.by_expiry and self.by_expiry[0][0] + KEPT_AFTER_EXPIRY <= lower_bound:
            self.floor = max(self.floor, self._drop_first())

    def _drop_first(self):
        expires_at, key = heapq.heappop(self.by_expiry)
        del self.entries[key]
        return expires_at


class KnownTime:
    """Section 9: a source's confirmed time, and its age by the uptime. Each start's uptime begins anew."""

    def __init__(self):
        self.start = self.uptime = self.tick = self.lower_bound = 0
        self.confirmed = None  # (time, start, uptime)

    def pass_to(self, start, uptime):
        # A restart is longer than a claim lives, whatever the uptime is then.
        seconds = uptime // SECOND - self.uptime // SECOND if start == self.start else CLAIM_TICKS + 1
        self.tick, self.start, self.uptime = self.tick + max(0, seconds), start, uptime
        if self.is_confirmed:
            self.lower_bound = max(self.lower_bound, self.confirmed[0] + max(0, uptime - self.confirmed[2]))

    def confirm(self, time):
        self.confirmed, self.lower_bound = (time, self.start, self.uptime), time

    @property
    def is_confirmed(self):
        """True if the lower bound is the time itself."""
        return self.confirmed is not None and self.confirmed[1] == self.start


class ReplayWindow:
    """All senders' quotas, and the known time."""

    def __init__(self):
        self.quotas, self.time = {}, KnownTime()

    def claim(self, sender_key, message_id, sent_at, expires_at):
        """(key, True if it was claimed again). The key is for `done`."""
        key = hashlib.sha256(sender_key + message_id).digest()[:16]
        quota = self.quotas.setdefault(sender_key, Quota())
        again = quota.claim(key, expires_at, self.time.tick, self.time.lower_bound, sent_at)
        return (sender_key, key), again

    def stamp(self, sender_key, message_id):
        """(sent-at, message id) of a known id, whatever the message's end; or None."""
        quota = self.quotas.get(sender_key)
        entry = quota and quota.entries.get(hashlib.sha256(sender_key + message_id).digest()[:16])
        return (entry.sent_at, message_id) if entry else None

    def claim_web_push(self, key):
        """Section 18: no sender and no expiry. A quota of its own, whose oldest claim goes first."""
        quota = self.quotas.setdefault("web-push", Quota())
        if key not in quota.entries and len(quota.entries) >= SENDER_LIMIT:
            del quota.entries[next(iter(quota.entries))]
        entry = quota.entries.get(key)
        tick = self.time.tick
        require(not entry or not entry.is_done and tick - entry.claimed_at > CLAIM_TICKS, "replay")
        quota.entries[key] = Entry(0, tick)
        return "web-push", key

    def lift_floor(self, sender_key, floor):
        """As if ids that expire then had been evicted; for vectors."""
        quota = self.quotas.setdefault(sender_key, Quota())
        quota.floor = max(quota.floor, floor)

    def done(self, claim):
        """The content was handed over: from now on this message is a replay."""
        sender, key = claim
        self.quotas[sender].entries[key].is_done = True
