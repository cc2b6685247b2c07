internal import Primitives

/// DHKEM(X25519, HKDF-SHA256): RFC 9180 section 4.1. The encapsulated key is the ephemeral public key.
enum DHKEM {
    /// Shared secret, 32 bytes.
    static func encapsulate(
        to recipient: X25519PublicKey,
        ephemeral: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let agreed = try agree(ephemeral, recipient)
        return extractAndExpand(agreed, encapsulatedKey: ephemeral.publicKey, recipient: recipient)
    }

    /// Shared secret, 32 bytes.
    static func decapsulate(
        _ encapsulatedKey: [UInt8],
        with recipient: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let ephemeral = try publicKey(encapsulatedKey)
        let agreed = try agree(recipient, ephemeral)
        return extractAndExpand(agreed, encapsulatedKey: ephemeral, recipient: recipient.publicKey)
    }

    /// RFC 7748 section 5 reads any 32 bytes as a key, modulo p and without bit 255.
    private static func publicKey(_ encapsulatedKey: [UInt8]) throws(HPKEError) -> X25519PublicKey {
        do {
            return try X25519PublicKey(rawRepresentation: encapsulatedKey)
        } catch {
            throw .wrongEncapsulatedKeyLength
        }
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
        encapsulatedKey: X25519PublicKey,
        recipient: X25519PublicKey
    ) -> SecretBytes {
        let extracted = agreed.withBytes { agreed in
            LabeledHKDF.kem.extract(salt: RawSpan(), label: "eae_prk") { $0.update(agreed) }
        }
        return LabeledHKDF.kem.expand(extracted, label: "shared_secret", byteCount: 32) { code in
            code.update(encapsulatedKey.rawRepresentation)
            code.update(recipient.rawRepresentation)
        }
    }
}
