internal import Primitives

/// DHKEM(X25519, HKDF-SHA256): RFC 9180 section 4.1.
enum DHKEM {
    /// The encapsulated key is the ephemeral public key.
    ///
    /// - Returns: the shared secret (32 bytes).
    /// - Throws: `.lowOrderPublicKey`.
    static func encapsulate(
        to recipient: X25519PublicKey,
        ephemeral: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let agreed = try agree(ephemeral, recipient)
        return try extractAndExpand(agreed, ephemeral.publicKey.rawRepresentation, recipient)
    }

    /// - Returns: the shared secret (32 bytes).
    /// - Throws: `.wrongEncapsulatedKeyLength`, `.lowOrderPublicKey`.
    static func decapsulate(
        _ encapsulatedKey: [UInt8],
        with recipient: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let ephemeral: X25519PublicKey
        do {
            ephemeral = try X25519PublicKey(rawRepresentation: encapsulatedKey)
        } catch {
            throw .wrongEncapsulatedKeyLength
        }
        let agreed = try agree(recipient, ephemeral)
        return try extractAndExpand(agreed, encapsulatedKey, recipient.publicKey)
    }

    private static func agree(
        _ privateKey: borrowing X25519PrivateKey,
        _ publicKey: X25519PublicKey
    ) throws(HPKEError) -> SecretBytes {
        do {
            return try privateKey.sharedSecret(with: publicKey)
        } catch {
            throw .lowOrderPublicKey
        }
    }

    private static func extractAndExpand(
        _ agreed: borrowing SecretBytes,
        _ encapsulatedKey: [UInt8],
        _ recipient: X25519PublicKey
    ) throws(HPKEError) -> SecretBytes {
        let extracted = agreed.withBytes { agreed in
            LabeledHKDF.kem.extract(salt: [], label: "eae_prk", keyingMaterial: agreed)
        }
        let kemContext = encapsulatedKey + recipient.rawRepresentation
        return try LabeledHKDF.kem.expand(extracted, label: "shared_secret", info: kemContext, byteCount: 32)
    }
}
