package import Networking

/// Progress of a load at one moment. The difference of two belongs to a turn.
package struct ServiceProgress: Equatable, Sendable {
    package let time: MonotonicTime
    /// Notifications posted, answered with 202, and arrived at APNs.
    package let postedCount: Int
    package let acceptedCount: Int
    package let deliveredCount: Int

    package func postedPerSecond(since earlier: ServiceProgress) -> Int {
        perSecond(postedCount - earlier.postedCount, since: earlier)
    }

    package func acceptedPerSecond(since earlier: ServiceProgress) -> Int {
        perSecond(acceptedCount - earlier.acceptedCount, since: earlier)
    }

    package func deliveredPerSecond(since earlier: ServiceProgress) -> Int {
        perSecond(deliveredCount - earlier.deliveredCount, since: earlier)
    }

    private func perSecond(_ count: Int, since earlier: ServiceProgress) -> Int {
        ServiceLoadReport.perSecond(count, Int(time.nanoseconds - earlier.time.nanoseconds))
    }
}
