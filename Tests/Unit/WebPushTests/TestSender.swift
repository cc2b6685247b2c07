import Envelope
import Primitives
import TestSupport

@testable import WebPush

/// Writes records as a server would. The key schedule, which it shares with the opener, is checked by the RFC's
/// example.
struct TestSender {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func record(of plaintext: [UInt8], to keys: WebPushKeys) throws -> [UInt8] {
        var random = random
        let sender = try P256PrivateKey(random: &random)
        let salt = random.bytes(count: 16)
        let keyingMaterial = WebPushKeySchedule.pseudorandomKey(
            sharedSecret: try sender.sharedSecret(with: keys.publicKey),
            authenticationSecret: keys.withAuthenticationSecret { SecretBytes(copying: $0) }
        )
        let keyInfo = WebPushKeySchedule.keyInfo(receiver: keys.publicKey, sender: sender.publicKey)
        let pseudorandomKey = ContentEncryption.pseudorandomKey(
            salt: salt,
            keyingMaterial: try WebPushKeySchedule.keyingMaterial(pseudorandomKey: keyingMaterial, keyInfo: keyInfo)
        )
        let ciphertext = AESGCM.seal(
            plaintext + [2],
            key: try ContentEncryption.contentKey(pseudorandomKey),
            nonce: try ContentEncryption.nonce(pseudorandomKey),
            aad: []
        )
        var record = salt
        record.append(bigEndian: UInt32(4_096))
        record.append(lengthPrefixed: sender.publicKey.x963Representation)
        return record + ciphertext
    }
}
