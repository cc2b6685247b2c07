import COpenSSL

/// Contents of a PKCS #12 file, independent of the library context that decrypted it.
@safe struct PKCS12File: ~Copyable {
    let certificates: [TLSCertificate]
    private let key: OpaquePointer

    /// Our limit: OpenSSL and macOS use 2,048; more only costs time before the password's check.
    private static let checksumIterationCountMax = 2_000_000

    private enum Failure: Error {
        case unsupported
        case identity(TLSIdentityError)
    }

    /// - Throws: As `TLSIdentity(pkcs12:password:)`.
    static func read(
        _ file: RawSpan,
        password: RawSpan,
        legacyProvider: String
    ) throws(TLSIdentityError) -> PKCS12File {
        guard let password = PasswordText(password) else { throw .passwordWrong }
        defer { ERR_clear_error() }
        do throws(Failure) {
            return try unsafe PKCS12File(file, password, library: nil)
        } catch {
            switch error {
            case .identity(let error): throw error
            case .unsupported: return try readOld(file, password, legacyProvider)
            }
        }
    }

    /// Reads ciphers that OpenSSL 3 retired (RC2-40, still used by the macOS keychain), in a library context that does
    /// not affect the process's.
    private static func readOld(
        _ file: RawSpan,
        _ password: borrowing PasswordText,
        _ legacyProvider: String
    ) throws(TLSIdentityError) -> PKCS12File {
        guard let library = unsafe OSSL_LIB_CTX_new() else { throw .library(call: "OSSL_LIB_CTX_new", "no memory") }
        defer { unsafe OSSL_LIB_CTX_free(library) }
        guard let present = unsafe OSSL_PROVIDER_load(library, "default") else { throw .legacyEncryption }
        defer { unsafe OSSL_PROVIDER_unload(present) }
        guard let legacy = unsafe OSSL_PROVIDER_load(library, legacyProvider) else { throw .legacyEncryption }
        defer { unsafe OSSL_PROVIDER_unload(legacy) }
        do throws(Failure) {
            return try unsafe PKCS12File(file, password, library: library)
        } catch {
            switch error {
            case .identity(let error): throw error
            case .unsupported: throw .legacyEncryption
            }
        }
    }

    private init(
        _ file: RawSpan,
        _ password: borrowing PasswordText,
        library: OpaquePointer?
    ) throws(Failure) {
        ERR_clear_error()
        var container = unsafe PKCS12_init_ex(NID_pkcs7_data, library, nil)
        unsafe file.withUnsafeBytes { bytes in
            var cursor = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            // A failure frees the container and clears the pointer.
            unsafe d2i_PKCS12(&container, &cursor, bytes.count)
        }
        guard let container = unsafe container else { throw .identity(.pkcs12Unreadable) }
        defer { unsafe PKCS12_free(container) }
        guard unsafe Self.hasChecksum(container) else { throw .identity(.pkcs12Unreadable) }

        var key: OpaquePointer?
        var own: OpaquePointer?
        var others: OpaquePointer?
        let code = unsafe password.withCString { text in
            unsafe PKCS12_parse(container, text, &key, &own, &others)
        }
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe X509_free(own)
            unsafe OPENSSL_sk_free(others)
        }
        let stack = unsafe Self.copies(emptying: others)
        guard code == 1 else { throw Self.takeFailure() }
        guard let key = unsafe key else { throw .identity(.privateKeyMissing) }
        let certificates = unsafe (own.flatMap { unsafe Self.copy($0) }.map { [$0] } ?? []) + stack
        guard !certificates.isEmpty else { throw .identity(.certificateUnreadable) }
        unsafe self.key = unsafe try Self.copy(key: key)
        self.certificates = certificates
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    func takeKey() -> OpaquePointer {
        unsafe EVP_PKEY_up_ref(key)
        return unsafe key
    }

    /// A hostile file could make the checksum expensive: it proves the password. Later data is by an author who knew
    /// it.
    private static func hasChecksum(_ container: OpaquePointer) -> Bool {
        guard unsafe PKCS12_mac_present(container) == 1 else { return false }
        var iterationCount: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, nil, nil, &iterationCount, container)
        guard let iterationCount = unsafe iterationCount else { return true }
        return (1...checksumIterationCountMax).contains(unsafe ASN1_INTEGER_get(iterationCount))
    }

    /// Reads every reason: the newest says only that parsing failed.
    private static func takeFailure() -> Failure {
        var isUnsupported = false
        var isPasswordWrong = false
        while true {
            let error = ERR_get_error()
            guard error != 0 else { break }
            if copenssl_is_unsupported(error) != 0 { isUnsupported = true }
            if ERR_GET_LIB(error) == ERR_LIB_PKCS12, ERR_GET_REASON(error) == PKCS12_R_MAC_VERIFY_FAILURE {
                isPasswordWrong = true
            }
        }
        if isPasswordWrong { return .identity(.passwordWrong) }
        if isUnsupported { return .unsupported }
        return .identity(.pkcs12Unreadable)
    }

    // MARK: Out of the library context

    private static func copies(emptying stack: OpaquePointer?) -> [TLSCertificate] {
        guard let stack = unsafe stack else { return [] }
        var certificates: [TLSCertificate] = []
        while let element = unsafe OPENSSL_sk_shift(stack) {
            let certificate = OpaquePointer(element)
            if let copy = unsafe copy(certificate) { certificates.append(copy) }
            unsafe X509_free(certificate)
        }
        return certificates
    }

    private static func copy(_ certificate: OpaquePointer) -> TLSCertificate? {
        var der: UnsafeMutablePointer<UInt8>?
        let byteCount = unsafe i2d_X509(certificate, &der)
        guard byteCount > 0, let der = unsafe der else { return nil }
        defer { unsafe CRYPTO_free(der, nil, 0) }
        return unsafe TLSCertificate(der: Array(UnsafeBufferPointer(start: der, count: Int(byteCount))))
    }

    private static func copy(key: OpaquePointer) throws(Failure) -> OpaquePointer {
        // Both calls clear their intermediate data.
        guard let info = unsafe EVP_PKEY2PKCS8(key) else { throw .identity(.privateKeyUnreadable) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let copy = unsafe EVP_PKCS82PKEY(info) else { throw .identity(.privateKeyUnreadable) }
        return unsafe copy
    }
}
