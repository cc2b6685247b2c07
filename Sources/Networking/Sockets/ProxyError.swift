/// Failure of a proxy. Holds no name, no password and nothing from the proxy.
public enum ProxyError: Error, Equatable, Sendable {
    /// Invalid part of a proxy's URL.
    public enum URLPart: String, Sendable {
        case scheme, userInfo, host, port, path
    }

    case urlInvalid(URLPart)
    /// Name or password that the protocol cannot carry.
    case credentialsInvalid
    /// Invalid host name.
    case targetInvalid
    /// Proxy itself, not the target.
    indirect case unreachable(TransportError)

    /// HTTP proxy's status; 407 asks for other credentials.
    case refused(status: Int)
    /// SOCKS5 proxy's code (RFC 1928 section 6).
    case refusedBySOCKS(code: UInt8)
    /// The SOCKS5 proxy accepts no offered method.
    case noCommonAuthentication
    case credentialsRefused

    case replyMalformed
    case replyTooLong(byteCountMax: Int)
    /// Bytes after the reply, although in TLS the client speaks first.
    case bytesBehindReply
    case closed
}
