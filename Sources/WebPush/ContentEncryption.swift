import Primitives

/// Content codings `aes128gcm` (RFC 8188 section 2) and `aesgcm` with a single record.
enum ContentEncryption {
    private static let keyByteCount = 16
    private static let nonceByteCount = 12
    private static let lastRecordDelimiter: UInt8 = 0x02

    /// Of `aesgcm`, before the context of the keys.
    static let draftKeyInfo = Array("Content-Encoding: aesgcm\0".utf8)

    /// cek_info and nonce_info: each ends with a zero byte.
    static let keyInfo = Array("Content-Encoding: aes128gcm\0".utf8)
    static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)

    /// - Parameters:
    ///   - ciphertext: with its tag.
    ///   - salt: 16 bytes.
    ///   - draftContext: of the keys, for `aesgcm`; nil for `aes128gcm`.
    /// - Returns: text; `nil` unless delimiter and padding are those of a last record.
    /// - Throws: `.authenticationFailed`.
    static func open(
        _ ciphertext: [UInt8],
        salt: [UInt8],
        keyingMaterial: borrowing SecretBytes,
        draftContext: [UInt8]? = nil
    ) throws(PrimitiveError) -> [UInt8]? {
        let pseudorandomKey = pseudorandomKey(salt: salt, keyingMaterial: keyingMaterial)
        let context = draftContext ?? []
        let padded = try AESGCM.open(
            ciphertext[...],
            key: contentKey(pseudorandomKey, info: (draftContext == nil ? keyInfo : draftKeyInfo) + context),
            nonce: nonce(pseudorandomKey, info: nonceInfo + context),
            aad: []
        )
        return draftContext == nil ? unpadded(padded) : draftUnpadded(padded)
    }

    /// PRK = HMAC(salt, IKM): 32 bytes.
    static func pseudorandomKey(salt: [UInt8], keyingMaterial: borrowing SecretBytes) -> SecretBytes {
        unsafe HKDFSHA256.extract(salt: salt.span.bytes) { code in
            keyingMaterial.withBytes { code.update($0) }
        }
    }

    /// CEK: 16 bytes.
    static func contentKey(
        _ pseudorandomKey: borrowing SecretBytes,
        info: [UInt8] = keyInfo
    ) throws(PrimitiveError) -> SecretBytes {
        try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: info, byteCount: keyByteCount)
    }

    /// NONCE of the first record: its sequence number, 0, changes nothing. Not a secret.
    static func nonce(
        _ pseudorandomKey: borrowing SecretBytes,
        info: [UInt8] = nonceInfo
    ) throws(PrimitiveError) -> [UInt8] {
        try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: info, byteCount: nonceByteCount)
            .withBytes { [UInt8](copying: $0) }
    }

    /// text ‖ 0x02 ‖ zeros → text. The delimiter 0x01 announces further records, which are not allowed.
    static func unpadded(_ padded: [UInt8]) -> [UInt8]? {
        guard let delimiter = padded.lastIndex(where: { $0 != 0 }), padded[delimiter] == lastRecordDelimiter else {
            return nil
        }
        return Array(padded[..<delimiter])
    }

    /// Length of the padding u16 ‖ zeros ‖ text → text.
    static func draftUnpadded(_ padded: [UInt8]) -> [UInt8]? {
        guard padded.count >= 2 else { return nil }
        let start = 2 + (Int(padded[0]) << 8 | Int(padded[1]))
        guard start <= padded.count, padded[2..<start].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(padded[start...])
    }
}
