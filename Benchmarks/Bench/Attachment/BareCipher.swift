private import COpenSSL

/// OpenSSL's AEAD without any code of ours around it: one key, a counting nonce, pieces of 16 KiB.
@safe struct BareCipher: ~Copyable {
    enum Algorithm { case aes256GCM, chaChaPoly }

    static let pieceByteCount = 1 << 14
    static let tagByteCount = 16

    private let context: OpaquePointer
    private var output = [UInt8](repeating: 0, count: pieceByteCount)
    private var tag = [UInt8](repeating: 0, count: tagByteCount)

    init(_ algorithm: Algorithm, isSealing: Bool) throws(BenchError) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .operationFailed }
        let cipher = unsafe algorithm == .aes256GCM ? EVP_aes_256_gcm() : EVP_chacha20_poly1305()
        let key = [UInt8](repeating: 7, count: 32)
        guard unsafe EVP_CipherInit_ex(context, cipher, nil, key, nil, isSealing ? 1 : 0) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw .operationFailed
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// - Parameters:
    ///   - plaintext: A whole number of pieces.
    ///   - take: Gets each ciphertext and its tag.
    /// - Returns: True if every call succeeded.
    mutating func seal(_ plaintext: [UInt8], take: ([UInt8], [UInt8]) -> Void = { _, _ in }) -> Bool {
        var isWell = true
        for number in 0..<plaintext.count / Self.pieceByteCount {
            let offset = number * Self.pieceByteCount
            isWell = isWell && transform(plaintext, offset, number)
            isWell =
                unsafe isWell && finish()
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), &tag) == 1
            take(output, tag)
        }
        return isWell
    }

    /// - Parameter sealed: A whole number of pieces, each followed by its tag.
    /// - Returns: True if all tags match.
    mutating func open(_ sealed: [UInt8]) -> Bool {
        var isWell = true
        for number in 0..<sealed.count / (Self.pieceByteCount + Self.tagByteCount) {
            let offset = number * (Self.pieceByteCount + Self.tagByteCount)
            isWell = isWell && transform(sealed, offset, number)
            let end = offset + Self.pieceByteCount
            let isTagSet = unsafe sealed.withUnsafeBytes { bytes in
                let tag = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress.map { unsafe $0 + end })
                return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagByteCount), tag) == 1
            }
            isWell = isWell && isTagSet && finish()
        }
        return isWell
    }

    private mutating func transform(_ bytes: [UInt8], _ offset: Int, _ number: Int) -> Bool {
        var nonce: (UInt64, UInt32) = (UInt64(number), 0)
        let isSet = unsafe withUnsafeBytes(of: &nonce) { nonce in
            unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce.bindMemory(to: UInt8.self).baseAddress, -1) == 1
        }
        var written: Int32 = 0
        let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
            let start = unsafe bytes.baseAddress.map { unsafe $0 + offset }
            return unsafe EVP_CipherUpdate(context, &output, &written, start, Int32(Self.pieceByteCount)) == 1
        }
        return isSet && isDone
    }

    private func finish() -> Bool {
        var nothing: UInt8 = 0
        var count: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &nothing, &count) == 1
    }
}
