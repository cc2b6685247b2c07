package import Envelope
package import PushStore

/// The time of the next attempt: after a wait that doubles, half of it by chance, 15 minutes at most, and never after the
/// deadline.
///
/// - Source: "Handling notification responses from APNs": after a 5xx, "exponential back-off" and 15 minutes.
package struct RetryDelay: Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        /// APNs failed or was overloaded: 500, 503.
        case server
        /// Too many pushes to this device, or provider tokens too often.
        case limit
        /// The connection failed, and APNs has not acted.
        case connection
    }

    /// The longest wait, Apple's.
    package static let ceiling = Duration.seconds(900)
    /// The time that a last try before the deadline needs; with less it is over.
    static let lastTry = Duration.seconds(1)

    /// After a 5xx in the normal lane. Urgent notifications begin with a second, since Apple's 15 minutes would be their
    /// end, and background ones with those 15 minutes.
    private let serverFirst: Duration

    package init(serverErrorWaitSeconds: Int = 30) { serverFirst = .seconds(serverErrorWaitSeconds) }

    /// The wait before attempt `attemptCount` + 1 without chance.
    ///
    /// - Parameters:
    ///   - attemptCount: Failed attempts, 1 or more.
    ///   - cause: The last failure's.
    ///   - lane: The notification's.
    /// - Returns: up to `ceiling`.
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
        // 2^20 quarters of a second are beyond the ceiling.
        return min(Self.ceiling, first * (1 << min(max(attemptCount - 1, 0), 20)))
    }

    /// - Parameters:
    ///   - attemptCount: Failed attempts, 1 or more.
    ///   - cause: The last failure's.
    ///   - lane: The notification's.
    ///   - jitter: 0 ..< 1, drawn by the caller: the wait is between half and the whole.
    ///   - now: The time.
    ///   - deadline: The notification's.
    /// - Returns: the time of the next attempt, always before `deadline`; nil: none is left. A wait that would end too late
    ///   ends just in time for one last try.
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

    /// For what was not written to APNs, which is no attempt: each wait is about twice the last one.
    ///
    /// - Parameters:
    ///   - lastWait: The wait before; zero for none.
    ///   - lane: The notification's.
    ///   - jitter: 0 ..< 1, drawn by the caller.
    ///   - now: The time.
    ///   - deadline: The notification's.
    /// - Returns: as `due`.
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
        // In whole milliseconds, as the queue counts.
        let milliseconds = Int64(full / .milliseconds(1))
        let shortest = milliseconds / 2
        let wait = shortest + Int64(Double(milliseconds - shortest) * min(max(jitter, 0), 1))
        let due = now.advanced(by: .milliseconds(wait))
        let last = deadline.advanced(by: .zero - Self.lastTry)
        if due <= last { return due }
        return last > now ? last : nil
    }
}
