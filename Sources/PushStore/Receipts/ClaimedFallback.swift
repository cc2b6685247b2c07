package import Envelope

/// No other claim gets it until it is given back.
package struct ClaimedFallback: Equatable, Sendable {
    package let entry: OutboxEntry
    package let due: Timestamp
    /// Time of the first failed connection; nil for none.
    package let tried: Timestamp?

    package init(entry: OutboxEntry, due: Timestamp, tried: Timestamp? = nil) {
        self.entry = entry
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
    package let verdict: Verdict

    package init(id: EntryID, verdict: Verdict) {
        self.id = id
        self.verdict = verdict
    }
}
