/// Run of an extension over one push. Events in, one action out; no clock, thread or lock.
struct Delivery {
    enum Event {
        case answered(ShownContent)
        case callReturned
        case timeLimitReached
        /// The time after the expiry call is over too.
        case graceOver
    }

    enum Action: Equatable {
        case none
        case callExpiry
        case finish(ExtensionOutcome)
        /// The content handler was called after the run's end.
        case reportLateCall
    }

    private var outcome = ExtensionOutcome()
    private var isExpired = false
    private var isFinished = false
    /// Calls into the extension that have not returned. An answer is final only at zero: a second call of the handler
    /// may follow, and has to be seen.
    private var runningCallCount = 1

    /// Starts with the call of `didReceive` running.
    init() {}

    mutating func handle(_ event: Event) -> Action {
        switch event {
        case .answered(let content):
            guard !isFinished else { return .reportLateCall }
            outcome.handlerCallCount += 1
            if outcome.answer == nil {
                outcome.answer = content
                outcome.isAnsweredAfterExpiry = isExpired
            }
            return finishIfDone()
        case .callReturned:
            runningCallCount -= 1
            return finishIfDone()
        case .timeLimitReached:
            guard !isFinished, outcome.answer == nil else { return .none }
            isExpired = true
            runningCallCount += 1
            return .callExpiry
        case .graceOver:
            return isFinished ? .none : finish()
        }
    }

    private mutating func finishIfDone() -> Action {
        guard !isFinished, outcome.answer != nil, runningCallCount == 0 else { return .none }
        return finish()
    }

    private mutating func finish() -> Action {
        isFinished = true
        switch outcome.handlerCallCount {
        case 0: outcome.ending = .timedOut
        case 1: outcome.ending = .returned
        default: outcome.ending = .terminatedForSecondAnswer
        }
        return .finish(outcome)
    }
}
