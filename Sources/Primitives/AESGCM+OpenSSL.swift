#if !canImport(CryptoKit)
private import COpenSSL

/// AES-GCM is OpenSSL's, because libsodium has AES-256 only, and that only on processors with AES instructions.
extension AESGCMRun {
    static func seal(_ plaintext: [UInt8], key: RawSpan, nonce: [UInt8], aad: [UInt8]) -> [UInt8] {
        let run = AESGCMRun(direction: .seal, key: key, nonce: nonce)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + AESGCM.tagByteCount)
        // What a cipher that was set up can fail by is memory, and there is nothing to be sealed without.
        let isSealed =
            unsafe run.feed(aad: aad)
            && plaintext.span.bytes.withBytePointer { start, count in
                unsafe run.transform(start, count, into: &ciphertext)
            }
            && run.finish() && run.takeTag(into: &ciphertext, at: plaintext.count)
        precondition(isSealed, "AES-GCM could not run")
        return ciphertext
    }

    static func open(_ ciphertext: ArraySlice<UInt8>, key: RawSpan, nonce: [UInt8], aad: [UInt8]) -> [UInt8]? {
        let run = AESGCMRun(direction: .open, key: key, nonce: nonce)
        let byteCount = ciphertext.count - AESGCM.tagByteCount
        var plaintext = [UInt8](repeating: 0, count: byteCount)
        var tag = Array(ciphertext.suffix(AESGCM.tagByteCount))
        let isGenuine =
            unsafe run.feed(aad: aad)
            && ciphertext.span.bytes.withBytePointer { start, _ in
                unsafe run.transform(start, byteCount, into: &plaintext)
            }
            && run.expect(tag: &tag) && run.finish()
        guard isGenuine else {
            // OpenSSL decrypts before it knows; nothing of that may stay in freed memory.
            unsafe OPENSSL_cleanse(&plaintext, byteCount)
            return nil
        }
        return plaintext
    }
}

/// One use of OpenSSL's cipher: set up, fed once, finished. Frees its context, and with it the key schedule.
@safe struct AESGCMRun: ~Copyable {
    enum Direction: Int32 { case open = 0, seal = 1 }

    private let context: OpaquePointer

    init(direction: Direction, key: RawSpan, nonce: [UInt8]) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory for AES-GCM") }
        let cipher = unsafe key.byteCount == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        let code = unsafe key.withBytePointer { key, _ in
            unsafe EVP_CipherInit_ex(context, cipher, nil, key, nonce, direction.rawValue)
        }
        precondition(code == 1, "OpenSSL has no AES-GCM")
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
        // A wrong tag is an answer, not a mistake to be found in the queue by the next caller.
        ERR_clear_error()
    }

    func feed(aad: [UInt8]) -> Bool {
        var count: Int32 = 0
        return unsafe aad.isEmpty || EVP_CipherUpdate(context, nil, &count, aad, Int32(aad.count)) == 1
    }

    /// `count` bytes from `start` to the beginning of `output`, which has room for them.
    func transform(_ start: UnsafePointer<UInt8>, _ count: Int, into output: inout [UInt8]) -> Bool {
        var written: Int32 = 0
        // An update of nothing would count as one more run over the associated data.
        return unsafe count == 0 || EVP_CipherUpdate(context, &output, &written, start, Int32(count)) == 1
    }

    func finish() -> Bool {
        var nothing: UInt8 = 0
        var count: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &nothing, &count) == 1
    }

    func expect(tag: inout [UInt8]) -> Bool {
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
    }

    func takeTag(into output: inout [UInt8], at offset: Int) -> Bool {
        unsafe output.withUnsafeMutableBytes { output in
            guard let start = output.baseAddress else { return false }
            return unsafe EVP_CIPHER_CTX_ctrl(
                context,
                EVP_CTRL_AEAD_GET_TAG,
                Int32(AESGCM.tagByteCount),
                start + offset
            ) == 1
        }
    }
}
#endif
