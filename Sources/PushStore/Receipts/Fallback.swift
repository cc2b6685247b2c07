package import Envelope

/// A fallback that was claimed: no other claim gets it before it is given back.
package struct ClaimedFallback: Equatable, Sendable {
    package let entry: OutboxEntry
    /// Since when it is due.
    package let due: Timestamp
    /// When a connection for it was first tried in vain; nil for never.
    package let tried: Timestamp?

    package init(entry: OutboxEntry, due: Timestamp, tried: Timestamp? = nil) {
        self.entry = entry
        self.due = due
        self.tried = tried
    }
}

/// What became of a claimed fallback.
package struct FallbackOutcome: Equatable, Sendable {
    package enum Verdict: Equatable, Sendable {
        /// It never fires again; its tenant is told of it as this kind of hook, nil for nothing.
        case ended(telling: HookKind?)
        /// Certainly not sent: it is armed again, and due at that time.
        case givenBack(due: Timestamp, tried: Timestamp?)
    }

    package let id: EntryID
    package let verdict: Verdict

    package init(id: EntryID, verdict: Verdict) {
        self.id = id
        self.verdict = verdict
    }
}
