private import Platform

/// Wall clock, for entry points; other code takes the time as a parameter.
package enum SystemClock {
    /// Milliseconds since 1970; 0 for a clock set before that.
    package static var millisecondsSince1970: UInt64 {
        if let simulated = DeviceRules.simulatedMillisecondsSince1970 { return simulated }
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        guard time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
