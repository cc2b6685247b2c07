#if !canImport(Darwin) && !SEALEDPUSH_APPLE_STANDINS
private import CSodium

/// libsodium: OpenSSL is slower for 200 bytes, because of its context, and saves less than a hundredth of the sealing
/// of 2,822.
extension Provider {
    static func chaChaPolySeal(_ plaintext: [UInt8], key: RawSpan, nonce: [UInt8], aad: [UInt8]) -> [UInt8] {
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + ChaChaPoly.tagByteCount)
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
        return ciphertext
    }

    static func chaChaPolyOpen(
        _ ciphertext: ArraySlice<UInt8>,
        key: RawSpan,
        nonce: [UInt8],
        aad: [UInt8]
    ) -> [UInt8]? {
        // If the tag is wrong, libsodium leaves the output unchanged or zeroes it.
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count - ChaChaPoly.tagByteCount)
        let code = unsafe key.withBytePointer { key, _ in
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
        return code == 0 ? plaintext : nil
    }
}
#endif
