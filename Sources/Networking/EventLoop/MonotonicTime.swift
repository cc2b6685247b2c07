import Glibc

/// Time of the machine's monotonic clock: for deadlines, never for dates.
package struct MonotonicTime: Comparable, Sendable {
    /// Since an arbitrary start, the same for the whole process.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func now() -> MonotonicTime {
        var time = timespec()
        // Fails only for a bad pointer.
        let code = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        precondition(code == 0)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Saturates: any huge duration means "for ever".
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        time.adding(nanoseconds: nanoseconds(of: duration))
    }

    /// As `+`, for hot paths: `Duration` counts in 128 bits.
    package func adding(nanoseconds count: Int64) -> MonotonicTime {
        let (result, overflow) = nanoseconds.addingReportingOverflow(count)
        return MonotonicTime(nanoseconds: overflow ? (count < 0 ? .min : .max) : result)
    }

    package static func nanoseconds(of duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || sumOverflow ? (duration < .zero ? .min : .max) : sum
    }

    package static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
        .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
