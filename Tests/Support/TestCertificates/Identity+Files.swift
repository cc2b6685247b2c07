import COpenSSL

extension TestAuthority.Identity {
    /// Encryption of a PKCS #12 file.
    public enum Ciphers: Sendable {
        /// OpenSSL 3's own choice: AES-256 and SHA-256.
        case present
        /// The choice of macOS's keychain: RC2 with 40 bits, triple DES and SHA-1.
        case keychain
    }

    /// Certificate and key as one PKCS #12 file.
    ///
    /// - Parameters:
    ///   - password: may be empty.
    ///   - ciphers: the keychain's need OpenSSL's provider "legacy".
    ///   - hasKey: false for the certificate alone.
    ///   - hasChecksum: true for a MAC that shows if the password was right.
    /// - Throws: `TestAuthority.Failure`.
    public func pkcs12(
        password: String,
        ciphers: Ciphers = .present,
        hasKey: Bool = true,
        hasChecksum: Bool = true
    ) throws -> [UInt8] {
        // A library context of our own: the process's must not learn old ciphers from a test.
        let library = unsafe OSSL_LIB_CTX_new()
        defer { unsafe OSSL_LIB_CTX_free(library) }
        var providers = unsafe [OpaquePointer]()
        defer { unsafe providers.forEach { unsafe OSSL_PROVIDER_unload($0) } }
        for name in ["default", "legacy"] {
            guard let provider = unsafe OSSL_PROVIDER_load(library, name) else {
                throw TestAuthority.Failure(call: "OSSL_PROVIDER_load(\(name))")
            }
            unsafe providers.append(provider)
        }
        let key = unsafe try Self.key(privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        let certificate = unsafe try Self.certificate(certificatePEM)
        defer { unsafe X509_free(certificate) }
        let isOld = ciphers == .keychain
        let made = unsafe PKCS12_create_ex(
            password,
            "Test",
            hasKey ? key : nil,
            certificate,
            nil,
            isOld ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : 0,
            isOld ? NID_pbe_WithSHA1And40BitRC2_CBC : 0,
            2048,
            hasChecksum ? 1 : -1,
            0,
            library,
            nil
        )
        guard let made = unsafe made else { throw TestAuthority.Failure(call: "PKCS12_create_ex") }
        defer { unsafe PKCS12_free(made) }
        return try unsafe TestAuthority.bytes { unsafe i2d_PKCS12_bio($0, made) }
    }

    /// PKCS #8, encrypted with AES-128.
    ///
    /// - Throws: `TestAuthority.Failure`.
    public func encryptedKeyPEM(password: String) throws -> [UInt8] {
        let key = unsafe try Self.key(privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        return try unsafe TestAuthority.bytes { sink in
            unsafe password.withCString { text in
                let byteCount = Int32(password.utf8.count)
                return unsafe PEM_write_bio_PKCS8PrivateKey(sink, key, EVP_aes_128_cbc(), text, byteCount, nil, nil)
            }
        }
    }

    /// PKCS #1 for an RSA key, SEC 1 for another: "BEGIN RSA PRIVATE KEY" or "BEGIN EC PRIVATE KEY".
    ///
    /// - Parameter password: encrypts with AES-128 in OpenSSL's own way; `nil` does not.
    /// - Throws: `TestAuthority.Failure`.
    /// - Returns: one PEM block.
    public func traditionalKeyPEM(password: String? = nil) throws -> [UInt8] {
        let key = unsafe try Self.key(privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        let text = Array((password ?? "").utf8)
        let cipher = password == nil ? nil : unsafe EVP_aes_128_cbc()
        return try unsafe TestAuthority.bytes { sink in
            unsafe PEM_write_bio_PrivateKey_traditional(sink, key, cipher, text, Int32(text.count), nil, nil)
        }
    }

    private static func key(_ pem: [UInt8]) throws -> OpaquePointer {
        let key = unsafe read(pem) { unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        guard let key = unsafe key else { throw TestAuthority.Failure(call: "PEM_read_bio_PrivateKey") }
        return unsafe key
    }

    private static func certificate(_ pem: [UInt8]) throws -> OpaquePointer {
        let certificate = unsafe read(pem) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
        guard let certificate = unsafe certificate else { throw TestAuthority.Failure(call: "PEM_read_bio_X509") }
        return unsafe certificate
    }

    private static func read(_ pem: [UInt8], _ body: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
        unsafe pem.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(source) }
            return unsafe body(source)
        }
    }
}

extension TestAuthority {
    /// Limits a TLS context to TLS 1.2 at most.
    public static func limitToTLS12(_ context: OpaquePointer) {
        unsafe copenssl_ctx_set_max_tls12(context)
    }

    /// Makes a TLS context offer ChaCha20-Poly1305 before AES.
    public static func preferChaCha20(_ context: OpaquePointer) throws {
        guard unsafe SSL_CTX_set_ciphersuites(context, "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256") == 1,
            unsafe SSL_CTX_set_cipher_list(context, "ECDHE+CHACHA20:ECDHE+AESGCM") == 1
        else { throw Failure(call: "SSL_CTX_set_ciphersuites") }
    }

    /// True if OpenSSL has a key exchange of this name.
    public static func hasGroup(_ name: String) -> Bool {
        let context = unsafe SSL_CTX_new(TLS_client_method())
        defer {
            unsafe SSL_CTX_free(context)
            ERR_clear_error()
        }
        guard let context = unsafe context else { return false }
        return unsafe copenssl_ctx_set_groups(context, name) == 1
    }
}
