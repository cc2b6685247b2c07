import Platform

/// Reports the service's state to systemd by datagrams.
///
/// - Source: sd_notify(3), "Notes": an AF_UNIX, SOCK_DGRAM socket at the path or abstract name in `NOTIFY_SOCKET`;
///   sd_watchdog_enabled(3) for the other variables.
package struct SystemdNotifier: Sendable {
    /// Half of systemd's timeout; nil without a watchdog.
    package let watchdogPeriod: Duration?
    private let name: [UInt8]
    private let descriptor: Int32

    package init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first else { return nil }
        let isAbstract = first == UInt8(ascii: "@")
        guard isAbstract || first == UInt8(ascii: "/") else { return nil }
        // An abstract name begins with NUL, and a path ends with one.
        name = isAbstract ? [0] + path.utf8.dropFirst() : path.utf8 + [0]
        guard name.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        let isMine = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        watchdogPeriod = isMine && microseconds > 0 ? .microseconds(max(1, microseconds / 2)) : nil
    }

    package func ready() { send("READY=1\nSTATUS=Serving.") }

    /// Repeated calls extend a start without limit.
    package func opening() { send("EXTEND_TIMEOUT_USEC=300000000\nSTATUS=Opening the database.") }

    package func waiting() { send("EXTEND_TIMEOUT_USEC=300000000\nSTATUS=Waiting for space on the disk.") }

    /// systemd matches a later READY=1 by this time.
    package func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds())\nSTATUS=Reading the configuration.")
    }

    package func stopping() { send("STOPPING=1\nSTATUS=Finishing running work.") }

    package func beat() { send("WATCHDOG=1") }

    /// Never blocks, nor resends: systemd notices a loss, in the end by a signal.
    private func send(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let byteCount = socklen_t(offset + name.count)
        let bytes = Array(text.utf8)
        _ = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, byteCount)
            }
        }
    }

    private static func monotonicMicroseconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
