import Primitives

/// Content coding `aes128gcm` with a single record (RFC 8188 section 2).
enum ContentEncryption {
    private static let keyByteCount = 16
    private static let nonceByteCount = 12
    private static let lastRecordDelimiter: UInt8 = 0x02

    /// cek_info and nonce_info: each ends with a zero byte.
    static let keyInfo = Array("Content-Encoding: aes128gcm\0".utf8)
    static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)

    /// - Parameters:
    ///   - ciphertext: with its tag.
    ///   - salt: 16 bytes.
    /// - Returns: text; `nil` unless delimiter and padding are those of a last record.
    /// - Throws: `.authenticationFailed`.
    static func open(
        _ ciphertext: [UInt8],
        salt: [UInt8],
        keyingMaterial: borrowing SecretBytes
    ) throws(PrimitiveError) -> [UInt8]? {
        let pseudorandomKey = pseudorandomKey(salt: salt, keyingMaterial: keyingMaterial)
        let padded = try AESGCM.open(
            ciphertext[...],
            key: contentKey(pseudorandomKey),
            nonce: nonce(pseudorandomKey),
            aad: []
        )
        return unpadded(padded)
    }

    /// PRK = HMAC(salt, IKM): 32 bytes.
    static func pseudorandomKey(salt: [UInt8], keyingMaterial: borrowing SecretBytes) -> SecretBytes {
        unsafe HKDFSHA256.extract(salt: salt.span.bytes) { code in
            keyingMaterial.withBytes { code.update($0) }
        }
    }

    /// CEK: 16 bytes.
    static func contentKey(_ pseudorandomKey: borrowing SecretBytes) throws(PrimitiveError) -> SecretBytes {
        try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: keyInfo, byteCount: keyByteCount)
    }

    /// NONCE of the first record: its sequence number, 0, changes nothing. Not a secret.
    static func nonce(_ pseudorandomKey: borrowing SecretBytes) throws(PrimitiveError) -> [UInt8] {
        try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: nonceInfo, byteCount: nonceByteCount)
            .withBytes { [UInt8](copying: $0) }
    }

    /// text ‖ 0x02 ‖ zeros → text. The delimiter 0x01 announces further records, which are not allowed.
    static func unpadded(_ padded: [UInt8]) -> [UInt8]? {
        guard let delimiter = padded.lastIndex(where: { $0 != 0 }), padded[delimiter] == lastRecordDelimiter else {
            return nil
        }
        return Array(padded[..<delimiter])
    }
}
