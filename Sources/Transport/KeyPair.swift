import COpenSSL

/// A private key that is made here or read from a file: what a certificate is issued for, and what an authority signs
/// with. It can be written to a file and cannot be printed.
///
/// Unchecked: the key is complete when `init` returns and is only read from then on, which OpenSSL allows from any
/// thread.
@safe package final class KeyPair: @unchecked Sendable {
    package enum Kind: Sendable {
        /// An elliptic curve key, made within a millisecond: ES256, and TLS.
        case p256
        /// What Apple's certificates have.
        case rsa2048
    }

    let handle: OpaquePointer

    /// A fresh one.
    ///
    /// - Throws: `.library`.
    package init(_ kind: Kind = .p256) throws(TLSError) {
        let made = unsafe kind == .p256 ? copenssl_generate_p256() : copenssl_generate_rsa2048()
        guard let made = unsafe made else { throw OpenSSLFailure.library("EVP_PKEY_generate") }
        unsafe handle = made
    }

    /// One that was written before.
    ///
    /// - Parameter privateKeyPEM: unencrypted; PKCS #8 or an older form. Text around the block is skipped.
    /// - Throws: `.privateKeyMissing`, `.privateKeyUnreadable`, `.passwordNeeded`.
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

    /// Lends the key as a PEM block `PRIVATE KEY` (PKCS #8, unencrypted, as Apple's `.p8`), in memory that is zeroed.
    ///
    /// - Parameter body: for a file's writer; the span cannot leave it.
    /// - Returns: what `body` returns.
    /// - Throws: `.library`.
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
    /// `dump` shows nothing of it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What OpenSSL writes as text.
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
