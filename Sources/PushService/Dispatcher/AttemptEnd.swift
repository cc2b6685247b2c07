import APNS
import APNSProvider
import Envelope
import PushStore

/// How an attempt ended, from the client's words into those of the rules, of the outbox and of the metrics. A value.
struct AttemptEnd {
    /// APNs does not believe the credential.
    enum Blame: Equatable {
        /// It said so of this push; others of the credential may pass (a key for some topics is told so with the same
        /// words).
        case app(Reason)
        /// The client sends nothing more with it.
        case credential(Reason)
    }

    let outcome: AttemptOutcome
    /// nil: nothing was written to APNs, and it counts as none.
    let attempt: PushStore.Attempt?
    /// What the client had sent before at once, in its order.
    let earlier: [PushStore.Attempt]
    let metric: ServiceMetrics.Outcome
    let status: Int?
    let reason: Reason?
    /// Why there was no answer to something that was begun.
    let failure: AttemptFailure?
    /// Why the credential is not believed, if it is not.
    let blame: Blame?
    /// The token had been renewed already, and was too old again.
    let hadExpiredProviderToken: Bool
    /// What it waits for where nothing was written.
    let waitCause: WaitCause?
    /// The client gave up before another attempt: `attempt` is the last of those that it had told of.
    private let isGivenUp: Bool

    /// The attempts that the client told of while it had the push; for nearly all pushes none.
    var told: [PushStore.Attempt] { isGivenUp ? earlier + [attempt].compactMap(\.self) : earlier }

    /// Whether it ended with something beside these. What was not processed is one of them.
    var isBesideTold: Bool { !isGivenUp || metric != .notProcessed }

    /// - Parameter one: one of these attempts.
    /// - Returns: why it has no answer; nil: it has one.
    func failure(of one: PushStore.Attempt) -> AttemptFailure? {
        switch one.connection {
        case .answered: nil
        case .notProcessed: failure == .notSendable && one == attempt ? .notSendable : .notProcessed
        case .ambiguous, .interrupted: failure ?? .ambiguous
        }
    }

    /// - Parameters:
    ///   - result: the client's.
    ///   - time: of the attempt that it ended with.
    ///   - earlier: those before it. Where the client gave up before another, the last of them is the attempt.
    init(_ result: Result<APNSResponse, ProviderError>, time: Timestamp, after earlier: [PushStore.Attempt] = []) {
        switch result {
        case .success(let response): self.init(response, time: time, earlier)
        case .failure(let error): self.init(error, time: time, earlier)
        }
    }

    private init(_ error: ProviderError, time: Timestamp, _ earlier: [PushStore.Attempt]) {
        var blame: Blame?
        var attempt: PushStore.Attempt?
        var isLast = true
        var failure: AttemptFailure?
        switch error {
        case .ambiguous, .cancelled(mayHaveBeenSent: true):
            var word = AttemptFailure.ambiguous
            if case .ambiguous(let lost) = error { word = AttemptFailure(unknown: lost.cause) }
            failure = word
            (outcome, metric) = (.ambiguous, .ambiguous)
            attempt = Attempt(time: time, connection: .ambiguous, reason: word.rawValue)
        case .suspended(let reason):
            (outcome, metric, isLast) = (.suspended, .suspended, false)
            blame = .credential(reason)
        case .key:
            (outcome, metric, isLast) = (.suspended, .suspended, false)
            blame = .credential(.invalidProviderToken)
        case .notSendable(let fault):
            failure = .notSendable
            (outcome, metric) = (.notSendable(fault.reason), .notSendable)
            // Its end, which says why.
            let word = fault.reason?.rawValue ?? AttemptFailure.notSendable.rawValue
            attempt = Attempt(time: time, connection: .notProcessed, reason: word)
        case .notProcessed(let lost) where lost.attemptCount > 0:
            failure = .notProcessed
            (outcome, metric) = (.notProcessed, .notProcessed)
            attempt = Attempt(time: time, connection: .notProcessed, reason: AttemptFailure.notProcessed.rawValue)
            isLast = false
        // Taken back when its app was stopped: see `Dispatcher.suspend`.
        case .cancelled(mayHaveBeenSent: false):
            (outcome, metric, isLast) = (.suspended, .suspended, false)
        case .notProcessed, .queueFull, .closed, .tls, .certificate, .system:
            (outcome, metric, isLast) = (earlier.isEmpty ? .notWritten : .notProcessed, .notProcessed, false)
        }
        isGivenUp = !isLast && !earlier.isEmpty
        if !isLast, let last = earlier.last {
            (self.attempt, self.earlier) = (last, Array(earlier.dropLast()))
        } else {
            (self.attempt, self.earlier) = (attempt, earlier)
        }
        (status, reason) = (nil, nil)
        self.failure = failure
        self.blame = blame
        hadExpiredProviderToken = false
        waitCause = metric == .suspended ? .credential : .connection
    }

    private init(_ response: APNSResponse, time: Timestamp, _ earlier: [PushStore.Attempt]) {
        self.earlier = earlier
        isGivenUp = false
        waitCause = nil
        var timestamp: Int64?
        var text: String?
        if case .rejected(let body) = response.outcome {
            timestamp = body?.timestampMilliseconds
            text = body?.reasonText
        }
        outcome = .answered(status: response.status, reason: response.reason, timestampMilliseconds: timestamp)
        attempt = Attempt(
            time: time,
            connection: .answered,
            status: response.status,
            reason: text,
            uniqueID: response.uniqueID
        )
        metric = response.status == 200 ? .accepted : .unknownReason
        status = response.status
        reason = response.reason
        failure = nil
        blame = response.disposition.lane == .suspend ? response.reason.map { .app($0) } : nil
        hadExpiredProviderToken = response.reason == .expiredProviderToken && response.attemptCount > 1
    }
}

extension Verdict.Notification {
    /// As the outbox has it.
    ///
    /// - Parameter deadline: the notification's.
    /// - Returns: the outbox's verdict; a retry at the deadline is one that it ends as expired.
    func settled(deadline: Timestamp) -> PushStore.Verdict {
        switch self {
        case .accepted: .accepted
        case .undeliverable: .dead(.undeliverable)
        case .dead(.refused), .dead(.notSendable): .dead(.rejected)
        case .dead(.attemptsExhausted): .dead(.attemptsExhausted)
        case .dead(.outcomeUnknown): .dead(.outcomeUnknown)
        case .parked: .park
        case .retry(let milliseconds, _): .retry(at: Timestamp(milliseconds: UInt64(max(0, milliseconds))))
        case .expired: .retry(at: deadline)
        }
    }
}

extension DispatchLane {
    init(_ lane: Lane) {
        self =
            switch lane {
            case .urgent: .urgent
            case .normal: .normal
            case .background: .background
            }
    }

    var stored: Lane {
        switch self {
        case .urgent: .urgent
        case .normal: .normal
        case .background: .background
        }
    }
}
