import Glibc
import TestSupport

/// systemd's end of the notifications: a datagram socket at a path, or with an abstract name.
final class NotifySocket {
    private let descriptor: Int32

    /// `name` is as in `NOTIFY_SOCKET`: a path, or a name behind `@`.
    init(_ name: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let byteCount = socklen_t(2 + bytes.count)
        let code = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, byteCount)
            }
        }
        guard descriptor >= 0, code == 0 else { throw SystemFailure(call: "bind", code: errno) }
        self.descriptor = descriptor
        // It runs out only if the service stays silent.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next datagram; empty if none comes.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
