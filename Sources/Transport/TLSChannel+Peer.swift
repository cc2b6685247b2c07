/// Who is at the other end, and how far what was written has come.
extension TLSChannel {
    /// Whom the socket leads to, for logs: "192.0.2.1:443" or "[2001:db8::1]:443"; the proxy, where there is one. Nil before
    /// there is a connection; it stays when the channel has closed.
    package var remoteAddress: String? { peer?.text }

    /// The peer's address without its port: "192.0.2.1" or "2001:db8::1".
    package var remoteHost: String? { peer?.host }

    /// Written, and not yet taken by the system.
    package var unsentByteCount: Int { tls.ciphertextByteCount }

    /// Whose it is, proven; nil before the handshake is done, and on a server for a client that showed none.
    package var peerCertificate: TLSCertificate? { tls.peerCertificate }

    /// False for a certificate that its context let in only so that the application can refuse it.
    package var isPeerVerified: Bool { tls.isPeerVerified }

    /// "h2", for example; nil before the handshake is done or when nothing was negotiated.
    package var negotiatedProtocol: String? { tls.negotiatedProtocol }
}
