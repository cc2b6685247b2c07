import CSodium
import Envelope
import HPKE
import Primitives

/// Suite 1 and the frame, which libsodium and our own code compute.
enum SodiumChecks {
    static func results() throws -> [Check] {
        var random = SystemRandom()
        let peer = X25519PrivateKey(random: &random)
        let recipient = X25519PrivateKey(random: &random)
        let sealed = try HPKE.seal([1, 2, 3], to: recipient.publicKey, info: [], random: &random)
        let nonce = random.bytes(count: 12)
        let aeadKey = random.secret(byteCount: 32)
        let box = ChaChaPoly.seal([1, 2, 3], key: aeadKey, nonce: nonce, aad: [])
        let hiddenKey = aeadKey.withBytes { Secrets.copy($0) }
        // Its public half stays public.
        recipient.withRawRepresentation { Secrets.mark($0) }
        return [
            // libsodium checks whether the point is the neutral one or the scalar zero. Our key generation's use of the
            // point is arithmetic on a public key.
            Check("X25519, multiple of the base point", allowed: 1) {
                var point = [UInt8](repeating: 0, count: 32)
                hiddenKey.withBytes { scalar in
                    unsafe scalar.withUnsafeBytes { scalar in
                        guard let start = unsafe scalar.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
                        _ = unsafe crypto_scalarmult_ed25519_base(&point, start)
                    }
                }
                return point
            },
            // A zero result is a refusal, and public.
            try Check("X25519, agreement", allowed: 1) { try recipient.sharedSecret(with: peer.publicKey) },
            try Check("HKDF-SHA256, extract and expand", allowed: 0) {
                try hiddenKey.withBytes { key throws(PrimitiveError) in
                    let extracted = HKDFSHA256.extract(salt: key) { $0.update(key) }
                    return try HKDFSHA256.expand(pseudorandomKey: extracted, info: [1], byteCount: 100)
                }
            },
            try Check("HKDF-SHA512, expand", allowed: 0) {
                try HKDFSHA512.expand(pseudorandomKey: hiddenKey, info: [1], byteCount: 100)
            },
            Check("ChaCha20-Poly1305, seal", allowed: 0) {
                ChaChaPoly.seal([1, 2, 3], key: hiddenKey, nonce: nonce, aad: [])
            },
            // The tag's verdict: once in libsodium, which clears the output by it, and once here.
            try Check("ChaCha20-Poly1305, open", allowed: 2) {
                try ChaChaPoly.open(box[...], key: hiddenKey, nonce: nonce, aad: [])
            },
            // The agreement's one and the tag's two; none of the key schedule.
            try Check("HPKE, open", allowed: 3) {
                try HPKE.open(
                    sealed.ciphertext[...],
                    encapsulatedKey: sealed.encapsulatedKey,
                    with: recipient,
                    info: []
                )
            },
            try Check("Ed25519, key and signature", allowed: 0) {
                try Ed25519PrivateKey(seed: hiddenKey.withBytes { Secrets.copy($0) }).signature(over: [1, 2, 3])
            },
            // The verdict.
            Check("secrets compared", allowed: 1) {
                hiddenKey.withBytes { Secrets.copy($0) }.isEqual(to: hiddenKey)
            },
            try Check("frame, padding", allowed: 1) { try Frame(bytes: Secrets.frameWithSecretPadding()) },
        ]
    }
}
