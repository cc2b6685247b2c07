"""Section 10: the replay window, in memory. A real one is on disk and shared by the app and its extension."""
import dataclasses
import hashlib
import heapq

from .encoding import DAY, SECOND, require

CLAIM_TIME = 35 * SECOND  # a process that claimed a message and showed nothing for so long has died
SENDER_LIMIT = 4_096
KEPT_AFTER_EXPIRY = DAY


@dataclasses.dataclass
class Entry:
    expires_at: int
    claimed_at: int
    sent_at: int = 0
    is_done: bool = False


class Quota:
    """The live ids of one sender, and the floor: what expires at or before it is too old to be told apart."""

    def __init__(self):
        self.entries, self.by_expiry, self.floor = {}, [], -1

    def claim(self, key, expires_at, now, lower_bound, sent_at):
        """Whether it is claimed `again`; refuses what was seen, and what can no longer be told from that."""
        entry = self.entries.get(key)
        if entry:
            require(not entry.is_done and not 0 <= now - entry.claimed_at < CLAIM_TIME, "replay")
            entry.claimed_at = now
            return True
        require(expires_at > self.floor, "too-old")
        self._forget_expired(lower_bound)
        if len(self.entries) >= SENDER_LIMIT:
            self.floor = max(self.floor, self._drop_first())
        self.entries[key] = Entry(expires_at, now, sent_at)
        heapq.heappush(self.by_expiry, (expires_at, key))
        return False

    def _forget_expired(self, lower_bound):
        # Not an eviction: whatever is judged by this bound calls such a message expired before it gets here.
        while self.by_expiry and self.by_expiry[0][0] + KEPT_AFTER_EXPIRY <= lower_bound:
            self._drop_first()

    def _drop_first(self):
        expires_at, key = heapq.heappop(self.by_expiry)
        del self.entries[key]
        return expires_at


class ReplayWindow:
    """All senders' quotas, and the stored part of the clock's lower bound (section 9)."""

    def __init__(self):
        self.quotas, self.latest_sent_at = {}, 0

    def claim(self, sender_key, message_id, sent_at, expires_at, now, build_date):
        """(key, whether it was claimed again). The key is for `done`."""
        key = hashlib.sha256(sender_key + message_id).digest()[:16]
        quota = self.quotas.setdefault(sender_key, Quota())
        # Before the verdict: a replay, and what is too old, is verified too.
        self.latest_sent_at = max(self.latest_sent_at, min(sent_at, now))
        again = quota.claim(key, expires_at, now, max(build_date, self.latest_sent_at), sent_at)
        return (sender_key, key), again

    def stamp(self, sender_key, message_id):
        """(sent-at, message id) of an id that is here, whatever became of the message; or None."""
        quota = self.quotas.get(sender_key)
        entry = quota and quota.entries.get(hashlib.sha256(sender_key + message_id).digest()[:16])
        return (entry.sent_at, message_id) if entry else None

    def claim_web_push(self, key, now):
        """Section 18: no sender and no expiry. A quota of its own, of which the first claimed goes first."""
        quota = self.quotas.setdefault("web-push", Quota())
        if key not in quota.entries and len(quota.entries) >= SENDER_LIMIT:
            del quota.entries[next(iter(quota.entries))]
        entry = quota.entries.get(key)
        require(not entry or not entry.is_done and not 0 <= now - entry.claimed_at < CLAIM_TIME, "replay")
        quota.entries[key] = Entry(0, now)
        return "web-push", key

    def lift_floor(self, sender_key, floor):
        """As if ids that expire then had been evicted; for vectors."""
        quota = self.quotas.setdefault(sender_key, Quota())
        quota.floor = max(quota.floor, floor)

    def done(self, claim):
        """The content was handed over: from now on this message is a replay."""
        sender, key = claim
        self.quotas[sender].entries[key].is_done = True
