/// Negotiation with a proxy before TLS, without a socket: bytes in, bytes out.
struct ProxyNegotiation {
    enum Step: Equatable {
        case wait
        case send([UInt8])
        case open
    }

    private enum Dialogue {
        case http(HTTPConnect)
        case socks5(SOCKS5Dialogue)
    }

    private var dialogue: Dialogue

    /// - Parameter host: Address, or a name for the proxy to resolve.
    /// - Throws: `.targetInvalid` for an invalid host name.
    init(_ proxy: Proxy, host: String, port: UInt16) throws(ProxyError) {
        guard SocketAddress.isLiteral(host) || Proxy.isName(host.utf8) else { throw .targetInvalid }
        switch proxy.kind {
        case .http: dialogue = .http(HTTPConnect(host: host, port: port, credentials: proxy.credentials))
        case .socks5: dialogue = .socks5(SOCKS5Dialogue(host: host, port: port, credentials: proxy.credentials))
        }
    }

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
