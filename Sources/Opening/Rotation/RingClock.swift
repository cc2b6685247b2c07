package import Envelope

/// What the app knows of the time (protocol v1, rule 25).
package struct RingClock: Equatable, Sendable {
    /// The device's clock.
    package let now: Timestamp
    /// LB: what the time is at least, by the build date and by verified messages.
    package let lowerBound: Timestamp
    /// Whether the app has just compared its clock with one that it trusts, over an authenticated connection.
    package let isConfirmedOnline: Bool

    package init(now: Timestamp, lowerBound: Timestamp, isConfirmedOnline: Bool = false) {
        self.now = now
        self.lowerBound = lowerBound
        self.isConfirmedOnline = isConfirmedOnline
    }

    /// The time to write down. A clock behind the lower bound is known to be wrong, so it is not believed.
    var stamp: Timestamp {
        let time = isConfirmedOnline ? now : max(now, lowerBound)
        return min(time, Timestamp(milliseconds: Timestamp.millisecondsMax))
    }

    /// What has passed for certain: a bare jump of the clock must not destroy keys.
    var certain: Timestamp { isConfirmedOnline ? now : lowerBound }
}
