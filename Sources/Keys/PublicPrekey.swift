package import Envelope
package import Primitives

/// Public half of a prekey, which senders seal to until rotation.
package struct PublicPrekey: Equatable, Sendable {
    package let suite: Suite
    package let protectionClass: ProtectionClass
    package let key: X25519PublicKey

    package init(suite: Suite, protectionClass: ProtectionClass, key: X25519PublicKey) {
        self.suite = suite
        self.protectionClass = protectionClass
        self.key = key
    }

    /// FP = SHA-256(LP("SealedPush/1 prekey") ‖ suite ‖ class ‖ IK ‖ key): 32 bytes.
    package func fingerprint(identity: IdentityKey) -> [UInt8] {
        SHA256.hash(
            Binding.context(Binding.prekeyContext),
            [suite.rawValue, protectionClass.rawValue],
            identity.rawRepresentation,
            key.rawRepresentation
        )
    }

    /// First 8 bytes of the fingerprint: derived, not chosen, so only a hint.
    package func id(identity: IdentityKey) -> [UInt8] {
        Array(fingerprint(identity: identity).prefix(EnvelopeHeader.prekeyIDByteCount))
    }
}
