import CLinux
import Platform

/// What holds for the process before it does anything.
enum ProcessSettings {
    static func apply() {
        // What it makes is its owner's alone.
        umask(0o077)
        // A reader that is gone and a limit on file sizes are then errors of `write`, not deaths. The last two mean something to
        // other services, and are sent to this one by mistake.
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { _ = signal(number, SIG_IGN) }
        // Swift's runtime answers these with a backtrace, registers and all, and forgets one that came from elsewhere: the
        // SIGABRT of systemd's watchdog would end nothing.
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { _ = signal(number, SIG_DFL) }
        if clinux_forbid_dumps() != 0 { Output.complain("sealedpushd: core dumps cannot be turned off (\(errno))") }
        raiseDescriptorLimit()
    }

    /// `NAME` to value, of every variable; what is no UTF-8 is mended, and then no name of ours.
    static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        guard var entry = unsafe clinux_environment() else { return variables }
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }

    /// Fewer are none for a service: it begins with about twenty, and libdispatch, under Swift's tasks, ends the process where
    /// it gets none for its own (epoll_create1, eventfd).
    private static let descriptorCountMin = 32

    /// What keeps anything from being begun; nil: nothing.
    static var shortage: String? {
        guard let limit = descriptorLimit, limit.rlim_cur < descriptorCountMin else { return nil }
        return
            "sealedpushd: the process may have \(limit.rlim_cur) descriptors open, and needs \(descriptorCountMin) and one for"
            + " each connection; raise the limit (LimitNOFILE of the unit, ulimit -n)"
    }

    /// 1,024, which is usual, are few for connections. What does not work changes nothing: whoever comes then waits.
    private static func raiseDescriptorLimit() {
        guard var limit = descriptorLimit else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static var descriptorLimit: rlimit? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit
    }
}
