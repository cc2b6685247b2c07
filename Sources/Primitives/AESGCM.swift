/// AES-GCM (NIST SP 800-38D): key of 16 or 32 bytes, 12-byte nonce, 16-byte tag after the ciphertext.
package enum AESGCM {
    package static let keyByteCounts = [16, 32]
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    package static func seal(
        _ plaintext: [UInt8],
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8] {
        precondition(keyByteCounts.contains(key.byteCount) && nonce.count == nonceByteCount)
        var context = key.withBytes { AESGCMContext(key: $0, direction: .seal) }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + tagByteCount)
        var elements = ciphertext.mutableSpan
        var output = unsafe elements.mutableBytes
        context.start(nonce, aad: aad)
        unsafe context.update(plaintext.span.bytes, into: &output, at: 0)
        context.finishSealing(into: &output, byteCount: plaintext.count)
        return ciphertext
    }

    /// Throws for every inauthentic ciphertext, also a short one.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>,
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(PrimitiveError) -> [UInt8] {
        precondition(keyByteCounts.contains(key.byteCount) && nonce.count == nonceByteCount)
        guard ciphertext.count >= tagByteCount else { throw .authenticationFailed }
        var context = key.withBytes { AESGCMContext(key: $0, direction: .open) }
        let byteCount = ciphertext.count - tagByteCount
        var plaintext = [UInt8](repeating: 0, count: byteCount)
        var elements = plaintext.mutableSpan
        var output = unsafe elements.mutableBytes
        let input = unsafe ciphertext.span.bytes
        context.start(nonce, aad: aad)
        context.update(input.extracting(first: byteCount), into: &output, at: 0)
        let isGenuine = context.finishOpening(
            tag: input.extracting(last: tagByteCount),
            output: &output,
            byteCount: byteCount
        )
        guard isGenuine else { throw .authenticationFailed }
        return plaintext
    }
}
