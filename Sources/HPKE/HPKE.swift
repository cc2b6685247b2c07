package import Primitives

/// Hybrid Public Key Encryption (RFC 9180), Base mode, with
/// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and ChaCha20-Poly1305.
///
/// Ours over libsodium's primitives, because the OpenSSL and libsodium of Debian 12 have no HPKE. Every Base-mode
/// vector of the suite that the authors of the RFC published runs in the tests.
package enum HPKE {
    /// KEM identifier (RFC 9180 section 7.1).
    static let kemID: UInt16 = 0x0020
    /// KDF identifier (section 7.2).
    static let kdfID: UInt16 = 0x0001
    /// AEAD identifier (section 7.3).
    static let aeadID: UInt16 = 0x0003

    /// Bytes of an encapsulated key (Nenc).
    package static let encapsulatedKeyByteCount = 32
    /// Bytes that sealing adds (Nt).
    package static let tagByteCount = ChaChaPoly.tagByteCount

    /// Seals one message, single shot.
    ///
    /// `info` is bound to the key and must be the same when opening; the ephemeral key is drawn from `random`, once.
    ///
    /// - Returns: the encapsulated key (32 bytes) and the ciphertext (plaintext + 16 bytes).
    /// - Throws: `.lowOrderPublicKey`.
    /// - Source: RFC 9180 section 6.1, `SealBase`.
    package static func seal(
        _ plaintext: [UInt8],
        to recipient: X25519PublicKey,
        info: [UInt8],
        aad: [UInt8] = [],
        random: inout some RandomSource
    ) throws(HPKEError) -> (encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
        var context = try SenderContext(recipient: recipient, info: info, random: &random)
        let ciphertext = try context.seal(plaintext, aad: aad)
        return (context.encapsulatedKey, ciphertext)
    }

    /// Opens one message, single shot.
    ///
    /// - Throws: `.openFailed` alone, whatever was wrong with the encapsulated key, the ciphertext or `info`.
    /// - Source: RFC 9180 section 6.1, `OpenBase`.
    package static func open(
        _ ciphertext: ArraySlice<UInt8>,
        encapsulatedKey: [UInt8],
        with recipient: borrowing X25519PrivateKey,
        info: [UInt8],
        aad: [UInt8] = []
    ) throws(HPKEError) -> [UInt8] {
        do {
            var context = try RecipientContext(encapsulatedKey: encapsulatedKey, recipient: recipient, info: info)
            return try context.open(ciphertext, aad: aad)
        } catch {
            throw .openFailed
        }
    }
}
