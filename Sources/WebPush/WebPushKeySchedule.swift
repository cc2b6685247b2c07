import Primitives

/// - Source: RFC 8291 section 3.4; for `aesgcm`, draft-ietf-webpush-encryption-04 section 3.
enum WebPushKeySchedule {
    private static let context = Array("WebPush: info\0".utf8)
    /// Of `aesgcm`, in the place of `keyInfo`.
    static let draftInfo = Array("Content-Encoding: auth\0".utf8)

    /// key_info = "WebPush: info" ‖ 0x00 ‖ ua_public ‖ as_public: 144 bytes. Binds both public keys.
    static func keyInfo(receiver: P256PublicKey, sender: P256PublicKey) -> [UInt8] {
        context + receiver.x963Representation + sender.x963Representation
    }

    /// Context of `aesgcm`: "P-256" ‖ 0x00 ‖ each key with its length: 140 bytes.
    static func draftContext(receiver: P256PublicKey, sender: P256PublicKey) -> [UInt8] {
        let length: [UInt8] = [0, UInt8(P256PublicKey.byteCount)]
        return Array("P-256\0".utf8) + length + receiver.x963Representation + length + sender.x963Representation
    }

    /// PRK_key = HMAC(auth_secret, ecdh_secret): 32 bytes.
    static func pseudorandomKey(
        sharedSecret: borrowing SecretBytes,
        authenticationSecret: borrowing SecretBytes
    ) -> SecretBytes {
        authenticationSecret.withBytes { salt in
            HKDFSHA256.extract(salt: salt) { code in sharedSecret.withBytes { code.update($0) } }
        }
    }

    /// IKM = HKDF-Expand(PRK_key, key_info, 32).
    static func keyingMaterial(
        pseudorandomKey: borrowing SecretBytes,
        keyInfo: [UInt8]
    ) throws(PrimitiveError) -> SecretBytes {
        try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: keyInfo, byteCount: 32)
    }
}
