package import Envelope

/// No other claim gets it until it is given back.
package struct ClaimedFallback: Equatable, Sendable {
    package let entry: OutboxEntry
    package let lease: ShardLease
    package let due: Timestamp
    /// Time of the first failed connection; nil for none.
    package let tried: Timestamp?

    package init(entry: OutboxEntry, lease: ShardLease, due: Timestamp, tried: Timestamp? = nil) {
        self.entry = entry
        self.lease = lease
        self.due = due
        self.tried = tried
    }
}

package struct FallbackOutcome: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        /// Never fires again; writes this hook, nil for none.
        case ended(telling: HookKind?)
        /// Certainly not sent: re-armed for that time.
        case givenBack(due: Timestamp, tried: Timestamp?)
    }

    package let id: EntryID
    package let lease: ShardLease
    package let verdict: Verdict

    package init(_ fallback: ClaimedFallback, _ verdict: Verdict) {
        self.init(id: fallback.entry.id, lease: fallback.lease, verdict: verdict)
    }

    package init(id: EntryID, lease: ShardLease, verdict: Verdict) {
        self.id = id
        self.lease = lease
        self.verdict = verdict
    }
}
