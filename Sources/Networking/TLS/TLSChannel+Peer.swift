extension TLSChannel {
    /// For logs: "192.0.2.1:443" or "[2001:db8::1]:443", or the proxy's. Nil before the connection; kept after close.
    package var remoteAddress: String? { peer?.text }

    /// Without the port: "192.0.2.1" or "2001:db8::1".
    package var remoteHost: String? { peer?.host }

    /// Written, not yet taken by the system.
    package var unsentByteCount: Int { tls.ciphertextByteCount }

    /// Nil before the handshake is done, and for a client without one.
    package var peerCertificate: TLSCertificate? { tls.peerCertificate }

    /// False for a certificate admitted only to be refused by the application.
    package var isPeerVerified: Bool { tls.isPeerVerified }

    /// For example "h2"; nil before the handshake is done or without ALPN.
    package var negotiatedProtocol: String? { tls.negotiatedProtocol }
}
