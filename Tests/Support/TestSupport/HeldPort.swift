#if os(Linux)
private import Platform

/// A port of 127.0.0.1 that is this test's for as long as it is held.
package final class HeldPort: Sendable {
    package struct Unavailable: Error { let errno: Int32 }

    package let number: UInt16
    private let descriptor: Int32

    /// A port without a listener. A port that was just closed will not do: another test may get it at once.
    package static func deaf() throws(Unavailable) -> HeldPort { try HeldPort(backlog: nil) }

    /// A port with silent connections: the system makes them, and none is accepted. When more than `backlog` wait, a
    /// caller gets no reply at all.
    package static func silent(backlog: Int32 = 16) throws(Unavailable) -> HeldPort { try HeldPort(backlog: backlog) }

    private init(backlog: Int32?) throws(Unavailable) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let code = unsafe bind(descriptor, address, byteCount)
                return code == 0 ? unsafe getsockname(descriptor, address, &byteCount) : code
            }
        }
        guard descriptor >= 0, code == 0, backlog.map({ listen(descriptor, $0) == 0 }) ?? true else {
            let code = errno
            close(descriptor)
            throw Unavailable(errno: code)
        }
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }
}
#endif
