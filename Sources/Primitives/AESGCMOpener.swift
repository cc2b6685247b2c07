/// The counterpart of `AESGCMSealer`. It takes a ciphertext in pieces. Do not use decrypted bytes before `finish` has
/// verified the tag.
package struct AESGCMOpener: ~Copyable, Sendable {
    private var context: AESGCMContext
    private var byteCount = 0

    /// - Parameter key: 32 bytes.
    package init(key: borrowing SecretBytes) {
        precondition(key.byteCount == AESGCMContext.keyByteCount)
        context = key.withBytes { AESGCMContext(key: $0, direction: .open) }
    }

    /// Begins a message, and drops an unfinished one.
    ///
    /// - Parameter nonce: 12 bytes.
    package mutating func start(nonce: [UInt8]) {
        precondition(nonce.count == AESGCM.nonceByteCount)
        byteCount = 0
        context.start(nonce)
    }

    /// - Parameters:
    ///   - ciphertext: the next bytes, without the tag.
    ///   - output: has room for the whole message, does not overlap the ciphertext, and is the same in each call.
    package mutating func update(_ ciphertext: RawSpan, into output: inout MutableRawSpan) {
        precondition(output.byteCount - byteCount >= ciphertext.byteCount)
        context.update(ciphertext, into: &output, at: byteCount)
        byteCount += ciphertext.byteCount
    }

    /// - Parameters:
    ///   - tag: 16 bytes.
    ///   - output: that of `update`; contains no plaintext if the tag is wrong.
    /// - Returns: the length of the plaintext in `output`.
    /// - Throws: `.authenticationFailed`.
    package mutating func finish(tag: RawSpan, output: inout MutableRawSpan) throws(PrimitiveError) -> Int {
        precondition(tag.byteCount == AESGCM.tagByteCount)
        guard context.finishOpening(tag: tag, output: &output, byteCount: byteCount) else {
            throw .authenticationFailed
        }
        return byteCount
    }

    /// Opens a whole message.
    ///
    /// - Parameters:
    ///   - ciphertext: ends with the 16-byte tag.
    ///   - nonce: 12 bytes.
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
