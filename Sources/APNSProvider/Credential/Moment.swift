import Glibc

/// What the clocks say: the wall's for what Apple reads, the uptime for how long something has lasted.
package struct Moment: Sendable, Equatable {
    /// Seconds since 1970. May step in either direction when somebody sets the clock.
    package var unixSeconds: Int64
    /// Seconds since boot, sleep included. Never goes back.
    package var uptimeSeconds: Int64

    package init(unixSeconds: Int64, uptimeSeconds: Int64) {
        self.unixSeconds = unixSeconds
        self.uptimeSeconds = uptimeSeconds
    }

    /// The system's clocks, now.
    package static func now() -> Moment {
        Moment(unixSeconds: seconds(of: CLOCK_REALTIME), uptimeSeconds: seconds(of: CLOCK_BOOTTIME))
    }

    private static func seconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // Cannot fail: both clocks exist on every Linux that Swift runs on, and the pointer is ours.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec)
    }
}
