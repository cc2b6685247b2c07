package import Envelope

/// Clocks, replaceable by tests.
package struct ServiceClock: Sendable {
    /// Time of queues, log and API; `steady` keeps it from going back.
    package let now: @Sendable () -> Timestamp
    /// Nanoseconds of a monotonic clock.
    package let uptime: @Sendable () -> Int64
    /// System's time, which others compare with their clocks.
    package let wall: @Sendable () -> Timestamp

    /// - Parameter wall: nil: `now`.
    package init(
        now: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> Int64,
        wall: (@Sendable () -> Timestamp)? = nil
    ) {
        self.now = now
        self.uptime = uptime
        self.wall = wall ?? now
    }
}
