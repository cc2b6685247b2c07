internal import Primitives

/// DHKEM(X25519, HKDF-SHA256): RFC 9180 section 4.1. The encapsulated key is the ephemeral public key.
enum DHKEM {
    /// `DeriveKeyPair`: a private key from other secret bytes.
    ///
    /// - Parameter keyingMaterial: 32 bytes of entropy or more.
    /// - Returns: the scalar, 32 bytes.
    /// - Throws: nothing that can happen; the length is a constant.
    /// - Source: RFC 9180 section 7.1.3.
    static func deriveScalar(from keyingMaterial: borrowing SecretBytes) throws(HPKEError) -> SecretBytes {
        let extracted = keyingMaterial.withBytes { bytes in
            LabeledHKDF.kem.extract(salt: RawSpan(), label: "dkp_prk") { $0.update(bytes) }
        }
        return try LabeledHKDF.kem.expand(extracted, label: "sk", byteCount: 32) { _ in }
    }

    /// - Returns: the shared secret (32 bytes).
    /// - Throws: `.lowOrderPublicKey`.
    static func encapsulate(
        to recipient: X25519PublicKey,
        ephemeral: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let agreed = try agree(ephemeral, recipient)
        return try agreed.withBytes { agreed throws(HPKEError) in
            try extractAndExpand(agreed, RawSpan(), [ephemeral.publicKey, recipient])
        }
    }

    /// `AuthEncap`: the sender's key takes part.
    ///
    /// - Returns: the shared secret (32 bytes).
    /// - Throws: `.lowOrderPublicKey`.
    static func encapsulate(
        to recipient: X25519PublicKey,
        ephemeral: borrowing X25519PrivateKey,
        sender: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let agreed = try agree(ephemeral, recipient)
        let authenticated = try agree(sender, recipient)
        let keys = [ephemeral.publicKey, recipient, sender.publicKey]
        return try extractAndExpand(agreed, authenticated, keys)
    }

    /// - Returns: the shared secret (32 bytes).
    /// - Throws: `.wrongEncapsulatedKeyLength`, `.lowOrderPublicKey`.
    static func decapsulate(
        _ encapsulatedKey: [UInt8],
        with recipient: borrowing X25519PrivateKey
    ) throws(HPKEError) -> SecretBytes {
        let ephemeral = try publicKey(encapsulatedKey)
        let agreed = try agree(recipient, ephemeral)
        let publicKey = recipient.publicKey
        return try agreed.withBytes { agreed throws(HPKEError) in
            try extractAndExpand(agreed, RawSpan(), [ephemeral, publicKey])
        }
    }

    /// `AuthDecap`.
    ///
    /// - Returns: the shared secret (32 bytes).
    /// - Throws: `.wrongEncapsulatedKeyLength`, `.lowOrderPublicKey`, also for a sender's key of low order.
    static func decapsulate(
        _ encapsulatedKey: [UInt8],
        with recipient: borrowing X25519PrivateKey,
        sender: X25519PublicKey
    ) throws(HPKEError) -> SecretBytes {
        let ephemeral = try publicKey(encapsulatedKey)
        let agreed = try agree(recipient, ephemeral)
        let authenticated = try agree(recipient, sender)
        return try extractAndExpand(agreed, authenticated, [ephemeral, recipient.publicKey, sender])
    }

    /// Only the length is looked at: RFC 7748 section 5 reads every 32 bytes as a key, modulo p and without bit 255.
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
        _ authenticated: borrowing SecretBytes,
        _ keys: [X25519PublicKey]
    ) throws(HPKEError) -> SecretBytes {
        try agreed.withBytes { agreed throws(HPKEError) in
            try authenticated.withBytes { authenticated throws(HPKEError) in
                try extractAndExpand(agreed, authenticated, keys)
            }
        }
    }

    /// `agreed` is the ephemeral key's secret, `authenticated` the sender's, empty without one; `keys` make the KEM
    /// context: encapsulated key, recipient's, sender's.
    private static func extractAndExpand(
        _ agreed: RawSpan,
        _ authenticated: RawSpan,
        _ keys: [X25519PublicKey]
    ) throws(HPKEError) -> SecretBytes {
        let extracted = LabeledHKDF.kem.extract(salt: RawSpan(), label: "eae_prk") { code in
            code.update(agreed)
            code.update(authenticated)
        }
        return try LabeledHKDF.kem.expand(extracted, label: "shared_secret", byteCount: 32) { code in
            for key in keys { code.update(key.rawRepresentation) }
        }
    }
}
