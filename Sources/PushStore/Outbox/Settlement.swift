package import Envelope

/// Entry's state after an attempt; pure logic.
package struct Settlement: Equatable {
    package let state: EntryState
    /// Next due time; only for `.queued`.
    package var due: Timestamp?

    /// - Parameter attemptCount: includes this attempt.
    package init(_ verdict: Verdict, isOutcomeUnknown: Bool, attemptCount: Int, attemptLimit: Int?, deadline: Timestamp)
    {
        switch verdict {
        case .accepted: self.init(.accepted)
        case .dead(let reason): self.init(.dead(reason))
        case .park: self.init(.parked)
        case .retry(let time):
            if let attemptLimit, attemptCount >= attemptLimit {
                self.init(.dead(isOutcomeUnknown ? .outcomeUnknown : .attemptsExhausted))
            } else if time >= deadline {
                self.init(isOutcomeUnknown ? .dead(.outcomeUnknown) : .expired)
            } else {
                self.init(.queued, due: time)
            }
        }
    }

    /// Retry's lane: with an attempt limit it goes to the background (SAP Mobile Services repeats "with low
    /// priority").
    package static func lane(_ lane: Lane, attemptLimit: Int?, after state: EntryState) -> Lane {
        state == .queued && attemptLimit != nil ? .background : lane
    }

    /// Settles an entry after a crash. With a collapse id it is retried at once, within its limits. Without, a second
    /// push would show twice: it is dead, outcome unknown.
    package static func afterInterruption(
        isCollapsible: Bool,
        attemptCount: Int,
        attemptLimit: Int?,
        deadline: Timestamp,
        now: Timestamp
    ) -> Settlement {
        Settlement(
            isCollapsible ? .retry(at: now) : .dead(.outcomeUnknown),
            isOutcomeUnknown: true,
            attemptCount: attemptCount,
            attemptLimit: attemptLimit,
            deadline: deadline
        )
    }

    private init(_ state: EntryState, due: Timestamp? = nil) {
        self.state = state
        self.due = due
    }
}
