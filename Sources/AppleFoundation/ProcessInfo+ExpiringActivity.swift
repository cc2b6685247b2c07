internal import Platform

extension ProcessInfo {
    /// Runs `block` on another thread, while the process is kept running. Its argument is true when the time is over:
    /// in a second call, or in the only one.
    ///
    /// - Source:
    ///   https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        let isExpired = Guarded(false)
        let device = SimulatedDevice.current
        let end = device?.beginActivity {
            let wasExpired = isExpired.withLock { isExpired in
                defer { isExpired = true }
                return isExpired
            }
            if !wasExpired { block(true) }
        }
        let thread = Thread {
            if !isExpired.withLock({ $0 }) {
                if let device { device.bind { block(false) } } else { block(false) }
            }
            end?()
        }
        thread.name = reason
        thread.start()
    }
}
