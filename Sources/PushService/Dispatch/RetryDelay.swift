/// When a notification is tried again: after a wait that doubles, with chance in it, 15 minutes at most, and never after it
/// has expired.
///
/// - Source: "Handling notification responses from APNs": after a 5xx, "exponential back-off" and 15 minutes.
package struct RetryDelay: Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        /// APNs failed or was overloaded: 500, 503.
        case server
        /// Too many pushes to this device, or provider tokens too often.
        case limit
        /// The way there failed, and APNs has not acted.
        case connection
    }

    /// The longest wait, Apple's.
    package static let ceilingMilliseconds: Int64 = 900_000
    /// What is left for a last try before the expiration; with less it is over.
    static let lastTryMilliseconds: Int64 = 1_000

    /// After a 5xx in the normal lane. Urgent notifications begin with a second, since Apple's 15 minutes would be their
    /// end, and background ones with those 15 minutes.
    private let serverFirstMilliseconds: Int64

    package init(serverErrorWaitSeconds: Int = 30) {
        serverFirstMilliseconds = Int64(serverErrorWaitSeconds) * 1_000
    }

    /// The wait before attempt `attemptCount` + 1 without chance.
    ///
    /// - Parameters:
    ///   - attemptCount: attempts that have failed, 1 or more.
    ///   - cause: of the last failure.
    ///   - lane: of the notification.
    /// - Returns: milliseconds, 1 ... `ceilingMilliseconds`.
    package func fullMilliseconds(attemptCount: Int, cause: Cause, lane: DispatchLane) -> Int64 {
        let first: Int64 =
            switch (cause, lane) {
            case (.server, .urgent): 1_000
            case (.server, .normal): serverFirstMilliseconds
            case (.server, .background): Self.ceilingMilliseconds
            case (.limit, _): 2_000
            case (.connection, .urgent): 250
            case (.connection, _): 1_000
            }
        // 2^20 seconds are beyond every ceiling: no shift can overflow.
        return min(Self.ceilingMilliseconds, first << Int64(min(max(attemptCount - 1, 0), 20)))
    }

    /// - Parameters:
    ///   - attemptCount: attempts that have failed, 1 or more.
    ///   - cause: of the last failure.
    ///   - lane: of the notification.
    ///   - jitter: 0 ..< 1, drawn by the caller: the wait is between half and the whole.
    ///   - now: milliseconds since 1970.
    ///   - expiresAt: milliseconds since 1970.
    /// - Returns: when to try again, in milliseconds since 1970, always before `expiresAt`; nil: it expires. A wait that
    ///   would end too late ends just in time for one last try.
    package func due(
        attemptCount: Int,
        cause: Cause,
        lane: DispatchLane,
        jitter: Double,
        now: Int64,
        expiresAt: Int64
    ) -> Int64? {
        let full = fullMilliseconds(attemptCount: attemptCount, cause: cause, lane: lane)
        return due(fullMilliseconds: full, jitter: jitter, now: now, expiresAt: expiresAt)
    }

    /// For what was not written to APNs at all, which is no attempt: each wait is about twice the last one.
    ///
    /// - Parameters:
    ///   - lastWaitMilliseconds: the wait before; 0 for none.
    ///   - lane: of the notification.
    ///   - jitter: 0 ..< 1, drawn by the caller.
    ///   - now: milliseconds since 1970.
    ///   - expiresAt: milliseconds since 1970.
    /// - Returns: as `due`.
    package func dueAgain(
        lastWaitMilliseconds: Int64,
        lane: DispatchLane,
        jitter: Double,
        now: Int64,
        expiresAt: Int64
    ) -> Int64? {
        let first = fullMilliseconds(attemptCount: 1, cause: .connection, lane: lane)
        let doubled = 2 * min(max(lastWaitMilliseconds, 0), Self.ceilingMilliseconds)
        let full = min(Self.ceilingMilliseconds, max(first, doubled))
        return due(fullMilliseconds: full, jitter: jitter, now: now, expiresAt: expiresAt)
    }

    private func due(fullMilliseconds full: Int64, jitter: Double, now: Int64, expiresAt: Int64) -> Int64? {
        let wait = full / 2 + Int64(Double(full - full / 2) * min(max(jitter, 0), 1))
        let (due, overflow) = now.addingReportingOverflow(wait)
        let (last, lastOverflow) = expiresAt.subtractingReportingOverflow(Self.lastTryMilliseconds)
        guard !overflow, !lastOverflow else { return nil }
        if due <= last { return due }
        return last > now ? last : nil
    }
}
