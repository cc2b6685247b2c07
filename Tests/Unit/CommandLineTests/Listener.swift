import Glibc
import TestSupport

/// A port of 127.0.0.1 that is in use as long as this lives.
struct Listener: ~Copyable {
    private let descriptor: Int32
    let port: Int64

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(call: "socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(descriptor, address, length) == 0, listen(descriptor, 1) == 0 else { return errno }
                return unsafe getsockname(descriptor, address, &length) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw SystemFailure(call: "bind, listen, getsockname", code: code)
        }
        self.descriptor = descriptor
        port = Int64(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
