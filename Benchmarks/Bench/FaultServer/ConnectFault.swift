package import APNS

/// What goes wrong with a connection before its first request.
package enum ConnectFault: Sendable, Equatable {
    /// The caller is reset, and whoever calls within this time is refused by the system.
    case refused(for: Duration)
    /// Reset before a byte was read.
    case reset
    /// Taken, and never a byte on it.
    case silence
    /// A fatal alert instead of the server's hello (RFC 8446 section 6.2): 40 is handshake_failure.
    case alert(code: UInt8)
    /// The end of the stream instead of the server's hello.
    case cut
    /// Bytes that are no TLS.
    case notTLS
    case certificate(FaultCertificate)
    /// The handshake, and then no SETTINGS.
    case noSettings
    /// GOAWAY with last stream 0 and this reason, twice: how APNs refuses a certificate of the other environment.
    case goAway(Reason)
}

/// What is wrong with a certificate.
package enum FaultCertificate: Sendable, Equatable, CaseIterable {
    case otherHost, expired, unknownAuthority
}
