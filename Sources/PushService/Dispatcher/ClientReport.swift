import APNS
import APNSProvider
import Envelope
import PushStore

/// The client's report of a push, in the words of the rules, of the outbox and of the metrics. A value.
struct ClientReport {
    /// APNs does not believe the credential.
    enum Blame: Equatable {
        /// It said so of this push; others of the credential may pass (a key for some topics is told so with the same
        /// words).
        case app(Reason)
        /// The client sends nothing more with it.
        case credential(Reason)
    }

    let result: AttemptResult
    /// nil where nothing was written to APNs, which counts as none.
    let attempt: Attempt?
    /// Those before it that the client repeated at once, in their order.
    let earlier: [Attempt]
    let metric: ServiceMetrics.Outcome
    let status: Int?
    let reason: Reason?
    /// The cause of a missing answer to something that was begun.
    let failure: AttemptResult.Failure?
    /// The reason why APNs does not believe the credential, if it does not.
    let blame: Blame?
    /// The token had been renewed already, and was too old again.
    let hadExpiredProviderToken: Bool
    /// The wait's cause where nothing was written.
    let waitCause: WaitCause?
    /// The client gave up before another attempt: `attempt` is the last of those that it had told of.
    private let isGivenUp: Bool

    /// The attempts that the client told of while it had the push; for nearly all pushes none.
    var told: [Attempt] { isGivenUp ? earlier + [attempt].compactMap(\.self) : earlier }

    /// True where it ended with something beside these. A push that was not processed ended with one of them.
    var isBesideTold: Bool { !isGivenUp || metric != .notProcessed }

    /// - Parameter one: one of these attempts.
    /// - Returns: the cause of its missing answer; nil for one with an answer.
    func failure(of one: Attempt) -> AttemptResult.Failure? {
        switch one.connection {
        case .answered: nil
        case .notProcessed: failure == .notSendable && one == attempt ? .notSendable : .notProcessed
        case .ambiguous, .interrupted: failure ?? .ambiguous
        }
    }

    /// - Parameters:
    ///   - answer: The client's.
    ///   - time: of the attempt that it ended with.
    ///   - earlier: those before it. Where the client gave up before another, the last of them is the attempt.
    init(_ answer: Result<APNSResponse, ProviderError>, time: Timestamp, after earlier: [Attempt] = []) {
        switch answer {
        case .success(let response): self.init(response, time: time, earlier)
        case .failure(let error): self.init(error, time: time, earlier)
        }
    }

    private init(_ error: ProviderError, time: Timestamp, _ earlier: [Attempt]) {
        var blame: Blame?
        var attempt: Attempt?
        var isLast = true
        var failure: AttemptResult.Failure?
        switch error {
        case .ambiguous, .cancelled(mayHaveBeenSent: true):
            var word = AttemptResult.Failure.ambiguous
            if case .ambiguous(let lost) = error { word = AttemptResult.Failure(unknown: lost.cause) }
            failure = word
            (result, metric) = (.ambiguous, .ambiguous)
            attempt = Attempt(time: time, connection: .ambiguous, reason: word.rawValue)
        case .suspended(let reason):
            (result, metric, isLast) = (.suspended, .suspended, false)
            blame = .credential(reason)
        case .key:
            (result, metric, isLast) = (.suspended, .suspended, false)
            blame = .credential(.invalidProviderToken)
        case .notSendable(let fault):
            failure = .notSendable
            (result, metric) = (.notSendable, .notSendable)
            // Its end, which says why.
            let word = fault.reason?.rawValue ?? AttemptResult.Failure.notSendable.rawValue
            attempt = Attempt(time: time, connection: .notProcessed, reason: word)
        case .notProcessed(let lost) where lost.attemptCount > 0:
            failure = .notProcessed
            (result, metric) = (.notProcessed, .notProcessed)
            attempt = Attempt(
                time: time,
                connection: .notProcessed,
                reason: AttemptResult.Failure.notProcessed.rawValue
            )
            isLast = false
        // Taken back when its app was stopped: see `Dispatcher.suspend`.
        case .cancelled(mayHaveBeenSent: false):
            (result, metric, isLast) = (.suspended, .suspended, false)
        case .notProcessed, .queueFull, .closed, .tls, .certificate, .system:
            (result, metric, isLast) = (earlier.isEmpty ? .notWritten : .notProcessed, .notProcessed, false)
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

    private init(_ response: APNSResponse, time: Timestamp, _ earlier: [Attempt]) {
        self.earlier = earlier
        isGivenUp = false
        waitCause = nil
        var timestamp: Timestamp?
        var text: String?
        if case .rejected(let body) = response.outcome {
            timestamp = body?.timestampMilliseconds.map { Timestamp(milliseconds: UInt64(max(0, $0))) }
            text = body?.reasonText
        }
        result = .answered(status: response.status, reason: response.reason, timestamp: timestamp)
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
