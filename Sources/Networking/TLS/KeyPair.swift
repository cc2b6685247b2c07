import COpenSSL

/// Private key of a certificate or an authority. Can be written to a file, but not printed.
///
/// Unchecked Sendable: complete after `init`, and then only read, which OpenSSL allows from any thread.
@safe package final class KeyPair: @unchecked Sendable {
    package enum Kind: Sendable {
        /// For ES256 and TLS; generated within a millisecond.
        case p256
        /// As in Apple's certificates.
        case rsa2048
    }

    let handle: OpaquePointer

    package init(_ kind: Kind = .p256) throws(TLSError) {
        let made = unsafe kind == .p256 ? copenssl_generate_p256() : copenssl_generate_rsa2048()
        guard let made = unsafe made else { throw OpenSSLFailure.library("EVP_PKEY_generate") }
        unsafe handle = made
    }

    /// - Parameter privateKeyPEM: Unencrypted; PKCS #8 or an older form. Other text is skipped.
    package init(privateKeyPEM: RawSpan) throws(TLSIdentityError) {
        unsafe handle = try PrivateKeyPEM.read(privateKeyPEM, password: RawSpan())
    }

    deinit { unsafe EVP_PKEY_free(handle) }

    /// SubjectPublicKeyInfo (RFC 5280) as a PEM block `PUBLIC KEY`.
    package var publicKeyPEM: [UInt8] {
        get throws(TLSError) {
            try unsafe PEMText.bytes("PEM_write_bio_PUBKEY") { unsafe PEM_write_bio_PUBKEY($0, handle) }
        }
    }

    /// Lends a PEM block `PRIVATE KEY` (PKCS #8, unencrypted, as Apple's `.p8`), zeroed afterwards.
    package func withPrivateKeyPEM<Result>(_ body: (RawSpan) -> Result) throws(TLSError) -> Result {
        guard let sink = unsafe BIO_new(BIO_s_secmem()) else { throw OpenSSLFailure.library("BIO_new") }
        defer { unsafe BIO_free(sink) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(sink, handle, nil, nil, 0, nil, nil) == 1 else {
            throw OpenSSLFailure.library("PEM_write_bio_PKCS8PrivateKey")
        }
        var start: UnsafeMutableRawPointer?
        let byteCount = unsafe BIO_ctrl(sink, BIO_CTRL_INFO, 0, &start)
        return body(unsafe UnsafeRawBufferPointer(start: start, count: byteCount).bytes)
    }
}

extension KeyPair: CustomReflectable {
    /// Hides the key from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

enum PEMText {
    static func bytes(_ call: String, _ write: (OpaquePointer) -> Int32) throws(TLSError) -> [UInt8] {
        guard let sink = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLFailure.library("BIO_new") }
        defer { unsafe BIO_free(sink) }
        guard unsafe write(sink) == 1 else { throw OpenSSLFailure.library(call) }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(sink))
        let count = unsafe BIO_read(sink, &bytes, Int32(clamping: bytes.count))
        guard Int(count) == bytes.count else { throw OpenSSLFailure.library("BIO_read") }
        return bytes
    }
}
