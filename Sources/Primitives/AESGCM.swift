/// AES-GCM (NIST SP 800-38D): key of 16 or 32 bytes, 12-byte nonce, 16-byte tag at the end of the ciphertext.
package enum AESGCM {
    /// AES-128 and AES-256.
    package static let keyByteCounts = [16, 32]
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// - Returns: plaintext length + 16 bytes.
    package static func seal(
        _ plaintext: [UInt8],
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8] {
        precondition(keyByteCounts.contains(key.byteCount) && nonce.count == nonceByteCount)
        return key.withBytes { Provider.seal(.aesGCM, plaintext, key: $0, nonce: nonce, aad: aad) }
    }

    /// - Returns: ciphertext length - 16 bytes.
    /// - Throws: `.authenticationFailed` for every ciphertext that was not sealed so, a short one included.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>,
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(PrimitiveError) -> [UInt8] {
        precondition(keyByteCounts.contains(key.byteCount) && nonce.count == nonceByteCount)
        guard ciphertext.count >= tagByteCount else { throw .authenticationFailed }
        let plaintext = key.withBytes { Provider.open(.aesGCM, ciphertext, key: $0, nonce: nonce, aad: aad) }
        guard let plaintext else { throw .authenticationFailed }
        return plaintext
    }
}
