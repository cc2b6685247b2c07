import Networking

extension SimulatorIdentity {
    /// TLS for both services, which requires a client certificate.
    ///
    /// - Returns: `nil` without authorities.
    /// - Throws: `.authorityUnreadable`, `.library`.
    func legacy(_ configuration: SimulatorConfiguration) throws(TLSError) -> TLSContext? {
        guard let authorities = configuration.validation.clientAuthoritiesPEM else { return nil }
        var trust = TLSContext.ClientTrust(authorities: .pem(authorities))
        trust.revokedSerialNumbers = configuration.validation.revokedSerialNumbers
        // Older than ALPN.
        return try .server(identity: identity, alpn: [], clientTrust: trust)
    }
}
