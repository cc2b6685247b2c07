import COpenSSL

/// Reads a private key from PEM text (RFC 7468): PKCS #8, encrypted or not, and older RSA and EC forms.
enum PrivateKeyPEM {
    @safe private struct Request {
        let password: UnsafePointer<CChar>
        let byteCount: Int
        var wasAsked = false
    }

    /// - Parameter password: Empty for none.
    /// - Returns: EVP_PKEY that the caller owns.
    /// - Throws: `.privateKeyMissing`, `.privateKeyUnreadable`, `.passwordNeeded`, `.passwordWrong`.
    static func read(_ pem: RawSpan, password: RawSpan) throws(TLSIdentityError) -> OpaquePointer {
        guard let password = PasswordText(password) else { throw .passwordWrong }
        defer { ERR_clear_error() }
        ERR_clear_error()
        let outcome = unsafe pem.withUnsafeBytes { pem -> Result<OpaquePointer, TLSIdentityError> in
            unsafe password.withCString { text in
                unsafe read(pem, text, password.byteCount)
            }
        }
        return try unsafe outcome.get()
    }

    private static func read(
        _ pem: UnsafeRawBufferPointer,
        _ password: UnsafePointer<CChar>,
        _ passwordByteCount: Int
    ) -> Result<OpaquePointer, TLSIdentityError> {
        guard let source = unsafe BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else {
            return unsafe .failure(.privateKeyMissing)
        }
        defer { unsafe BIO_free(source) }
        var request = unsafe Request(password: password, byteCount: passwordByteCount)
        var start: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        var label: UnsafeMutablePointer<CChar>?
        // secmem clears what it read. The name matches every kind of private key.
        let code = unsafe PEM_bytes_read_bio_secmem(
            &start,
            &byteCount,
            &label,
            "ANY PRIVATE KEY",
            source,
            { buffer, size, _, request in
                guard let buffer = unsafe buffer, let request = unsafe request else { return -1 }
                let asked = unsafe request.assumingMemoryBound(to: Request.self)
                unsafe asked.pointee.wasAsked = true
                let byteCount = unsafe asked.pointee.byteCount
                guard byteCount > 0, byteCount <= Int(size) else { return -1 }
                unsafe buffer.update(from: asked.pointee.password, count: byteCount)
                return Int32(byteCount)
            },
            &request
        )
        guard code == 1, let start = unsafe start, let label = unsafe label else {
            if request.wasAsked {
                return unsafe .failure(passwordByteCount == 0 ? .passwordNeeded : .passwordWrong)
            }
            // Without a start line there is no key; otherwise it is truncated or no base64.
            let isMissing = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
            return unsafe .failure(isMissing ? .privateKeyMissing : .privateKeyUnreadable)
        }
        defer {
            unsafe CRYPTO_secure_clear_free(start, byteCount, nil, 0)
            unsafe CRYPTO_secure_free(label, nil, 0)
        }
        switch unsafe String(cString: label) {
        case "ENCRYPTED PRIVATE KEY":
            guard passwordByteCount > 0 else { return unsafe .failure(.passwordNeeded) }
            return unsafe decrypt(start, byteCount, password, passwordByteCount)
        case "PRIVATE KEY":
            var cursor = unsafe UnsafePointer<UInt8>?(start)
            guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, byteCount) else {
                return unsafe .failure(.privateKeyUnreadable)
            }
            return unsafe key(owning: info)
        default:
            var cursor = unsafe UnsafePointer<UInt8>?(start)
            if let key = unsafe d2i_AutoPrivateKey(nil, &cursor, byteCount) { return unsafe .success(key) }
            // Once in a few hundred times a wrong password yields a plausible block.
            return unsafe .failure(request.wasAsked ? .passwordWrong : .privateKeyUnreadable)
        }
    }

    private static func decrypt(
        _ der: UnsafePointer<UInt8>,
        _ byteCount: Int,
        _ password: UnsafePointer<CChar>,
        _ passwordByteCount: Int
    ) -> Result<OpaquePointer, TLSIdentityError> {
        var cursor = unsafe UnsafePointer<UInt8>?(der)
        guard let encrypted = unsafe d2i_X509_SIG(nil, &cursor, byteCount) else {
            return unsafe .failure(.privateKeyUnreadable)
        }
        defer { unsafe X509_SIG_free(encrypted) }
        guard let info = unsafe PKCS8_decrypt(encrypted, password, Int32(passwordByteCount)) else {
            return unsafe .failure(.passwordWrong)
        }
        return unsafe key(owning: info)
    }

    private static func key(owning info: OpaquePointer) -> Result<OpaquePointer, TLSIdentityError> {
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let key = unsafe EVP_PKCS82PKEY(info) else { return unsafe .failure(.privateKeyUnreadable) }
        return unsafe .success(key)
    }
}
