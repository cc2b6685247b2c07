package import Envelope

/// Clocks, replaceable by tests.
package struct ServiceClock: Sendable {
    /// Time of queues, log and API; `steady` keeps it from going back.
    package let now: @Sendable () -> Timestamp
    /// Nanoseconds of a monotonic clock.
    package let uptime: @Sendable () -> Int64
    /// System's time, which others compare with their clocks.
    package let wall: @Sendable () -> Timestamp
    /// Makes `now` follow a clock that relays share and that the machine's leads by so many milliseconds.
    package let follow: @Sendable (_ lead: Int64) -> Void

    /// - Parameter wall: nil: `now`.
    package init(
        now: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> Int64,
        wall: (@Sendable () -> Timestamp)? = nil,
        follow: @escaping @Sendable (_ lead: Int64) -> Void = { _ in }
    ) {
        self.now = now
        self.uptime = uptime
        self.wall = wall ?? now
        self.follow = follow
    }
}
