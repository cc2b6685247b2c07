import CLinux
import Glibc

/// A non-blocking, close-on-exec TCP socket, closed with its owner.
package struct Socket: ~Copyable {
    package enum Transfer: Equatable {
        case bytes(Int)
        case wouldBlock
        /// The peer sends no more (receive only).
        case end
        case failed(TransportError)
    }

    package let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    package init(family: Int32) throws(TransportError) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        self.init(descriptor: descriptor)
    }

    // MARK: Client

    /// Starts to connect. True: done; false: the socket becomes writable when it is.
    func connect(to address: SocketAddress) throws(TransportError) -> Bool {
        setNoDelay()
        let code = unsafe address.withPointer { pointer, byteCount in
            unsafe Glibc.connect(descriptor, pointer, byteCount)
        }
        guard code != 0 else { return true }
        guard errno == EINPROGRESS else { throw Self.error("connect", errno) }
        return false
    }

    func finishConnect() throws(TransportError) {
        var code: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &byteCount) == 0 else {
            throw .system(call: "getsockopt", code: errno)
        }
        guard code == 0 else { throw Self.error("connect", code) }
    }

    // MARK: Server

    package func listen(at address: SocketAddress, backlog: Int32) throws(TransportError) {
        set(SOL_SOCKET, SO_REUSEADDR)
        // The reach of "::" would otherwise depend on the machine's settings.
        if address.family == AF_INET6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        let code = unsafe address.withPointer { pointer, byteCount in unsafe bind(descriptor, pointer, byteCount) }
        guard code == 0 else { throw Self.listenError("bind", errno, address) }
        guard Glibc.listen(descriptor, backlog) == 0 else { throw Self.listenError("listen", errno, address) }
    }

    package enum Accepted: ~Copyable {
        case socket(Socket)
        case none
        /// No descriptor or memory is left.
        case exhausted
    }

    package func accept() -> Accepted {
        while true {
            let accepted = clinux_accept(descriptor)
            if accepted >= 0 {
                let socket = Socket(descriptor: accepted)
                socket.setNoDelay()
                return .socket(socket)
            }
            switch errno {
            // The last three concern one lost caller, not the listener.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    func remoteAddress() throws(TransportError) -> SocketAddress {
        try SocketAddress(remoteEndOf: descriptor)
    }

    package func localPort() throws(TransportError) -> UInt16 {
        try SocketAddress(localEndOf: descriptor).port
    }

    // MARK: Bytes

    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(Self.error("recv", errno))
            }
        }
    }

    package func send(_ bytes: Span<UInt8>) -> Transfer {
        while true {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe clinux_send(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(Self.error("send", errno))
            }
        }
    }

    package func shutdownSending() {
        // Fails harmlessly if the peer is gone.
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: Options

    /// Makes the system detect a silently lost peer (RFC 5482; tcp(7), TCP_USER_TIMEOUT).
    ///
    /// - Parameter unacknowledgedDeadline: limit for unacknowledged bytes, unanswered idle probes and a shut window.
    ///   Nil: probes only; bytes then have a quarter of an hour and more.
    func noticeDeath(after unacknowledgedDeadline: Duration?) {
        let (seconds, attoseconds) = (unacknowledgedDeadline ?? .seconds(60)).components
        set(SOL_SOCKET, SO_KEEPALIVE)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, Int32(clamping: min(max(1, seconds), 3600)))
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, Int32(clamping: min(max(1, seconds / 3), 3600)))
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        guard unacknowledgedDeadline != nil else { return }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // 0 would mean the system's default.
        let milliseconds = overflow ? .max : max(1, Int32(clamping: whole + attoseconds / 1_000_000_000_000_000))
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
    }

    /// Drops unsent bytes on close, with a reset for the peer.
    package func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func setNoDelay() {
        set(Int32(IPPROTO_TCP), TCP_NODELAY)
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32 = 1) {
        var value = value
        // Fails only for wrong arguments, and none comes from outside.
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func listenError(_ call: String, _ code: Int32, _ address: SocketAddress) -> TransportError {
        switch code {
        case EADDRINUSE: .addressInUse(port: address.port)
        case EADDRNOTAVAIL: .addressNotAvailable
        default: .system(call: call, code: code)
        }
    }

    private static func error(_ call: String, _ code: Int32) -> TransportError {
        switch code {
        case ECONNREFUSED: .connectionRefused
        case ETIMEDOUT where call == "connect": .deadlineExceeded(.connect)
        // Timed out: bytes or a probe were never acknowledged.
        case ECONNRESET, EPIPE, ETIMEDOUT: .connectionLost
        default: .system(call: call, code: code)
        }
    }
}
