import Platform

/// Signals as calls on their own thread. Blocked in every thread, so before the first starts; no handler runs our code.
package enum Signals {
    package enum Wish: Sendable {
        /// SIGHUP.
        case reload
        /// SIGTERM, SIGINT.
        case stop
    }

    /// - Parameter wish: not called for the second signal to stop, which ends the process.
    package static func listen(_ wish: @escaping @Sendable (Wish) -> Void) -> Bool {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGHUP, SIGTERM, SIGINT] { unsafe sigaddset(&signals, number) }
        guard unsafe pthread_sigmask(SIG_BLOCK, &signals, nil) == 0 else { return false }
        let set = signals
        return DetachedThread.start(stackByteCount: 256 << 10) {
            var isStopping = false
            while true {
                var set = set
                var number: Int32 = 0
                guard unsafe sigwait(&set, &number) == 0 else { continue }
                guard number != SIGHUP else {
                    wish(.reload)
                    continue
                }
                if isStopping { _exit(ExitCode.failed) }
                isStopping = true
                wish(.stop)
            }
        }
    }
}
