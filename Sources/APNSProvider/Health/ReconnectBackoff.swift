package import Networking

/// Delay between connects, because Apple treats quick reconnects as an attack ("Establishing a connection to APNs"). A
/// floor applies after the first few; each consecutive failure doubles the wait.
package struct ReconnectBackoff {
    package struct Limits: Sendable, Equatable {
        /// Average interval, and the first wait after a failure.
        package var floor: Duration = .seconds(1)
        package var ceiling: Duration = .seconds(60)
        /// Connects at once, for a growing pool.
        package var burstCount = 16

        package init() {}
    }

    private let limits: Limits
    /// Token bucket as a time (GCRA); each connect moves it by one floor.
    private var earliestConformance = MonotonicTime(nanoseconds: 0)
    private var failureCount = 0
    private var notBefore = MonotonicTime(nanoseconds: 0)

    package init(_ limits: Limits) { self.limits = limits }

    /// Zero: connect now.
    package func wait(at now: MonotonicTime) -> Duration {
        let burst = limits.floor * max(0, limits.burstCount - 1)
        let conforming = earliestConformance - now - burst
        return max(.zero, max(notBefore - now, conforming))
    }

    package mutating func didStart(at now: MonotonicTime) {
        earliestConformance = max(earliestConformance, now) + limits.floor
    }

    /// - Parameter jitter: 0 ..< 1.
    package mutating func didFail(at now: MonotonicTime, jitter: Double) {
        failureCount = min(failureCount + 1, 30)
        let full = min(limits.ceiling, limits.floor * (1 << min(failureCount - 1, 16)))
        // So that providers that lost one server do not return together.
        notBefore = now + full / 2 + (full / 2) * jitter
    }

    package mutating func didSucceed() { failureCount = 0 }
}
