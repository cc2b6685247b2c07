/// AES-256-GCM (NIST SP 800-38D) with one key, expanded once, for many messages. No associated data.
package struct AESGCMSealer: ~Copyable, Sendable {
    private var context: AESGCMContext

    /// - Parameter key: 32 bytes.
    package init(key: borrowing SecretBytes) {
        precondition(key.byteCount == AESGCMContext.keyByteCount)
        context = key.withBytes { AESGCMContext(key: $0, direction: .seal) }
    }

    /// Writes the ciphertext and the 16-byte tag to `output`, which does not overlap the plaintext.
    ///
    /// - Parameter nonce: 12 bytes, never used with this key before.
    package mutating func seal(_ plaintext: RawSpan, nonce: [UInt8], into output: inout MutableRawSpan) {
        precondition(nonce.count == AESGCM.nonceByteCount)
        precondition(output.byteCount - AESGCM.tagByteCount >= plaintext.byteCount)
        context.start(nonce)
        context.update(plaintext, into: &output, at: 0)
        context.finishSealing(into: &output, byteCount: plaintext.byteCount)
    }
}
