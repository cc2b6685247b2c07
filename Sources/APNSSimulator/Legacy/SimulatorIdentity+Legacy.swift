package import Transport

extension SimulatorIdentity {
    /// The same, for the binary interface and the feedback service too: they let in only who shows a certificate.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: the simulator's certificate first.
    ///   - privateKeyPEM: its unencrypted key.
    ///   - clientAuthoritiesPEM: who may have signed a provider's certificate.
    /// - Throws: what is wrong with any of them.
    package init(
        certificateChainPEM: [UInt8],
        privateKeyPEM: RawSpan,
        clientAuthoritiesPEM: [UInt8]
    ) throws(TLSError) {
        try self.init(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM)
        legacy = try .server(
            certificateChainPEM: certificateChainPEM,
            privateKeyPEM: privateKeyPEM,
            // The binary interface is older than ALPN.
            alpn: [],
            clientTrust: TLSContext.ClientTrust(authorities: .pem(clientAuthoritiesPEM))
        )
    }
}
