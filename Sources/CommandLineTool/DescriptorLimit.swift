import Glibc

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
    /// Takes all that the system allows: 1024, which is usual, are few for connections. What does not work changes
    /// nothing: whoever comes then waits.
    package static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
