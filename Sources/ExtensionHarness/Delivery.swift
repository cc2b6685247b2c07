/// One run of an extension over one push. Events in, one action out; no clock, no thread, no lock.
struct Delivery {
    enum Event {
        /// The extension called its content handler.
        case answered(ShownContent)
        /// One of the system's calls into the extension returned.
        case callReturned
        /// The extension's time is over.
        case timeLimitReached
        /// The time after the expiry call is over too.
        case graceOver
    }

    enum Action: Equatable {
        case none
        case callExpiry
        case finish(ShownNotification)
        /// The content handler was called when nobody was waiting any more.
        case reportLateCall
    }

    private let original: ShownContent
    private var answer: ShownContent?
    private var isExpired = false
    private var isAnsweredAfterExpiry = false
    private var isFinished = false
    private var handlerCallCount = 0
    /// Calls into the extension that have not returned. An answer is final only when there are none: until then a second
    /// call of the handler may follow in the same breath, and has to be seen.
    private var runningCallCount = 1

    /// Starts with the call of `didReceive` running.
    init(original: ShownContent) {
        self.original = original
    }

    mutating func handle(_ event: Event) -> Action {
        switch event {
        case .answered(let content):
            guard !isFinished else { return .reportLateCall }
            handlerCallCount += 1
            if answer == nil {
                answer = content
                isAnsweredAfterExpiry = isExpired
            }
            return finishIfDone()
        case .callReturned:
            runningCallCount -= 1
            return finishIfDone()
        case .timeLimitReached:
            guard !isFinished, answer == nil else { return .none }
            isExpired = true
            runningCallCount += 1
            return .callExpiry
        case .graceOver:
            return isFinished ? .none : finish()
        }
    }

    private mutating func finishIfDone() -> Action {
        guard !isFinished, answer != nil, runningCallCount == 0 else { return .none }
        return finish()
    }

    private mutating func finish() -> Action {
        isFinished = true
        let (content, why) = result
        return .finish(ShownNotification(content: content, why: why, handlerCallCount: handlerCallCount))
    }

    private var result: (ShownContent, ShownNotification.Why) {
        guard let answer else { return (original, .timedOut) }
        guard answer.hasAlertText else { return (original, .emptyAnswer) }
        return (answer, isAnsweredAfterExpiry ? .expiredAndAnswered : .answered)
    }
}
