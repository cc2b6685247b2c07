/// Who connects in our stead, where a firewall lets nobody else out. The target's name is resolved there, not here.
public struct Proxy: Sendable {
    /// What it is asked in.
    public enum Kind: String, Sendable {
        /// CONNECT over HTTP/1.1 (RFC 9110 section 9.3.6), with Basic credentials (RFC 7617).
        case http
        /// RFC 1928, with RFC 1929's name and password.
        case socks5
    }

    /// What it is asked in.
    public let kind: Kind
    /// A name or an address, without brackets.
    public let host: String
    /// In the host's byte order.
    public let port: UInt16
    /// For a proxy that asks who is there.
    public let credentials: ProxyCredentials?

    /// An HTTP proxy.
    ///
    /// - Parameters:
    ///   - host: a name or an address, without brackets.
    ///   - port: in the host's byte order.
    ///   - credentials: for a proxy that asks for Basic authentication. They are sent with the first request.
    /// - Returns: what a `TCPRoute` takes.
    /// - Throws: `.credentialsInvalid` for a colon in the name (RFC 7617 section 2).
    public static func http(
        host: String,
        port: UInt16,
        credentials: ProxyCredentials? = nil
    ) throws(ProxyError) -> Proxy {
        if let credentials {
            let hasColon = credentials.withBytes { bytes in
                (0..<credentials.userByteCount).contains { bytes[$0] == UInt8(ascii: ":") }
            }
            guard !hasColon else { throw .credentialsInvalid }
        }
        return Proxy(kind: .http, host: host, port: port, credentials: credentials)
    }

    /// A SOCKS5 proxy.
    ///
    /// - Parameters:
    ///   - host: a name or an address, without brackets.
    ///   - port: in the host's byte order.
    ///   - credentials: offered; a proxy that asks for none gets none.
    /// - Returns: what a `TCPRoute` takes.
    /// - Throws: `.credentialsInvalid` for an empty password (RFC 1929 section 2).
    public static func socks5(
        host: String,
        port: UInt16,
        credentials: ProxyCredentials? = nil
    ) throws(ProxyError) -> Proxy {
        if let credentials, credentials.passwordByteCount == 0 { throw .credentialsInvalid }
        return Proxy(kind: .socks5, host: host, port: port, credentials: credentials)
    }

    private init(kind: Kind, host: String, port: UInt16, credentials: ProxyCredentials?) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

extension Proxy: CustomStringConvertible {
    /// As a URL, without the credentials.
    public var description: String {
        "\(kind.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }
}
