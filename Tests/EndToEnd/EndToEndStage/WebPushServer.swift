import Envelope
import Primitives

/// A server that writes Web Push messages, from the values of a subscription.
///
/// - Source: RFC 8291 sections 3 and 4, RFC 8188 section 2.
public enum WebPushServer {
    /// - Parameters:
    ///   - text: at most 3,993 bytes.
    ///   - p256dh: the subscription's key, base64url of 65 bytes.
    ///   - auth: the subscription's secret, base64url of 16 bytes.
    /// - Returns: one record of `aes128gcm`, as base64url.
    /// - Throws: for invalid values.
    public static func record(_ text: String, p256dh: String, auth: String) throws -> String {
        guard let receiver = Base64URL.decode(Array(p256dh.utf8)), let secret = Base64URL.decode(Array(auth.utf8))
        else {
            throw Surprise("no subscription")
        }
        var random = SystemRandom()
        let own = try P256PrivateKey(random: &random)
        let sender = own.publicKey.x963Representation
        let shared = try own.sharedSecret(with: P256PublicKey(x963Representation: receiver))
        let keyInfo = Array("WebPush: info\0".utf8) + receiver + sender
        let material = try HKDFSHA256.expand(
            pseudorandomKey: extract(salt: secret, shared),
            info: keyInfo,
            byteCount: 32
        )
        let salt = random.bytes(count: 16)
        let key = extract(salt: salt, material)
        let contentInfo = Array("Content-Encoding: aes128gcm\0".utf8)
        let nonceInfo = Array("Content-Encoding: nonce\0".utf8)
        let contentKey = try HKDFSHA256.expand(pseudorandomKey: key, info: contentInfo, byteCount: 16)
        let nonce = try HKDFSHA256.expand(pseudorandomKey: key, info: nonceInfo, byteCount: 12)
        let ciphertext = AESGCM.seal(
            Array(text.utf8) + [0x02],
            key: contentKey,
            nonce: nonce.withBytes { [UInt8](copying: $0) },
            aad: []
        )
        let recordSize: [UInt8] = [0, 0, 0x10, 0]
        return Base64URL.string(salt + recordSize + [UInt8(sender.count)] + sender + ciphertext)
    }

    private static func extract(salt: [UInt8], _ material: borrowing SecretBytes) -> SecretBytes {
        unsafe HKDFSHA256.extract(salt: salt.span.bytes) { code in material.withBytes { code.update($0) } }
    }
}
