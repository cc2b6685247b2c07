/// Why there is no way through a proxy. Holds no name, no password and nothing that the proxy wrote.
public enum ProxyError: Error, Equatable, Sendable {
    /// The part of a proxy's URL that is not as it should be.
    public enum URLPart: String, Sendable {
        case scheme, userInfo, host, port, path
    }

    case urlInvalid(URLPart)
    /// A name or password that the protocol cannot carry.
    case credentialsInvalid
    /// A host name that no proxy could be asked for.
    case targetInvalid
    /// Not the target but the proxy itself could not be reached.
    indirect case unreachable(TransportError)

    /// The HTTP proxy's answer; 407 asks for credentials, or for other ones.
    case refused(status: Int)
    /// The SOCKS5 proxy's answer, as in RFC 1928 section 6.
    case refusedBySOCKS(code: UInt8)
    /// The SOCKS5 proxy takes none of the ways to authenticate that it was offered.
    case noCommonAuthentication
    case credentialsRefused

    case replyMalformed
    case replyTooLong(byteCountMax: Int)
    /// The proxy says more than its reply, although in TLS the client speaks first.
    case bytesBehindReply
    /// The proxy hung up before it had answered.
    case closed
}
