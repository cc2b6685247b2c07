internal import Primitives

/// AEAD's key and nonce for one message (RFC 9180 section 5.1, Base mode).
struct KeySchedule: ~Copyable, Sendable {
    /// `mode_base`, then `psk_id_hash` of no PSK: 33 bytes.
    private static let contextHead: [UInt8] = [0x00] + LabeledHKDF.hpke.publicHash(label: "psk_id_hash", of: [])

    /// 32 bytes (Nk).
    let key: SecretBytes
    /// 12 bytes (Nn). A nonce need not be secret (RFC 8439 section 2.8).
    let baseNonce: [UInt8]

    init(sharedSecret: borrowing SecretBytes, info: [UInt8]) {
        let hkdf = LabeledHKDF.hpke
        let secret = sharedSecret.withBytes { hkdf.extract(salt: $0, label: "secret") }
        let context = Self.contextHead + hkdf.publicHash(label: "info_hash", of: info)
        key = hkdf.expand(secret, label: "key", byteCount: 32) { $0.update(context) }
        baseNonce = hkdf.expand(secret, label: "base_nonce", byteCount: 12) { $0.update(context) }
            .withBytes { Array(copying: $0) }
    }

    /// Plaintext + 16 bytes.
    func seal(_ plaintext: [UInt8], aad: [UInt8]) -> [UInt8] {
        ChaChaPoly.seal(plaintext, key: key, nonce: baseNonce, aad: aad)
    }

    /// Ciphertext - 16 bytes.
    func open(_ ciphertext: ArraySlice<UInt8>, aad: [UInt8]) throws(HPKEError) -> [UInt8] {
        do {
            return try ChaChaPoly.open(ciphertext, key: key, nonce: baseNonce, aad: aad)
        } catch {
            throw .openFailed
        }
    }
}
