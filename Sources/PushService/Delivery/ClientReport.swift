import APNS
import APNSProvider
import Envelope
import PushStore

/// Client's report of a push, for rules, outbox and metrics.
struct ClientReport {
    enum Blame: Equatable {
        /// Other apps of the credential may pass: a key limited to some topics gets the same reason.
        case app(Reason)
        /// The client sends nothing more with it.
        case credential(Reason)
    }

    let result: AttemptResult
    /// nil if nothing was written to APNs, which is no attempt.
    let attempt: Attempt?
    /// Attempts that the client repeated at once, oldest first.
    let earlier: [Attempt]
    let metric: ServiceMetrics.Outcome
    let status: Int?
    let reason: Reason?
    let failure: AttemptResult.Failure?
    let blame: Blame?
    /// Even the renewed provider token was refused.
    let hadExpiredProviderToken: Bool
    let waitCause: WaitCause?
    /// True if nothing followed `attempt`, the last reported.
    private let isGivenUp: Bool

    /// Reported while the client had the push; nearly always empty.
    var told: [Attempt] { isGivenUp ? earlier + [attempt].compactMap(\.self) : earlier }

    /// True if the push ended with a result beside `told`.
    var isBesideTold: Bool { !isGivenUp || metric != .notProcessed }

    /// Cause of a missing answer, else nil.
    func failure(of one: Attempt) -> AttemptResult.Failure? {
        switch one.connection {
        case .answered: nil
        case .notProcessed: failure == .notSendable && one == attempt ? .notSendable : .notProcessed
        case .ambiguous, .interrupted: failure ?? .ambiguous
        }
    }

    /// - Parameters:
    ///   - time: start of the last attempt.
    ///   - earlier: attempts before it; all, if the client gave up before another.
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
        // See `Dispatcher.suspend`.
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
