/// The other direction of `AESGCMSealer`. A ciphertext may come in pieces: what was decrypted is nothing to be used before
/// `finish` has said that the tag is right.
package struct AESGCMOpener: ~Copyable, Sendable {
    private var context: AESGCMContext
    private var byteCount = 0

    /// - Parameter key: 32 bytes.
    package init(key: borrowing SecretBytes) {
        precondition(key.byteCount == AESGCMContext.keyByteCount)
        context = key.withBytes { AESGCMContext(key: $0, direction: .open) }
    }

    /// Begins a message; one that was not finished is forgotten.
    ///
    /// - Parameter nonce: 12 bytes.
    package mutating func start(nonce: [UInt8]) {
        precondition(nonce.count == AESGCM.nonceByteCount)
        byteCount = 0
        context.start(nonce)
    }

    /// - Parameters:
    ///   - ciphertext: the next bytes, without the tag.
    ///   - output: the same one for all of a message, with room for all; may not overlap the ciphertext.
    package mutating func update(_ ciphertext: RawSpan, into output: inout MutableRawSpan) {
        precondition(output.byteCount - byteCount >= ciphertext.byteCount)
        context.update(ciphertext, into: &output, at: byteCount)
        byteCount += ciphertext.byteCount
    }

    /// - Parameters:
    ///   - tag: 16 bytes.
    ///   - output: the one that `update` had; holds nothing of the text when the tag is wrong.
    /// - Returns: how many bytes of `output` are the plaintext.
    /// - Throws: `.authenticationFailed`.
    package mutating func finish(tag: RawSpan, output: inout MutableRawSpan) throws(PrimitiveError) -> Int {
        precondition(tag.byteCount == AESGCM.tagByteCount)
        guard context.finishOpening(tag: tag, output: &output, byteCount: byteCount) else {
            throw .authenticationFailed
        }
        return byteCount
    }

    /// A message at once.
    ///
    /// - Parameters:
    ///   - ciphertext: with its tag, the last 16 bytes.
    ///   - nonce: 12 bytes.
    ///   - output: as for `update` and `finish`.
    /// - Throws: `.authenticationFailed` for every ciphertext that was not sealed so, a short one included.
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
