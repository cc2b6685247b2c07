import COpenSSL

/// Certificates, key, trust and protocols of many TLS sessions. TLS 1.2 or newer, ECDHE with an AEAD only.
///
/// Unchecked Sendable: the SSL_CTX is complete after `init`, and OpenSSL only reads it from then on.
@safe package final class TLSContext: @unchecked Sendable {
    /// Server's rules for client certificates.
    package struct ClientTrust: Sendable {
        package let authorities: TLSTrust
        /// True to refuse clients without one.
        package let isCertificateRequired: Bool
        /// In the form of `TLSCertificate.serialNumber`.
        package var revokedSerialNumbers: Set<[UInt8]> = []
        /// Admits unverified and revoked certificates for a refusal by the application, which must check
        /// `TLSSession.isPeerVerified`; otherwise any certificate is accepted.
        package var admitsUnverified = false

        package init(authorities: TLSTrust, isCertificateRequired: Bool = true) {
            self.authorities = authorities
            self.isCertificateRequired = isCertificateRequired
        }
    }

    let handle: OpaquePointer
    let isServer: Bool
    let resumableSessions: TLSResumption.Cache?
    private let ticketKeys: TicketKeys?
    /// In wire format (RFC 7301 section 3.1), each name after its length. Empty: no ALPN.
    let protocols: [UInt8]
    private let clientTrust: ClientTrust?
    /// True to refuse clients without ALPN.
    let requiresALPN: Bool

    /// Creates a context for `TLSSession(client:)`.
    ///
    /// - Parameters:
    ///   - alpn: Protocols by preference, 1 to 255 bytes each. A server that chooses none is refused; empty disables
    ///     ALPN.
    ///   - identity: Shown to servers that ask for a certificate.
    ///   - resumption: Resumes sessions with the same host and port. Never with early data (RFC 8446 section 2.3),
    ///     which can be replayed.
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

    /// Creates a context for `TLSSession(server:)`.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: Server's certificate, then the intermediate ones.
    ///   - privateKeyPEM: Unencrypted; text before the first BEGIN line is skipped.
    ///   - alpn: Protocols by preference. A client that offers others only is refused; with `requiresALPN`, one without
    ///     ALPN, too.
    ///   - clientTrust: Asks clients for a certificate.
    ///   - resumption: Issues two tickets, valid for two hours (`TicketKeys`).
    /// - Throws: `.certificateUnreadable`, `.privateKeyUnreadable`, `.privateKeyDoesNotMatchCertificate` and a client's
    ///   errors.
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

    /// Takes an identity that contexts may share. `uptime` is the clock of ticket keys' age.
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
            // AES-128 first: as safe here as AES-256, and cheaper per byte.
            unsafe SSL_CTX_set_ciphersuites(
                handle,
                "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
            ) == 1
        else { throw OpenSSLFailure.library("SSL_CTX settings") }
        try setGroups()
        unsafe copenssl_ctx_set_house_options(handle)
        // A server has thousands of idle connections. A client's few are busy, and would allocate per record.
        if isServer { unsafe copenssl_ctx_release_idle_buffers(handle) }
    }

    /// Prefers ML-KEM with X25519 (draft-ietf-tls-ecdhe-mlkem, OpenSSL 3.5 and later) against later decryption of
    /// recorded traffic. A client sends shares for both (`*`), to save a round trip with older servers.
    private func setGroups() throws(TLSError) {
        let classical = "X25519:P-256:P-384"
        // Older versions know neither the name nor the star, and reject the list.
        for groups in ["*X25519MLKEM768:*" + classical, classical] {
            ERR_clear_error()
            if unsafe copenssl_ctx_set_groups(handle, groups) == 1 { return }
        }
        throw OpenSSLFailure.library("SSL_CTX_set1_groups_list")
    }

    private func setResumption(_ isOn: Bool) throws(TLSError) {
        // A server's tickets hold the session.
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
        // Required by OpenSSL to resume sessions with a client certificate.
        let name = Array("sealed-push".utf8)
        guard unsafe SSL_CTX_set_num_tickets(handle, 2) == 1,
            unsafe SSL_CTX_set_session_id_context(handle, name, UInt32(name.count)) == 1
        else { throw OpenSSLFailure.library("SSL_CTX_set_num_tickets") }
        try unsafe ticketKeys?.install(in: handle)
    }

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
        // This call returns 0 for success.
        guard unsafe SSL_CTX_set_alpn_protos(handle, protocols, UInt32(protocols.count)) == 0 else {
            throw OpenSSLFailure.library("SSL_CTX_set_alpn_protos")
        }
    }

    // MARK: Server

    /// Adds revoked serial numbers to OpenSSL's verification; no revocation list is published.
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
                    // Points into the client's message, which outlives this call.
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
