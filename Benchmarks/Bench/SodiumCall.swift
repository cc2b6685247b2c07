private import CSodium
private import Envelope

/// One libsodium call, or several of a kind, without any code of ours around it.
struct SodiumCall {
    let name: String
    let run: () -> Void

    /// |info| for a topic of 16 bytes.
    static let infoByteCount = 88 + 16

    /// All that opening a message needs.
    static func opening(bodyByteCount: Int) -> [SodiumCall] {
        [
            decoding(byteCount: PushClass.alert.envelopeByteCount), agreement,
            keySchedule(infoByteCount: infoByteCount), open(byteCount: PushClass.alert.frameByteCount(.x25519)),
            digest(byteCount: bodyByteCount), verification(byteCount: 225),
        ]
    }

    /// The scalar multiplication that makes a key pair.
    static var base: SodiumCall {
        let scalar = random(32)
        var point = zeros(32)
        return SodiumCall(name: "crypto_scalarmult_base") { _ = unsafe crypto_scalarmult_base(&point, scalar) }
    }

    static var agreement: SodiumCall {
        let scalar = random(32)
        var point = zeros(32)
        _ = unsafe crypto_scalarmult_base(&point, random(32))
        var secret = zeros(32)
        return SodiumCall(name: "crypto_scalarmult") { _ = unsafe crypto_scalarmult(&secret, scalar, point) }
    }

    /// The HMACs that Base mode needs (RFC 9180 sections 4.1 and 5.1), at their lengths: extract eae_prk, info_hash and
    /// secret; expand shared_secret, key and base_nonce. Left out are the hash of the empty psk_id, a constant, and the
    /// unused exporter secret.
    static func keySchedule(infoByteCount: Int) -> SodiumCall {
        let key = random(32)
        let lengths = [(0, 51), (32, 92), (0, 26 + infoByteCount), (32, 23), (32, 88), (32, 95)]
        let message = random(26 + infoByteCount + 95)
        var code = zeros(32)
        return SodiumCall(name: "6 × crypto_auth_hmacsha256") {
            for (keyByteCount, byteCount) in lengths {
                var state = crypto_auth_hmacsha256_state()
                unsafe crypto_auth_hmacsha256_init(&state, key, keyByteCount)
                unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(byteCount))
                unsafe crypto_auth_hmacsha256_final(&state, &code)
            }
        }
    }

    static func seal(byteCount: Int) -> SodiumCall {
        let (key, nonce, plaintext) = (random(32), random(12), random(byteCount))
        var ciphertext = zeros(byteCount + 16)
        return SodiumCall(name: "crypto_aead_chacha20poly1305_ietf_encrypt") {
            _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                &ciphertext,
                nil,
                plaintext,
                UInt64(byteCount),
                nil,
                0,
                nil,
                nonce,
                key
            )
        }
    }

    static func open(byteCount: Int) -> SodiumCall {
        let (key, nonce, text) = (random(32), random(12), random(byteCount))
        var ciphertext = zeros(byteCount + 16)
        _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
            &ciphertext,
            nil,
            text,
            UInt64(byteCount),
            nil,
            0,
            nil,
            nonce,
            key
        )
        var plaintext = zeros(byteCount)
        return SodiumCall(name: "crypto_aead_chacha20poly1305_ietf_decrypt") {
            _ = unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                &plaintext,
                nil,
                nil,
                ciphertext,
                UInt64(byteCount + 16),
                nil,
                0,
                nonce,
                key
            )
        }
    }

    static func digest(byteCount: Int) -> SodiumCall {
        let bytes = random(byteCount)
        var digest = zeros(32)
        return SodiumCall(name: "crypto_hash_sha256") {
            _ = unsafe crypto_hash_sha256(&digest, bytes, UInt64(byteCount))
        }
    }

    static func signature(byteCount: Int) -> SodiumCall {
        let message = random(byteCount)
        let secret = signingKey().secret
        var signature = zeros(64)
        return SodiumCall(name: "crypto_sign_detached") {
            _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(byteCount), secret)
        }
    }

    static func verification(byteCount: Int) -> SodiumCall {
        let message = random(byteCount)
        let key = signingKey()
        var signature = zeros(64)
        _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(byteCount), key.secret)
        return SodiumCall(name: "crypto_sign_verify_detached") {
            _ = unsafe crypto_sign_verify_detached(signature, message, UInt64(byteCount), key.point)
        }
    }

    static func encoding(byteCount: Int) -> SodiumCall {
        let bytes = random(byteCount)
        var text = [CChar](repeating: 0, count: byteCount * 4 / 3 + 4)
        let form = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        return SodiumCall(name: "sodium_bin2base64") {
            _ = unsafe sodium_bin2base64(&text, text.count, bytes, byteCount, form)
        }
    }

    static func decoding(byteCount: Int) -> SodiumCall {
        let form = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        var text = [CChar](repeating: 0, count: byteCount * 4 / 3 + 4)
        _ = unsafe sodium_bin2base64(&text, text.count, random(byteCount), byteCount, form)
        let characterCount = text.firstIndex(of: 0) ?? text.count
        var bytes = zeros(byteCount)
        return SodiumCall(name: "sodium_base642bin") {
            var count = 0
            _ = unsafe sodium_base642bin(&bytes, byteCount, text, characterCount, nil, &count, nil, form)
        }
    }

    private static func signingKey() -> (point: [UInt8], secret: [UInt8]) {
        var (point, secret) = (zeros(32), zeros(64))
        _ = unsafe crypto_sign_seed_keypair(&point, &secret, random(32))
        return (point, secret)
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func random(_ count: Int) -> [UInt8] {
        var bytes = zeros(count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }
}
