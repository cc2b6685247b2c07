package import Envelope
import Platform

/// Wall clock for queues: never goes back, never stands still.
///
/// Due times are on disk: a clock set back by an hour would add it to every wait. While it is behind, time runs at
/// seven eighths of its pace. A clock more than a day behind was wrong before, and is followed, as one ahead always is:
/// promises end by it.
package struct SteadyClock: Sendable {
    private static let followedMilliseconds: UInt64 = 86_400_000

    private var anchor: (milliseconds: UInt64, uptime: Int64)?

    package init() {}

    /// - Parameter uptime: nanoseconds of a monotonic clock.
    package mutating func time(wall: Timestamp, uptime: Int64) -> Timestamp {
        guard let anchor else { return follow(wall, uptime) }
        let elapsed = UInt64(max(0, uptime &- anchor.uptime)) / 8_000_000 * 7
        // A `Duration` counts in 128 bits; each notification reads the time several times.
        let (sum, overflow) = anchor.milliseconds.addingReportingOverflow(elapsed)
        let expected = Timestamp(milliseconds: overflow ? .max : sum)
        guard wall < expected, expected.milliseconds - wall.milliseconds <= Self.followedMilliseconds else {
            return follow(wall, uptime)
        }
        return expected
    }

    private mutating func follow(_ wall: Timestamp, _ uptime: Int64) -> Timestamp {
        anchor = (wall.milliseconds, uptime)
        return wall
    }
}

extension ServiceClock {
    package static func steady(
        wall: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> Int64
    ) -> ServiceClock {
        let box = SteadyClockBox()
        return ServiceClock(
            now: { box.time(wall, uptime) },
            uptime: uptime,
            wall: wall,
            follow: { box.follow($0) }
        )
    }
}

/// Reads both clocks under the lock, so that no thread brings an older reading.
private final class SteadyClockBox: Sendable {
    private struct State {
        var clock = SteadyClock()
        var lead: Int64?
    }

    private let state = Guarded(State())

    func time(_ wall: () -> Timestamp, _ uptime: () -> Int64) -> Timestamp {
        state.withLock { state in
            guard let lead = state.lead else { return state.clock.time(wall: wall(), uptime: uptime()) }
            return state.clock.time(wall: wall().advanced(by: .milliseconds(-lead)), uptime: uptime())
        }
    }

    func follow(_ lead: Int64) {
        state.withLock { state in
            // Nothing is stored yet by the machine's own time.
            if state.lead == nil { state.clock = SteadyClock() }
            state.lead = lead
        }
    }
}
