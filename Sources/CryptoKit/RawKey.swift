internal import COpenSSL

/// Key of X25519 or Ed25519 in OpenSSL's hands.
///
/// OpenSSL refuses an all-zero secret, and accepts points of small order as Ed25519 keys.
@safe struct RawKey: ~Copyable {
    static let byteCount = 32
    private let key: OpaquePointer

    init(privateKey bytes: KeyBytes, _ kind: Int32) throws(CryptoKitError) {
        let key = unsafe bytes.withPointer { unsafe EVP_PKEY_new_raw_private_key(kind, nil, $0, bytes.count) }
        guard let key = unsafe key else { throw .incorrectKeySize }
        unsafe self.key = key
    }

    init(publicKey bytes: [UInt8], _ kind: Int32) throws(CryptoKitError) {
        guard let key = unsafe EVP_PKEY_new_raw_public_key(kind, nil, bytes, bytes.count) else {
            ERR_clear_error()
            throw .incorrectKeySize
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    var publicBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var count = bytes.count
        let code = unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count)
        precondition(code == 1, "OpenSSL has no public half of a key")
        return bytes
    }

    func sharedSecret(with peer: borrowing RawKey) throws(CryptoKitError) -> KeyBytes {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { preconditionFailure("out of memory for a key") }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, peer.key) == 1 else {
            throw .invalidParameter
        }
        var code: Int32 = 0
        let secret = unsafe KeyBytes(byteCount: Self.byteCount) { bytes in
            var count = bytes.count
            code = unsafe EVP_PKEY_derive(context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, &count)
        }
        guard code == 1 else { throw .invalidParameter }
        return secret
    }

    func isValid(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory for a signature") }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
