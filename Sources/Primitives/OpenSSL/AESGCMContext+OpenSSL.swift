#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import COpenSSL

/// OpenSSL's AES-GCM, keyed once: libsodium has AES-256 only, and only on processors with AES instructions. A message
/// sets just the nonce, without allocation; the key schedule and GHASH's tables stay.
@safe struct AESGCMContext: ~Copyable, Sendable {
    static let keyByteCount = 32

    /// SAFETY: a pointer with one owner, which uses it for one message at a time.
    private nonisolated(unsafe) let context: OpaquePointer
    /// True while all calls succeeded; a prepared cipher fails only for lack of memory.
    private var isSound = true

    init(key: RawSpan, direction: AESGCMDirection) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory for AES-GCM") }
        let cipher = unsafe key.byteCount == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        let isSealing: Int32 = direction == .seal ? 1 : 0
        let code = unsafe key.withBytePointer { key, _ in
            unsafe EVP_CipherInit_ex(context, cipher, nil, key, nil, isSealing)
        }
        precondition(code == 1, "OpenSSL has no AES-GCM")
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    mutating func start(_ nonce: [UInt8], aad: [UInt8] = []) {
        var count: Int32 = 0
        isSound =
            unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce, -1) == 1
            && (aad.isEmpty || EVP_CipherUpdate(context, nil, &count, aad, Int32(aad.count)) == 1)
    }

    mutating func update(_ input: RawSpan, into output: inout MutableRawSpan, at offset: Int) {
        guard input.byteCount > 0 else { return }
        var written: Int32 = 0
        let code = unsafe output.withMutableBytePointer { output, _ in
            unsafe input.withBytePointer { input, count in
                unsafe EVP_CipherUpdate(context, output + offset, &written, input, Int32(count))
            }
        }
        isSound = isSound && code == 1
    }

    /// Writes the tag after `byteCount` bytes.
    mutating func finishSealing(into output: inout MutableRawSpan, byteCount: Int) {
        let isSealed = unsafe output.withMutableBytePointer { output, _ in
            unsafe isSound && isFinal()
                && EVP_CIPHER_CTX_ctrl(
                    context,
                    EVP_CTRL_AEAD_GET_TAG,
                    Int32(AESGCM.tagByteCount),
                    output + byteCount
                ) == 1
        }
        precondition(isSealed, "AES-GCM could not run")
    }

    /// False for a wrong tag; the output is then zeros.
    mutating func finishOpening(tag: RawSpan, output: inout MutableRawSpan, byteCount: Int) -> Bool {
        let isGenuine = unsafe tag.withBytePointer { tag, count in
            unsafe isSound
                && EVP_CIPHER_CTX_ctrl(
                    context,
                    EVP_CTRL_AEAD_SET_TAG,
                    Int32(count),
                    UnsafeMutablePointer(mutating: tag)
                ) == 1 && isFinal()
        }
        guard isGenuine else {
            // OpenSSL decrypts before it checks the tag.
            unsafe output.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, byteCount) }
            // Must not stay in the error queue for the next caller.
            ERR_clear_error()
            return false
        }
        return true
    }

    private func isFinal() -> Bool {
        var nothing: UInt8 = 0
        var count: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &nothing, &count) == 1
    }
}
#endif
