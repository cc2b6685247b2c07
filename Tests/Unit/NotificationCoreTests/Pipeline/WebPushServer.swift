import Envelope
import NotificationCore
import Primitives
import TestSupport

/// A server that writes Web Push messages, from a subscription and from RFC 8291 section 3.4 and RFC 8188 section 2
/// alone.
struct WebPushServer {
    private let receiver: P256PublicKey
    private let authenticationSecret: [UInt8]

    init(_ subscription: WebPushSubscription) throws {
        guard let key = Base64URL.decode(Array(subscription.p256dh.utf8)),
            let secret = Base64URL.decode(Array(subscription.auth.utf8)), secret.count == 16
        else { throw NoSubscription() }
        receiver = try P256PublicKey(x963Representation: key)
        authenticationSecret = secret
    }

    private struct NoSubscription: Error {}

    func record(of plaintext: [UInt8], seed: UInt64) throws -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let sender = try P256PrivateKey(random: &random)
        let salt = random.bytes(count: 16)
        let shared = try sender.sharedSecret(with: receiver)
        let keyInfo =
            Array("WebPush: info\0".utf8) + receiver.x963Representation + sender.publicKey.x963Representation
        let keyingMaterial = try derived(shared, salt: authenticationSecret, info: keyInfo, byteCount: 32)
        let key = try derived(keyingMaterial, salt: salt, info: "Content-Encoding: aes128gcm\0", byteCount: 16)
        let nonce = try derived(keyingMaterial, salt: salt, info: "Content-Encoding: nonce\0", byteCount: 12)
        var record = salt
        record.append(bigEndian: UInt32(4_096))
        record.append(lengthPrefixed: sender.publicKey.x963Representation)
        return record
            + AESGCM.seal(plaintext + [2], key: key, nonce: nonce.withBytes { [UInt8](copying: $0) }, aad: [])
    }

    /// The same as draft-ietf-webpush-encryption-04 has it, with its header fields in front.
    func draftRecord(of plaintext: [UInt8], seed: UInt64) throws -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let sender = try P256PrivateKey(random: &random)
        let salt = random.bytes(count: 16)
        let shared = try sender.sharedSecret(with: receiver)
        let keys = [receiver.x963Representation, sender.publicKey.x963Representation]
        let context = Array("P-256\0".utf8) + keys.flatMap { [0, 65] + $0 }
        let keyingMaterial = try derived(
            shared,
            salt: authenticationSecret,
            info: "Content-Encoding: auth\0",
            byteCount: 32
        )
        let keyInfo = Array("Content-Encoding: aesgcm\0".utf8) + context
        let key = try derived(keyingMaterial, salt: salt, info: keyInfo, byteCount: 16)
        let nonceInfo = Array("Content-Encoding: nonce\0".utf8) + context
        let nonce = try derived(keyingMaterial, salt: salt, info: nonceInfo, byteCount: 12)
        var record = salt
        record.append(bigEndian: UInt32(4_096))
        record.append(lengthPrefixed: sender.publicKey.x963Representation)
        let padded = [0, 3, 0, 0, 0] + plaintext
        return record + AESGCM.seal(padded, key: key, nonce: nonce.withBytes { [UInt8](copying: $0) }, aad: [])
    }

    private func derived(
        _ secret: borrowing SecretBytes,
        salt: [UInt8],
        info: String,
        byteCount: Int
    ) throws -> SecretBytes {
        try derived(secret, salt: salt, info: Array(info.utf8), byteCount: byteCount)
    }

    private func derived(
        _ secret: borrowing SecretBytes,
        salt: [UInt8],
        info: [UInt8],
        byteCount: Int
    ) throws -> SecretBytes {
        let pseudorandomKey = unsafe HKDFSHA256.extract(salt: salt.span.bytes) { code in
            secret.withBytes { code.update($0) }
        }
        return try HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: info, byteCount: byteCount)
    }
}
