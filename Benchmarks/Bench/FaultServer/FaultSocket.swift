import Glibc
import Networking

/// System calls on a listener and its connections, including those that no well-behaved server makes.
enum FaultSocket {
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        /// Ended in order or by a reset.
        case over
    }

    // MARK: Listening

    /// A bound socket on a port of 127.0.0.1; 0 lets the system choose. Without listening it refuses callers, and
    /// reserves the port.
    static func bound(to port: UInt16) throws(TransportError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(
            AF_INET,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        // Not SO_REUSEADDR: with it the system may give a port without a listener to another caller.
        set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1 as Int32)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let code = unsafe bind(descriptor, address, byteCount)
                return code == 0 ? unsafe getsockname(descriptor, address, &byteCount) : code
            }
        }
        guard code == 0 else {
            let code = errno
            close(descriptor)
            throw .system(call: "bind", code: code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Nil if no connection waits, or the system has no descriptor for it.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            close(descriptor)
            return nil
        }
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1 as Int32)
        return descriptor
    }

    // MARK: Bytes

    static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Transfer {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wouldBlock : .over
    }

    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Transfer {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .over
    }

    // MARK: Ends

    /// Makes `close` send RST instead of FIN; unsent bytes are lost.
    static func resetsOnClose(_ descriptor: Int32) {
        set(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    private static func set<Value: BitwiseCopyable>(
        _ descriptor: Int32,
        _ level: Int32,
        _ option: Int32,
        _ value: Value
    ) {
        var value = value
        // Only wrong arguments make it fail, and these are constant.
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}
