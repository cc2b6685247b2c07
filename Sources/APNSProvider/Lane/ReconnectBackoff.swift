package import Transport

/// When a lane may connect again. Apple takes quick reconnects for an attack ("Establishing a connection to APNs"), so
/// there is a floor for every connect after the first few, and each failure in a row doubles the wait.
package struct ReconnectBackoff {
    package struct Limits: Sendable, Equatable {
        /// Between connects in the long run, and the first wait after a failure.
        package var floor: Duration = .seconds(1)
        package var ceiling: Duration = .seconds(60)
        /// Connects that may come at once: a pool that grows.
        package var burstCount = 16

        package init() {}
    }

    private let limits: Limits
    /// Connects that are allowed now, as a time: each moves it by one floor (a token bucket, GCRA's way).
    private var earliestConformance = MonotonicTime(nanoseconds: 0)
    private var failureCount = 0
    private var notBefore = MonotonicTime(nanoseconds: 0)

    package init(_ limits: Limits) { self.limits = limits }

    /// How long to wait from `now` before the next connect; zero: connect.
    package func wait(at now: MonotonicTime) -> Duration {
        let burst = limits.floor * max(0, limits.burstCount - 1)
        let conforming = earliestConformance - now - burst
        return max(.zero, max(notBefore - now, conforming))
    }

    /// A connect begins.
    package mutating func didStart(at now: MonotonicTime) {
        earliestConformance = max(earliestConformance, now) + limits.floor
    }

    /// A connect failed, or the connection ended before anything good had come over it.
    ///
    /// - Parameters:
    ///   - now: when.
    ///   - jitter: 0 ..< 1, drawn by the caller.
    package mutating func didFail(at now: MonotonicTime, jitter: Double) {
        failureCount = min(failureCount + 1, 30)
        let full = min(limits.ceiling, limits.floor * (1 << min(failureCount - 1, 16)))
        // Between half and the whole, so that many providers that lost one server do not come back as one.
        notBefore = now + full / 2 + (full / 2) * jitter
    }

    /// Something good came over a connection.
    package mutating func didSucceed() { failureCount = 0 }
}
