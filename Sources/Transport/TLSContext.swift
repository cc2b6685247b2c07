import COpenSSL

/// What many TLS sessions share: certificates, key, trust and protocols. TLS 1.2 or newer, ECDHE with an AEAD only.
///
/// Unchecked: the SSL_CTX is complete when `init` returns and OpenSSL only reads it from then on.
@safe package final class TLSContext: @unchecked Sendable {
    /// Whose certificates a client believes.
    package enum Trust {
        /// The machine's own list of authorities.
        case system
        /// These authorities and no others: one or more PEM certificates.
        case pem([UInt8])
    }

    let handle: OpaquePointer
    let isServer: Bool
    /// As on the wire (RFC 7301 section 3.1): each name behind its length. Empty: no ALPN.
    let protocols: [UInt8]

    /// A client's side.
    ///
    /// - Parameters:
    ///   - trust: whose certificates it believes.
    ///   - alpn: the application protocols it offers, most wanted first, each 1 to 255 bytes. A server that chooses
    ///     none of them is refused; with an empty list there is no negotiation.
    /// - Returns: what `TLSSession(client:)` takes.
    /// - Throws: `.authorityUnreadable`, `.protocolNameInvalid`, `.library`.
    package static func client(trust: Trust, alpn: [String]) throws(TLSError) -> TLSContext {
        let context = unsafe try TLSContext(method: TLS_client_method(), isServer: false, alpn: alpn)
        try context.setTrust(trust)
        return context
    }

    /// A server's side.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: its certificate first, then the intermediate ones.
    ///   - privateKeyPEM: the certificate's unencrypted key; text before the first BEGIN line is skipped.
    ///   - alpn: the application protocols it speaks, most wanted first. A client that offers none of them is refused.
    /// - Returns: what `TLSSession(server:)` takes.
    /// - Throws: `.certificateUnreadable`, `.privateKeyUnreadable`, `.privateKeyDoesNotMatchCertificate` and those
    ///   of a client.
    package static func server(
        certificateChainPEM: [UInt8],
        privateKeyPEM: RawSpan,
        alpn: [String]
    ) throws(TLSError) -> TLSContext {
        let context = unsafe try TLSContext(method: TLS_server_method(), isServer: true, alpn: alpn)
        try context.setIdentity(certificateChainPEM, privateKeyPEM)
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

    private init(method: OpaquePointer?, isServer: Bool, alpn: [String]) throws(TLSError) {
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
        try restrict()
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
            ) == 1,
            unsafe copenssl_ctx_set_groups(handle, "X25519:P-256:P-384") == 1,
            unsafe SSL_CTX_set_num_tickets(handle, 0) == 1
        else { throw OpenSSLFailure.library("SSL_CTX settings") }
        unsafe copenssl_ctx_set_house_options(handle)
        unsafe copenssl_ctx_disable_session_cache(handle)
        unsafe copenssl_ctx_release_idle_buffers(handle)
    }

    // MARK: Client

    private func setTrust(_ trust: Trust) throws(TLSError) {
        unsafe SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        switch trust {
        case .system:
            guard unsafe SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw OpenSSLFailure.library("SSL_CTX_set_default_verify_paths")
            }
        case .pem(let bytes):
            let certificates = CertificateList(pem: bytes)
            guard certificates.count > 0 else { throw .authorityUnreadable }
            let store = unsafe SSL_CTX_get_cert_store(handle)
            for index in 0..<certificates.count {
                guard unsafe X509_STORE_add_cert(store, certificates[index]) == 1 else {
                    throw OpenSSLFailure.library("X509_STORE_add_cert")
                }
            }
        }
        guard !protocols.isEmpty else { return }
        // This one call answers 0 for success.
        guard unsafe SSL_CTX_set_alpn_protos(handle, protocols, UInt32(protocols.count)) == 0 else {
            throw OpenSSLFailure.library("SSL_CTX_set_alpn_protos")
        }
    }

    // MARK: Server

    private func setIdentity(_ chain: [UInt8], _ privateKeyPEM: RawSpan) throws(TLSError) {
        let certificates = CertificateList(pem: chain)
        guard certificates.count > 0, unsafe SSL_CTX_use_certificate(handle, certificates[0]) == 1 else {
            ERR_clear_error()
            throw .certificateUnreadable
        }
        for index in 1..<max(1, certificates.count) {
            guard unsafe copenssl_ctx_add_chain_certificate(handle, certificates[index]) == 1 else {
                throw OpenSSLFailure.library("SSL_CTX_add1_chain_cert")
            }
        }
        let key = unsafe privateKeyPEM.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { unsafe BIO_free(source) }
            // The callback refuses encrypted keys; without one OpenSSL would ask on the terminal.
            return unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .privateKeyUnreadable
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe SSL_CTX_use_PrivateKey(handle, key) == 1, unsafe SSL_CTX_check_private_key(handle) == 1 else {
            ERR_clear_error()
            throw .privateKeyDoesNotMatchCertificate
        }
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

/// The certificates of a PEM text, owned.
@safe private struct CertificateList: ~Copyable {
    private var certificates = unsafe [OpaquePointer]()

    /// Reads up to the first thing that is not a certificate; none at all is for the caller to refuse.
    init(pem: [UInt8]) {
        defer { ERR_clear_error() }
        unsafe pem.withUnsafeBytes { bytes in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return }
            defer { unsafe BIO_free(source) }
            while let certificate = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) {
                unsafe certificates.append(certificate)
            }
        }
    }

    deinit {
        unsafe certificates.forEach { unsafe X509_free($0) }
    }

    var count: Int { unsafe certificates.count }

    subscript(index: Int) -> OpaquePointer {
        unsafe certificates[index]
    }
}
