import COpenSSL

/// What many TLS sessions share: certificates, key, trust and protocols. TLS 1.2 or newer, ECDHE with an AEAD only.
///
/// Unchecked: the SSL_CTX is complete when `init` returns and OpenSSL only reads it from then on.
@safe package final class TLSContext: @unchecked Sendable {
    /// Which clients a server lets in by certificate.
    package struct ClientTrust: Sendable {
        /// Who may have signed a client's certificate.
        package let authorities: TLSTrust
        /// Whether a client without a certificate is refused.
        package let isCertificateRequired: Bool
        /// As `TLSCertificate.serialNumber` gives them.
        package var revokedSerialNumbers: Set<[UInt8]> = []
        /// Lets in a client whose certificate does not verify or is revoked, too, so that it can be told why in the
        /// application's own words: who does not look at `TLSSession.isPeerVerified` then believes anybody.
        package var admitsUnverified = false

        package init(authorities: TLSTrust, isCertificateRequired: Bool = true) {
            self.authorities = authorities
            self.isCertificateRequired = isCertificateRequired
        }
    }

    let handle: OpaquePointer
    let isServer: Bool
    /// A client's sessions that may be taken up again; `nil` where every handshake is a full one.
    let resumableSessions: TLSResumption.Cache?
    /// A server's that gives tickets.
    private let ticketKeys: TicketKeys?
    /// As on the wire (RFC 7301 section 3.1): each name behind its length. Empty: no ALPN.
    let protocols: [UInt8]
    private let clientTrust: ClientTrust?
    /// Whether a client that does not negotiate at all is refused.
    let requiresALPN: Bool

    /// A client's side.
    ///
    /// - Parameters:
    ///   - trust: whose certificates it believes.
    ///   - alpn: the application protocols it offers, most wanted first, each 1 to 255 bytes. A server that chooses
    ///     none of them is refused; with an empty list there is no negotiation.
    ///   - identity: what it shows to a server that asks who it is.
    ///   - resumption: whether connections take up sessions of earlier ones of this context, to the same host and port.
    ///     Never with early data (RFC 8446 section 2.3): what is sent first must not be replayed.
    /// - Returns: what `TLSSession(client:)` takes.
    /// - Throws: `.authorityUnreadable`, `.protocolNameInvalid`, `.library`.
    package static func client(
        trust: TLSTrust,
        alpn: [String],
        identity: TLSIdentity? = nil,
        resumption: Bool = true
    ) throws(TLSError) -> TLSContext {
        let context = unsafe try TLSContext(
            method: TLS_client_method(),
            isServer: false,
            alpn: alpn,
            resumption: resumption
        )
        try context.setTrust(trust, mode: SSL_VERIFY_PEER)
        guard unsafe copenssl_ctx_verify_strictly(context.handle) == 1 else {
            throw OpenSSLFailure.library("X509_VERIFY_PARAM_set_flags")
        }
        try context.offerProtocols()
        try unsafe identity?.install(in: context.handle)
        return context
    }

    /// A server's side.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: its certificate first, then the intermediate ones.
    ///   - privateKeyPEM: the certificate's unencrypted key; text before the first BEGIN line is skipped.
    ///   - alpn: the application protocols it speaks, most wanted first. A client that offers none of them is refused.
    ///   - requiresALPN: refuses a client that offers none at all, too.
    ///   - clientTrust: asks clients for a certificate; `nil` does not.
    ///   - resumption: gives each client two tickets, which are good for two hours (`TicketKeys`).
    /// - Returns: what `TLSSession(server:)` takes.
    /// - Throws: `.certificateUnreadable`, `.privateKeyUnreadable`, `.privateKeyDoesNotMatchCertificate` and those
    ///   of a client.
    package static func server(
        certificateChainPEM: [UInt8],
        privateKeyPEM: RawSpan,
        alpn: [String],
        requiresALPN: Bool = true,
        clientTrust: ClientTrust? = nil,
        resumption: Bool = false
    ) throws(TLSError) -> TLSContext {
        try server(
            identity: .server(certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM),
            alpn: alpn,
            requiresALPN: requiresALPN,
            clientTrust: clientTrust,
            resumption: resumption
        )
    }

    /// A server's side, with an identity that other contexts may have, too.
    ///
    /// - Parameters:
    ///   - identity: its certificate and key.
    ///   - alpn: as above.
    ///   - requiresALPN: as above.
    ///   - clientTrust: as above.
    ///   - resumption: as above.
    ///   - uptime: tells when a ticket's key has had its time.
    /// - Returns: what `TLSSession(server:)` takes.
    /// - Throws: as above, but for what is wrong with the identity.
    package static func server(
        identity: TLSIdentity,
        alpn: [String],
        requiresALPN: Bool = true,
        clientTrust: ClientTrust? = nil,
        resumption: Bool = false,
        uptime: @escaping @Sendable () -> MonotonicTime = { .now() }
    ) throws(TLSError) -> TLSContext {
        let context = unsafe try TLSContext(
            method: TLS_server_method(),
            isServer: true,
            alpn: alpn,
            clientTrust: clientTrust,
            requiresALPN: requiresALPN,
            resumption: resumption,
            ticketKeys: resumption ? TicketKeys(uptime: uptime) : nil
        )
        try unsafe identity.install(in: context.handle)
        if let clientTrust {
            let required = clientTrust.isCertificateRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
            try context.setTrust(clientTrust.authorities, mode: SSL_VERIFY_PEER | required)
            context.judgeClients()
        }
        unsafe SSL_CTX_set_alpn_select_cb(
            context.handle,
            { _, chosen, chosenByteCount, offered, offeredByteCount, argument in
                guard let argument = unsafe argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                return unsafe Unmanaged<TLSContext>.fromOpaque(argument)._withUnsafeGuaranteedRef { context in
                    unsafe context.choose(chosen, chosenByteCount, from: offered, offeredByteCount)
                }
            },
            Unmanaged.passUnretained(context).toOpaque()
        )
        return context
    }

    private init(
        method: OpaquePointer?,
        isServer: Bool,
        alpn: [String],
        clientTrust: ClientTrust? = nil,
        requiresALPN: Bool = true,
        resumption: Bool,
        ticketKeys: TicketKeys? = nil
    ) throws(TLSError) {
        var protocols: [UInt8] = []
        for name in alpn {
            guard (1...255).contains(name.utf8.count) else { throw .protocolNameInvalid }
            protocols.append(UInt8(name.utf8.count))
            protocols += name.utf8
        }
        ERR_clear_error()
        guard let handle = unsafe SSL_CTX_new(method) else { throw OpenSSLFailure.library("SSL_CTX_new") }
        unsafe self.handle = handle
        self.isServer = isServer
        self.protocols = protocols
        self.clientTrust = clientTrust
        self.requiresALPN = requiresALPN
        resumableSessions = resumption && !isServer ? TLSResumption.Cache() : nil
        self.ticketKeys = ticketKeys
        try restrict()
        try setResumption(resumption)
    }

    deinit {
        unsafe SSL_CTX_free(handle)
    }

    private func restrict() throws(TLSError) {
        guard unsafe copenssl_ctx_set_min_tls12(handle) == 1,
            unsafe SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1,
            // AES-128 first: as safe here as AES-256, and cheaper for every byte.
            unsafe SSL_CTX_set_ciphersuites(
                handle,
                "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
            ) == 1
        else { throw OpenSSLFailure.library("SSL_CTX settings") }
        try setGroups()
        unsafe copenssl_ctx_set_house_options(handle)
        // A server has thousands of connections that say nothing; a client's few are busy, and would have the buffers made
        // anew for each record.
        if isServer { unsafe copenssl_ctx_release_idle_buffers(handle) }
    }

    /// With ML-KEM beside X25519 (draft-ietf-tls-ecdhe-mlkem) where OpenSSL has it, from 3.5 on: what is recorded today cannot
    /// be read by a quantum computer of later. A client sends shares for both (`*`), so that a server without costs no round.
    private func setGroups() throws(TLSError) {
        let classical = "X25519:P-256:P-384"
        // Older ones know neither the name nor the star, and refuse the list as a whole.
        for groups in ["*X25519MLKEM768:*" + classical, classical] {
            ERR_clear_error()
            if unsafe copenssl_ctx_set_groups(handle, groups) == 1 { return }
        }
        throw OpenSSLFailure.library("SSL_CTX_set1_groups_list")
    }

    private func setResumption(_ isOn: Bool) throws(TLSError) {
        // A server keeps nothing itself: its tickets hold the session.
        unsafe copenssl_ctx_disable_session_cache(handle)
        guard isOn else {
            unsafe copenssl_ctx_refuse_tickets(handle)
            guard unsafe SSL_CTX_set_num_tickets(handle, 0) == 1 else {
                throw OpenSSLFailure.library("SSL_CTX_set_num_tickets")
            }
            return
        }
        guard isServer else {
            unsafe copenssl_ctx_tell_client_sessions(handle)
            return unsafe TLSResumption.listen(to: handle)
        }
        // Without a name for where sessions belong, OpenSSL resumes none that has a client's certificate.
        let name = Array("sealed-push".utf8)
        guard unsafe SSL_CTX_set_num_tickets(handle, 2) == 1,
            unsafe SSL_CTX_set_session_id_context(handle, name, UInt32(name.count)) == 1
        else { throw OpenSSLFailure.library("SSL_CTX_set_num_tickets") }
        try unsafe ticketKeys?.install(in: handle)
    }

    /// Whose certificates the peer may have.
    private func setTrust(_ trust: TLSTrust, mode: Int32) throws(TLSError) {
        unsafe SSL_CTX_set_verify(handle, mode, nil)
        switch trust {
        case .system:
            guard unsafe SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw OpenSSLFailure.library("SSL_CTX_set_default_verify_paths")
            }
        case .pem(let bytes):
            let certificates = unsafe TLSCertificate.list(pem: bytes.span.bytes)
            guard !certificates.isEmpty else { throw .authorityUnreadable }
            let store = unsafe SSL_CTX_get_cert_store(handle)
            for certificate in certificates {
                guard unsafe X509_STORE_add_cert(store, certificate.handle) == 1 else {
                    throw OpenSSLFailure.library("X509_STORE_add_cert")
                }
            }
        }
    }

    // MARK: Client

    private func offerProtocols() throws(TLSError) {
        guard !protocols.isEmpty else { return }
        // This one call answers 0 for success.
        guard unsafe SSL_CTX_set_alpn_protos(handle, protocols, UInt32(protocols.count)) == 0 else {
            throw OpenSSLFailure.library("SSL_CTX_set_alpn_protos")
        }
    }

    // MARK: Server

    /// Goes on where OpenSSL's own verification ends: nobody publishes a list of revoked certificates for it.
    private func judgeClients() {
        unsafe SSL_CTX_set_cert_verify_callback(
            handle,
            { verification, argument in
                guard let verification = unsafe verification, let argument = unsafe argument else { return 0 }
                return unsafe Unmanaged<TLSContext>.fromOpaque(argument)._withUnsafeGuaranteedRef { context in
                    unsafe context.isAdmitted(verification) ? 1 : 0
                }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func isAdmitted(_ verification: OpaquePointer) -> Bool {
        guard let clientTrust else { return false }
        var isVerified = unsafe X509_verify_cert(verification) == 1
        if isVerified, let certificate = unsafe X509_STORE_CTX_get0_cert(verification),
            unsafe clientTrust.revokedSerialNumbers.contains(TLSCertificate.serialNumber(certificate))
        {
            unsafe X509_STORE_CTX_set_error(verification, X509_V_ERR_CERT_REVOKED)
            isVerified = false
        }
        return isVerified || clientTrust.admitsUnverified
    }

    private func choose(
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ chosenByteCount: UnsafeMutablePointer<UInt8>?,
        from offered: UnsafePointer<UInt8>?,
        _ offeredByteCount: UInt32
    ) -> Int32 {
        guard let chosen = unsafe chosen, let chosenByteCount = unsafe chosenByteCount, let offered = unsafe offered
        else {
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        let offers = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredByteCount))
        var own = 0
        while own < protocols.count {
            let name = protocols[own + 1..<own + 1 + Int(protocols[own])]
            var offer = 0
            while offer < offers.count, unsafe offer + 1 + Int(offers[offer]) <= offers.count {
                let byteCount = unsafe Int(offers[offer])
                if unsafe offers[offer + 1..<offer + 1 + byteCount].elementsEqual(name) {
                    // Points into the client's own message, which outlives this call.
                    unsafe chosen.pointee = offered + offer + 1
                    unsafe chosenByteCount.pointee = UInt8(byteCount)
                    return SSL_TLSEXT_ERR_OK
                }
                offer += 1 + byteCount
            }
            own += 1 + name.count
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
