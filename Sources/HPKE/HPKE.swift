package import Primitives

/// Hybrid Public Key Encryption (RFC 9180): one message for each key, Base mode, DHKEM(X25519, HKDF-SHA256),
/// HKDF-SHA256, ChaCha20-Poly1305.
///
/// Our own, since the OpenSSL and libsodium of Debian 12 lack HPKE. There is no message counter: a key that seals once
/// repeats no nonce.
package enum HPKE {
    /// Nenc.
    package static let encapsulatedKeyByteCount = 32
    /// Nt.
    package static let tagByteCount = ChaChaPoly.tagByteCount

    /// Seals one message. Opening needs the same `info`.
    ///
    /// - Returns: encapsulated key (32 bytes) and the ciphertext (plaintext + 16 bytes).
    /// - Throws: `.lowOrderPublicKey`, `.randomSourceFailed`.
    /// - Source: RFC 9180 section 6.1, `SealBase`.
    package static func seal(
        _ plaintext: [UInt8],
        to recipient: X25519PublicKey,
        info: [UInt8],
        aad: [UInt8] = [],
        random: inout some RandomSource
    ) throws(HPKEError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        let ephemeral = try EphemeralKey.draw(from: &random)
        let secret = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral)
        let schedule = KeySchedule(sharedSecret: secret, info: info)
        return (ephemeral.publicKey.rawRepresentation, schedule.seal(plaintext, aad: aad))
    }

    /// Opens one message.
    ///
    /// - Throws: `.openFailed` for every fault.
    /// - Source: RFC 9180 section 6.1, `OpenBase`.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>,
        encapsulatedKey: [UInt8],
        with recipient: borrowing X25519PrivateKey,
        info: [UInt8],
        aad: [UInt8] = []
    ) throws(HPKEError) -> [UInt8] {
        do {
            let secret = try DHKEM.decapsulate(encapsulatedKey, with: recipient)
            return try KeySchedule(sharedSecret: secret, info: info).open(ciphertext, aad: aad)
        } catch {
            throw .openFailed
        }
    }
}
