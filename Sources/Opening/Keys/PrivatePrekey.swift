package import Envelope
package import Keys
package import Primitives

/// Prekey's private half, with its public values computed once. A class, so that a ring can hold several: the key
/// cannot be copied.
package final class PrivatePrekey: Sendable {
    let key: X25519PrivateKey
    let publicPrekey: PublicPrekey
    /// FP: 32 bytes.
    let fingerprint: [UInt8]

    package init(
        key: consuming X25519PrivateKey,
        suite: Suite,
        protectionClass: ProtectionClass,
        identity: IdentityKey
    ) {
        publicPrekey = PublicPrekey(suite: suite, protectionClass: protectionClass, key: key.publicKey)
        fingerprint = publicPrekey.fingerprint(identity: identity)
        self.key = key
    }

    /// Prekey id of the envelope's header.
    var id: ArraySlice<UInt8> { fingerprint.prefix(EnvelopeHeader.prekeyIDByteCount) }
}
