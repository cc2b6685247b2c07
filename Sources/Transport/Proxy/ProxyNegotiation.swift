/// The talk with a proxy before TLS begins. Bytes in, bytes out; no socket inside.
struct ProxyNegotiation {
    enum Step: Equatable {
        /// The reply is not complete yet.
        case wait
        case send([UInt8])
        /// From here on the bytes are the target's.
        case open
    }

    private enum Dialogue {
        case http(HTTPConnect)
        case socks5(SOCKS5Dialogue)
    }

    private var dialogue: Dialogue

    /// - Parameters:
    ///   - proxy: who is talked to.
    ///   - host: the target: an address, or a name for the proxy to resolve.
    ///   - port: in the host's byte order.
    /// - Throws: `.targetInvalid` for a name with bytes that no host name has.
    init(_ proxy: Proxy, host: String, port: UInt16) throws(ProxyError) {
        guard SocketAddress.isLiteral(host) || Proxy.isName(host.utf8) else { throw .targetInvalid }
        switch proxy.kind {
        case .http: dialogue = .http(HTTPConnect(host: host, port: port, credentials: proxy.credentials))
        case .socks5: dialogue = .socks5(SOCKS5Dialogue(host: host, port: port, credentials: proxy.credentials))
        }
    }

    /// What is said first.
    func opening() -> [UInt8] {
        switch dialogue {
        case .http(let connect): connect.request()
        case .socks5(let dialogue): dialogue.greeting()
        }
    }

    mutating func receive(_ bytes: Span<UInt8>) throws(ProxyError) -> Step {
        switch dialogue {
        case .http(var connect):
            defer { dialogue = .http(connect) }
            return try connect.receive(bytes) ? .open : .wait
        case .socks5(var socks5):
            defer { dialogue = .socks5(socks5) }
            return try socks5.receive(bytes)
        }
    }
}
