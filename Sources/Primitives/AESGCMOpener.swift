/// Counterpart of `AESGCMSealer`. Bytes are genuine only after `finish`.
package struct AESGCMOpener: ~Copyable, Sendable {
    private var context: AESGCMContext
    private var byteCount = 0

    /// - Parameter key: 32 bytes.
    package init(key: borrowing SecretBytes) {
        precondition(key.byteCount == AESGCMContext.keyByteCount)
        context = key.withBytes { AESGCMContext(key: $0, direction: .open) }
    }

    /// Drops an unfinished message. The nonce has 12 bytes.
    package mutating func start(nonce: [UInt8]) {
        precondition(nonce.count == AESGCM.nonceByteCount)
        byteCount = 0
        context.start(nonce)
    }

    /// Decrypts the next bytes, without the tag. `output` is the same in each call, with room for the message, and does
    /// not overlap the ciphertext.
    package mutating func update(_ ciphertext: RawSpan, into output: inout MutableRawSpan) {
        precondition(output.byteCount - byteCount >= ciphertext.byteCount)
        context.update(ciphertext, into: &output, at: byteCount)
        byteCount += ciphertext.byteCount
    }

    /// Verifies the 16-byte tag, and returns the plaintext's length. If it is wrong, `output` has no plaintext.
    package mutating func finish(tag: RawSpan, output: inout MutableRawSpan) throws(PrimitiveError) -> Int {
        precondition(tag.byteCount == AESGCM.tagByteCount)
        guard context.finishOpening(tag: tag, output: &output, byteCount: byteCount) else {
            throw .authenticationFailed
        }
        return byteCount
    }

    /// Opens a whole message, which ends with the tag. The nonce has 12 bytes.
    ///
    /// - Throws: `.authenticationFailed`, also for a short ciphertext.
    package mutating func open(
        _ ciphertext: RawSpan,
        nonce: [UInt8],
        into output: inout MutableRawSpan
    ) throws(PrimitiveError) {
        guard ciphertext.byteCount >= AESGCM.tagByteCount else { throw .authenticationFailed }
        start(nonce: nonce)
        update(ciphertext.extracting(droppingLast: AESGCM.tagByteCount), into: &output)
        _ = try finish(tag: ciphertext.extracting(last: AESGCM.tagByteCount), output: &output)
    }
}
