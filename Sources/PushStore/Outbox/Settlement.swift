internal import Envelope

/// What an entry becomes after an attempt. No clock and no disk.
struct Settlement: Equatable {
    let state: EntryState
    /// When it is due again; only for `.queued`.
    var due: Timestamp?

    /// - Parameters:
    ///   - verdict: the sender's.
    ///   - isOutcomeUnknown: of this attempt.
    ///   - attemptCount: with this one.
    ///   - attemptLimit: nil for none.
    ///   - deadline: when its time is over.
    init(_ verdict: Verdict, isOutcomeUnknown: Bool, attemptCount: Int, attemptLimit: Int?, deadline: Timestamp) {
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

    /// Where an entry that is to be repeated waits from now on: one with few attempts has no hurry, and goes behind all
    /// else (SAP Mobile Services repeats "with low priority").
    static func lane(_ lane: Lane, attemptLimit: Int?, after state: EntryState) -> Lane {
        state == .queued && attemptLimit != nil ? .background : lane
    }

    /// After a crash while it was on its way: at once again with its collapse id, unless it may not or its time is over.
    /// Without one a second push would be a second notification: then it is dead, and its tenant is told that nobody knows.
    static func afterInterruption(
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
