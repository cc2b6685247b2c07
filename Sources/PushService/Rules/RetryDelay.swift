package import Envelope
package import PushStore

/// Time of the next attempt, before the deadline. The wait doubles up to 15 minutes; half of it is random.
///
/// - Source: "Handling notification responses from APNs": after a 5xx, "exponential back-off" and 15 minutes.
package struct RetryDelay: Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        /// APNs failed or was overloaded: 500, 503.
        case server
        /// Too many pushes to this device, or too many new provider tokens.
        case limit
        /// Connection failed; APNs has not acted.
        case connection
    }

    /// Apple's longest wait.
    package static let ceiling = Duration.seconds(900)
    /// Time for a last attempt before the deadline.
    static let lastTry = Duration.seconds(1)

    /// First wait after a 5xx in the normal queue. Urgent ones begin with a second, as they would not outlast 15
    /// minutes; background ones with 15 minutes.
    private let serverFirst: Duration

    package init(serverErrorWaitSeconds: Int = 30) { serverFirst = .seconds(serverErrorWaitSeconds) }

    /// Wait without jitter, up to `ceiling`.
    ///
    /// - Parameter attemptCount: Failed attempts, 1 or more.
    package func fullWait(attemptCount: Int, cause: Cause, lane: Lane) -> Duration {
        let first: Duration =
            switch (cause, lane) {
            case (.server, .urgent): .seconds(1)
            case (.server, .normal): serverFirst
            case (.server, .background): Self.ceiling
            case (.limit, _): .seconds(2)
            case (.connection, .urgent): .milliseconds(250)
            case (.connection, _): .seconds(1)
            }
        // 2^20 quarters of a second exceed the ceiling.
        return min(Self.ceiling, first * (1 << min(max(attemptCount - 1, 0), 20)))
    }

    /// - Parameters:
    ///   - attemptCount: failed attempts, 1 or more.
    ///   - jitter: 0 ..< 1; the wait is between half and the whole.
    /// - Returns: time before `deadline`, perhaps for one last attempt; nil if none is left.
    package func due(
        attemptCount: Int,
        cause: Cause,
        lane: Lane,
        jitter: Double,
        now: Timestamp,
        deadline: Timestamp
    ) -> Timestamp? {
        let full = fullWait(attemptCount: attemptCount, cause: cause, lane: lane)
        return due(full, jitter: jitter, now: now, deadline: deadline)
    }

    /// For unwritten entries, which is no attempt: about twice the last wait.
    ///
    /// - Parameters:
    ///   - lastWait: zero for none.
    ///   - jitter: 0 ..< 1.
    package func dueAgain(
        lastWait: Duration,
        lane: Lane,
        jitter: Double,
        now: Timestamp,
        deadline: Timestamp
    ) -> Timestamp? {
        let first = fullWait(attemptCount: 1, cause: .connection, lane: lane)
        let full = min(Self.ceiling, max(first, min(max(lastWait, .zero), Self.ceiling) * 2))
        return due(full, jitter: jitter, now: now, deadline: deadline)
    }

    private func due(_ full: Duration, jitter: Double, now: Timestamp, deadline: Timestamp) -> Timestamp? {
        // Whole milliseconds, as in the queue.
        let milliseconds = Int64(full / .milliseconds(1))
        let shortest = milliseconds / 2
        let wait = shortest + Int64(Double(milliseconds - shortest) * min(max(jitter, 0), 1))
        let due = now.advanced(by: .milliseconds(wait))
        let last = deadline.advanced(by: .zero - Self.lastTry)
        if due <= last { return due }
        return last > now ? last : nil
    }
}
