import COpenSSL

/// Certificate, its intermediate ones and the private key, which cannot be read back.
///
/// Unchecked Sendable: complete after `init`; contexts only count references to its parts.
@safe package final class TLSIdentity: @unchecked Sendable {
    /// Key's certificate.
    package let certificate: TLSCertificate
    package let intermediates: [TLSCertificate]
    private let key: OpaquePointer

    /// A certificate, a long chain and an RSA key take about 20,000 bytes of text.
    package static let byteCountMax = 262_144

    /// Reads one or two PEM texts, in any order; other text is skipped.
    ///
    /// - Parameters:
    ///   - privateKeyPEM: PKCS #8 or PKCS #1 (RFC 5958, RFC 8017); may be the same text.
    ///   - password: UTF-8; empty for none.
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

    /// Reads a server's identity, unencrypted: no one is there to type a password.
    ///
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

    /// Reads a PKCS #12 file (RFC 7292), as exported by the macOS keychain. `password` is UTF-8; empty for none.
    package convenience init(pkcs12: RawSpan, password: RawSpan) throws(TLSIdentityError) {
        try self.init(pkcs12: pkcs12, password: password, legacyProvider: "legacy")
    }

    /// `legacyProvider` is OpenSSL's name for the provider of old ciphers.
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

    /// Owns `key`, even if it throws.
    init(_ certificates: [TLSCertificate], owning key: OpaquePointer) throws(TLSIdentityError) {
        defer { ERR_clear_error() }
        // Exports put the certificate first or last.
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
    /// Hides the key from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSCertificate {
    /// Reads certificates up to the first unreadable one; other blocks are skipped.
    package static func list(pem: RawSpan) -> [TLSCertificate] {
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
