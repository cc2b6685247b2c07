/// ChaCha20-Poly1305 (RFC 8439): 32-byte key, 12-byte nonce, 16-byte tag after the ciphertext.
package enum ChaChaPoly {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    package static func seal(
        _ plaintext: [UInt8],
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8] {
        precondition(key.byteCount == keyByteCount && nonce.count == nonceByteCount)
        return key.withBytes { Provider.chaChaPolySeal(plaintext, key: $0, nonce: nonce, aad: aad) }
    }

    /// Throws for every inauthentic ciphertext, also a short one.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>,
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(PrimitiveError) -> [UInt8] {
        precondition(key.byteCount == keyByteCount && nonce.count == nonceByteCount)
        guard ciphertext.count >= tagByteCount else { throw .authenticationFailed }
        let plaintext = key.withBytes { Provider.chaChaPolyOpen(ciphertext, key: $0, nonce: nonce, aad: aad) }
        guard let plaintext else { throw .authenticationFailed }
        return plaintext
    }
}
