import CLinux
import Platform

package enum ProcessSettings {
    /// - Parameter program: its name, for complaints.
    package static func apply(_ program: String) {
        umask(0o077)
        // The first two then are errors of `write`. The last two may come by mistake.
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { _ = signal(number, SIG_IGN) }
        // Swift's runtime would print registers, and drop an outside signal, and so systemd's watchdog.
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { _ = signal(number, SIG_DFL) }
        if clinux_forbid_dumps() != 0 { Output.complain("\(program): core dumps cannot be turned off (\(errno))") }
        raiseDescriptorLimit()
    }

    /// Repairs invalid UTF-8; such a name is none of ours.
    package static func environment() -> [String: String] {
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

    /// The service starts with about twenty, and libdispatch ends the process without its own (epoll_create1, eventfd).
    private static let descriptorCountMin = 32

    /// Sentence about missing descriptors; nil if there are enough.
    package static func shortage(_ program: String) -> String? {
        guard let limit = descriptorLimit, limit.rlim_cur < descriptorCountMin else { return nil }
        return
            "\(program): the process may have \(limit.rlim_cur) descriptors open, and needs \(descriptorCountMin) and one for"
            + " each connection; raise the limit (LimitNOFILE of the unit, ulimit -n)"
    }

    /// The usual 1,024 are few. On failure further connections wait.
    private static func raiseDescriptorLimit() {
        guard var limit = descriptorLimit else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    static var descriptorLimit: rlimit? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit
    }
}
