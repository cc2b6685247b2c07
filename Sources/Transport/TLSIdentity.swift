import COpenSSL

/// Who one side of a connection is: a certificate, the intermediate ones, and the private key. The key can be used by
/// a TLS context and cannot be had back.
///
/// Unchecked: complete when `init` returns; contexts only count references to what it owns.
@safe package final class TLSIdentity: @unchecked Sendable {
    /// The one that the key belongs to.
    package let certificate: TLSCertificate
    /// What else was beside it, in the order of the file.
    package let intermediates: [TLSCertificate]
    private let key: OpaquePointer

    /// Ours: a certificate, a long chain and an RSA key have about 20,000 bytes as text.
    package static let byteCountMax = 262_144

    /// Out of one or two PEM texts, in any order within each; other text around the blocks is skipped.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: the certificate, and the intermediate ones if it has some.
    ///   - privateKeyPEM: PKCS #8 or PKCS #1 (RFC 5958, RFC 8017); may be the same text.
    ///   - password: UTF-8, for an encrypted key; empty for none.
    /// - Throws: every case of `TLSIdentityError` but `.pkcs12Unreadable` and `.legacyEncryption`.
    package convenience init(
        certificateChainPEM: RawSpan,
        privateKeyPEM: RawSpan,
        password: RawSpan
    ) throws(TLSIdentityError) {
        for byteCount in [certificateChainPEM.byteCount, privateKeyPEM.byteCount] where byteCount > Self.byteCountMax {
            throw .tooLong(byteCount: byteCount, byteCountMax: Self.byteCountMax)
        }
        let certificates = TLSCertificate.list(pem: certificateChainPEM)
        guard !certificates.isEmpty else { throw .certificateUnreadable }
        try unsafe self.init(certificates, owning: PrivateKeyPEM.read(privateKeyPEM, password: password))
    }

    /// A server's, whose key is not encrypted: nobody is there to type a password when it starts.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: its certificate first, then the intermediate ones.
    ///   - privateKeyPEM: its key; text before the first BEGIN line is skipped.
    /// - Returns: what `TLSContext.server` takes.
    /// - Throws: `.certificateUnreadable`, `.privateKeyUnreadable`, `.privateKeyDoesNotMatchCertificate`.
    package static func server(
        certificateChainPEM: [UInt8],
        privateKeyPEM: RawSpan
    ) throws(TLSError) -> TLSIdentity {
        do throws(TLSIdentityError) {
            return try unsafe TLSIdentity(
                certificateChainPEM: certificateChainPEM.span.bytes,
                privateKeyPEM: privateKeyPEM,
                password: RawSpan()
            )
        } catch {
            switch error {
            case .certificateUnreadable: throw .certificateUnreadable
            case .privateKeyDoesNotMatchCertificate: throw .privateKeyDoesNotMatchCertificate
            default: throw .privateKeyUnreadable
            }
        }
    }

    /// Out of a PKCS #12 file (RFC 7292), as the keychain of macOS exports it.
    ///
    /// - Parameters:
    ///   - pkcs12: the file.
    ///   - password: UTF-8; empty for none.
    /// - Throws: every case of `TLSIdentityError` but `.passwordNeeded` and `.privateKeyUnreadable`.
    package convenience init(pkcs12: RawSpan, password: RawSpan) throws(TLSIdentityError) {
        try self.init(pkcs12: pkcs12, password: password, legacyProvider: "legacy")
    }

    /// `legacyProvider` is what OpenSSL calls the provider of the old ciphers.
    convenience init(
        pkcs12: RawSpan,
        password: RawSpan,
        legacyProvider: String
    ) throws(TLSIdentityError) {
        guard pkcs12.byteCount <= Self.byteCountMax else {
            throw .tooLong(byteCount: pkcs12.byteCount, byteCountMax: Self.byteCountMax)
        }
        let contents = try PKCS12File.read(pkcs12, password: password, legacyProvider: legacyProvider)
        try unsafe self.init(contents.certificates, owning: contents.takeKey())
    }

    /// Takes `key` over, also when it throws.
    init(_ certificates: [TLSCertificate], owning key: OpaquePointer) throws(TLSIdentityError) {
        defer { ERR_clear_error() }
        // Exports put the certificate first or last; only the key tells which one it is.
        let own = certificates.firstIndex { unsafe X509_check_private_key($0.handle, key) == 1 }
        guard let own else {
            unsafe EVP_PKEY_free(key)
            throw .privateKeyDoesNotMatchCertificate
        }
        var others = certificates
        certificate = others.remove(at: own)
        intermediates = others
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// Gives a context its own references to all of it.
    func install(in context: OpaquePointer) throws(TLSError) {
        guard unsafe SSL_CTX_use_certificate(context, certificate.handle) == 1 else {
            throw OpenSSLFailure.library("SSL_CTX_use_certificate")
        }
        for intermediate in intermediates {
            guard unsafe copenssl_ctx_add_chain_certificate(context, intermediate.handle) == 1 else {
                throw OpenSSLFailure.library("SSL_CTX_add1_chain_cert")
            }
        }
        guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1 else {
            throw OpenSSLFailure.library("SSL_CTX_use_PrivateKey")
        }
    }
}

extension TLSIdentity: CustomReflectable {
    /// `dump` shows nothing of it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSCertificate {
    /// The certificates of a PEM text, up to the first that cannot be read; other blocks are skipped.
    static func list(pem: RawSpan) -> [TLSCertificate] {
        defer { ERR_clear_error() }
        return unsafe pem.withUnsafeBytes { bytes in
            var certificates: [TLSCertificate] = []
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return []
            }
            defer { unsafe BIO_free(source) }
            while let handle = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil),
                let certificate = unsafe TLSCertificate(owning: handle)
            {
                certificates.append(certificate)
            }
            return certificates
        }
    }
}
