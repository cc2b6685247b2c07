private import Glibc

/// A port of 127.0.0.1 where every caller gets a connection, and never a byte on it.
package final class SilentPort: Sendable {
    package struct Unavailable: Error { let errno: Int32 }

    package let number: UInt16
    private let descriptor: Int32

    package init() throws(Unavailable) {
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
        // The system makes the connections; nobody takes them.
        guard descriptor >= 0, code == 0, listen(descriptor, 16) == 0 else {
            let code = errno
            close(descriptor)
            throw Unavailable(errno: code)
        }
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
