package import APNS

package enum ConnectFault: Sendable, Equatable {
    /// The caller is reset, and the system refuses further callers for this time.
    case refused(for: Duration)
    /// Reset before a byte was read.
    case reset
    /// Accepted, without a byte ever.
    case silence
    /// A fatal alert instead of the server's hello (RFC 8446 section 6.2): 40 is handshake_failure.
    case alert(code: UInt8)
    /// The end of the stream instead of the server's hello.
    case cut
    case notTLS
    case certificate(FaultCertificate)
    /// The handshake, and then no SETTINGS.
    case noSettings
    /// GOAWAY with last stream 0 and this reason, twice: APNs' reply to a certificate of the other environment.
    case goAway(Reason)
}

package enum FaultCertificate: Sendable, Equatable, CaseIterable {
    case otherHost, expired, unknownAuthority
}
