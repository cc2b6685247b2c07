import Glibc

/// SOCKS5: greeting, optional name and password, CONNECT (RFC 1928, RFC 1929).
struct SOCKS5Dialogue {
    private enum Position {
        case method, authentication, reply, end
    }

    private enum Method {
        static let none: UInt8 = 0
        static let password: UInt8 = 2
        static let noneAcceptable: UInt8 = 0xFF
    }

    private enum AddressType {
        static let v4: UInt8 = 1
        static let name: UInt8 = 3
        static let v6: UInt8 = 4
    }

    private let host: String
    private let port: UInt16
    private let credentials: ProxyCredentials?

    private var position = Position.method
    /// Partial message; at most a reply with a name of 255 bytes.
    private var received: [UInt8] = []

    init(host: String, port: UInt16, credentials: ProxyCredentials?) {
        precondition(host.utf8.count <= 255)
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    // MARK: Messages to the proxy

    /// RFC 1928 section 3.
    func greeting() -> [UInt8] {
        credentials == nil ? [5, 1, Method.none] : [5, 2, Method.none, Method.password]
    }

    /// RFC 1929 section 2.
    private static func authentication(_ credentials: ProxyCredentials) -> [UInt8] {
        credentials.withBytes { bytes in
            let userByteCount = credentials.userByteCount
            var message = [1, UInt8(userByteCount)]
            for index in 0..<userByteCount { message.append(bytes[index]) }
            message.append(UInt8(bytes.count - userByteCount))
            for index in userByteCount..<bytes.count { message.append(bytes[index]) }
            return message
        }
    }

    /// RFC 1928 section 4.
    private func request() -> [UInt8] {
        [5, 1, 0] + address() + [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    }

    private func address() -> [UInt8] {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, host, &v4) == 1 {
            return unsafe [AddressType.v4] + withUnsafeBytes(of: v4) { unsafe Array($0) }
        }
        var v6 = in6_addr()
        if unsafe inet_pton(AF_INET6, host, &v6) == 1 {
            return unsafe [AddressType.v6] + withUnsafeBytes(of: v6) { unsafe Array($0) }
        }
        return [AddressType.name, UInt8(host.utf8.count)] + Array(host.utf8)
    }

    // MARK: Replies

    mutating func receive(_ bytes: Span<UInt8>) throws(ProxyError) -> ProxyNegotiation.Step {
        var step = ProxyNegotiation.Step.wait
        for index in bytes.indices {
            // We wait for every reply, so nothing can follow it.
            guard step == .wait, position != .end else { throw .bytesBehindReply }
            received.append(bytes[index])
            step = try next()
        }
        return step
    }

    private mutating func next() throws(ProxyError) -> ProxyNegotiation.Step {
        let step =
            switch position {
            case .method: try methodStep()
            case .authentication: try authenticationStep()
            case .reply: try replyStep()
            case .end: ProxyNegotiation.Step.open
            }
        if step != .wait { received.removeAll(keepingCapacity: true) }
        return step
    }

    private mutating func methodStep() throws(ProxyError) -> ProxyNegotiation.Step {
        guard received[0] == 5 else { throw .replyMalformed }
        guard received.count == 2 else { return .wait }
        switch (received[1], credentials) {
        case (Method.none, _):
            position = .reply
            return .send(request())
        case (Method.password, let credentials?):
            position = .authentication
            return .send(Self.authentication(credentials))
        case (Method.noneAcceptable, _): throw .noCommonAuthentication
        default: throw .replyMalformed
        }
    }

    private mutating func authenticationStep() throws(ProxyError) -> ProxyNegotiation.Step {
        guard received[0] == 1 else { throw .replyMalformed }
        guard received.count == 2 else { return .wait }
        guard received[1] == 0 else { throw .credentialsRefused }
        position = .reply
        return .send(request())
    }

    /// RFC 1928 section 6. Of the proxy's own address only the length matters.
    private mutating func replyStep() throws(ProxyError) -> ProxyNegotiation.Step {
        guard received[0] == 5 else { throw .replyMalformed }
        guard received.count >= 2 else { return .wait }
        guard received[1] == 0 else { throw .refusedBySOCKS(code: received[1]) }
        guard received.count >= 3 else { return .wait }
        guard received[2] == 0 else { throw .replyMalformed }
        guard received.count >= 5 else { return .wait }
        let addressByteCount: Int
        switch received[3] {
        case AddressType.v4: addressByteCount = 4
        case AddressType.v6: addressByteCount = 16
        case AddressType.name: addressByteCount = 1 + Int(received[4])
        default: throw .replyMalformed
        }
        guard received.count == 4 + addressByteCount + 2 else { return .wait }
        position = .end
        return .open
    }
}
