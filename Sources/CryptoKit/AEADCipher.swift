internal import COpenSSL

/// OpenSSL's ciphers, each with a tag of 16 bytes.
enum AEADCipher {
    case aesGCM, chaChaPoly

    static let tagByteCount = 16
    static let nonceByteCount = 12

    /// - Returns: ciphertext and tag.
    func seal(
        _ message: [UInt8],
        key: SymmetricKey,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(CryptoKitError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let context = try context(key, nonce, aad, isSealing: 1)
        var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
        guard let ciphertext = context.run(message), context.finish(),
            unsafe EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else { throw .underlyingCoreCryptoError(error: -1) }
        return (ciphertext, tag)
    }

    func open(
        _ ciphertext: [UInt8],
        tag: [UInt8],
        key: SymmetricKey,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(CryptoKitError) -> [UInt8] {
        defer { ERR_clear_error() }
        let context = try context(key, nonce, aad, isSealing: 0)
        var tag = tag
        guard let message = context.run(ciphertext),
            unsafe EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            context.finish()
        else { throw .authenticationFailure }
        return message
    }

    private func context(
        _ key: SymmetricKey,
        _ nonce: [UInt8],
        _ aad: [UInt8],
        isSealing: Int32
    ) throws(CryptoKitError) -> Context {
        let cipher: OpaquePointer?
        switch (self, key.bytes.count) {
        case (.aesGCM, 16): unsafe cipher = unsafe EVP_aes_128_gcm()
        case (.aesGCM, 24): unsafe cipher = unsafe EVP_aes_192_gcm()
        case (.aesGCM, 32): unsafe cipher = unsafe EVP_aes_256_gcm()
        case (.chaChaPoly, 32): unsafe cipher = unsafe EVP_chacha20_poly1305()
        default: throw .incorrectKeySize
        }
        let context = Context()
        var count: Int32 = 0
        let isStarted = unsafe key.bytes.withPointer { key in
            unsafe EVP_CipherInit_ex(context.pointer, cipher, nil, nil, nil, isSealing) == 1
                && EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1
                && EVP_CipherInit_ex(context.pointer, nil, nil, key, nonce, isSealing) == 1
                && (aad.isEmpty || EVP_CipherUpdate(context.pointer, nil, &count, aad, Int32(aad.count)) == 1)
        }
        guard isStarted else { throw .underlyingCoreCryptoError(error: -1) }
        return context
    }

    @safe private final class Context {
        let pointer: OpaquePointer

        init() {
            guard let pointer = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory for a cipher") }
            unsafe self.pointer = pointer
        }

        func run(_ input: [UInt8]) -> [UInt8]? {
            guard !input.isEmpty else { return [] }
            var output = [UInt8](repeating: 0, count: input.count)
            var count: Int32 = 0
            return unsafe EVP_CipherUpdate(pointer, &output, &count, input, Int32(input.count)) == 1 ? output : nil
        }

        func finish() -> Bool {
            var nothing: UInt8 = 0
            var count: Int32 = 0
            return unsafe EVP_CipherFinal_ex(pointer, &nothing, &count) == 1
        }

        deinit { unsafe EVP_CIPHER_CTX_free(pointer) }
    }
}
