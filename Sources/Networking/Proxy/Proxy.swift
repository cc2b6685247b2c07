/// Proxy for connections that a firewall blocks. It resolves the target's name.
public struct Proxy: Sendable {
    /// Protocol of a proxy.
    public enum Kind: String, Sendable {
        /// CONNECT over HTTP/1.1 (RFC 9110 section 9.3.6), with Basic credentials (RFC 7617).
        case http
        /// RFC 1928, with name and password of RFC 1929.
        case socks5
    }

    /// The protocol.
    public let kind: Kind
    /// Name or address, without brackets.
    public let host: String
    /// In host byte order.
    public let port: UInt16
    /// Name and password, if the proxy requires them.
    public let credentials: ProxyCredentials?

    /// Creates an HTTP proxy.
    ///
    /// - Parameters:
    ///   - host: Name or address, without brackets.
    ///   - port: In host byte order.
    ///   - credentials: For Basic authentication; sent with the first request.
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

    /// Creates a SOCKS5 proxy.
    ///
    /// - Parameters:
    ///   - host: Name or address, without brackets.
    ///   - port: In host byte order.
    ///   - credentials: Sent only if the proxy asks for them.
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
    /// URL without the credentials.
    public var description: String {
        "\(kind.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }
}
