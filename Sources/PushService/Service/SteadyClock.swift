package import Envelope
import Platform

/// The wall's time as queues need it: it never goes back, and never stands still.
///
/// When something is due is a time on the disk, so that it outlives the process: a wall that is set back by an hour would add
/// an hour to every wait, and one that stands still would keep all of them for ever. While the wall is behind what was said
/// before, time goes on at seven eighths of its pace, until the wall has caught up. One that is behind by more than a day
/// was wrong before, and is followed; one that is ahead is followed always, because promises end by it.
///
/// A value: who asks it reads both clocks.
struct SteadyClock: Sendable {
    private static let followedMilliseconds: UInt64 = 86_400_000

    /// Where the wall was last believed.
    private var anchor: (milliseconds: UInt64, uptime: Int64)?

    /// - Parameters:
    ///   - wall: the system's time.
    ///   - uptime: nanoseconds of a clock that never goes back.
    /// - Returns: the wall's time, or a later one.
    mutating func time(wall: Timestamp, uptime: Int64) -> Timestamp {
        guard let anchor else { return follow(wall, uptime) }
        let elapsed = UInt64(max(0, uptime &- anchor.uptime)) / 8_000_000 * 7
        // Not as a `Duration`, which counts in 128 bits: the time is asked for some times for each notification.
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
    /// A clock for a process that runs through whatever happens to the system's.
    ///
    /// - Parameters:
    ///   - wall: the system's time.
    ///   - uptime: nanoseconds of a clock that never goes back.
    /// - Returns: one whose `now` is steady.
    package static func steady(
        wall: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> Int64
    ) -> ServiceClock {
        let box = SteadyClockBox()
        return ServiceClock(
            now: { box.clock.withLock { $0.time(wall: wall(), uptime: uptime()) } },
            uptime: uptime,
            wall: wall
        )
    }
}

/// Both clocks are read under the lock: no thread brings a reading that is older than the last one.
private final class SteadyClockBox: Sendable {
    let clock = Guarded(SteadyClock())
}
