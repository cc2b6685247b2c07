import Transport

extension SimulatorIdentity {
    /// What clients of the binary interface and of the feedback service meet: only who shows a certificate is let in.
    ///
    /// - Returns: `nil` where nobody is known who signs certificates.
    /// - Throws: `.authorityUnreadable`, `.library`.
    func legacy(_ configuration: SimulatorConfiguration) throws(TLSError) -> TLSContext? {
        guard let authorities = configuration.validation.clientAuthoritiesPEM else { return nil }
        var trust = TLSContext.ClientTrust(authorities: .pem(authorities))
        trust.revokedSerialNumbers = configuration.validation.revokedSerialNumbers
        // The binary interface is older than ALPN.
        return try .server(identity: identity, alpn: [], clientTrust: trust)
    }
}
