import Glibc

/// Wall clock for times that Apple reads, uptime for durations.
package struct Moment: Sendable, Equatable {
    /// Seconds since 1970. May step in either direction.
    package var unixSeconds: Int64
    /// Seconds since boot, including sleep. Never steps back.
    package var uptimeSeconds: Int64

    package init(unixSeconds: Int64, uptimeSeconds: Int64) {
        self.unixSeconds = unixSeconds
        self.uptimeSeconds = uptimeSeconds
    }

    package static func now() -> Moment {
        Moment(unixSeconds: seconds(of: CLOCK_REALTIME), uptimeSeconds: seconds(of: CLOCK_BOOTTIME))
    }

    private static func seconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // Cannot fail: every Linux with Swift has both clocks, and the pointer is ours.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec)
    }
}
