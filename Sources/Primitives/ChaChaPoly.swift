private import CSodium

/// ChaCha20-Poly1305 (RFC 8439): 32-byte key, 12-byte nonce, 16-byte tag at the end of the ciphertext.
package enum ChaChaPoly {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// - Returns: plaintext length + 16 bytes.
    package static func seal(
        _ plaintext: [UInt8],
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8] {
        precondition(key.byteCount == keyByteCount && nonce.count == nonceByteCount)
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + tagByteCount)
        key.withBytes { key in
            unsafe key.withBytePointer { key, _ in
                _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                    &ciphertext,
                    nil,
                    plaintext,
                    UInt64(plaintext.count),
                    aad,
                    UInt64(aad.count),
                    nil,
                    nonce,
                    key
                )
            }
        }
        return ciphertext
    }

    /// - Returns: ciphertext length - 16 bytes.
    /// - Throws: `.authenticationFailed` for every ciphertext that was not sealed so, a short one included.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>,
        key: borrowing SecretBytes,
        nonce: [UInt8],
        aad: [UInt8]
    ) throws(PrimitiveError) -> [UInt8] {
        precondition(key.byteCount == keyByteCount && nonce.count == nonceByteCount)
        guard ciphertext.count >= tagByteCount else { throw .authenticationFailed }
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count - tagByteCount)
        let code = key.withBytes { key in
            unsafe key.withBytePointer { key, _ in
                unsafe ciphertext.span.bytes.withBytePointer { start, count in
                    unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                        &plaintext,
                        nil,
                        nil,
                        start,
                        UInt64(count),
                        aad,
                        UInt64(aad.count),
                        nonce,
                        key
                    )
                }
            }
        }
        guard code == 0 else { throw .authenticationFailed }
        return plaintext
    }
}
