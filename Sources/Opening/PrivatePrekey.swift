package import Envelope
package import Keys
package import Primitives

/// The private half of a prekey, with its public values computed once.
///
/// A class only so that a key ring can hold several: its key cannot be copied.
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

    /// The prekey id of the envelope's header.
    var id: ArraySlice<UInt8> { fingerprint.prefix(EnvelopeHeader.prekeyIDByteCount) }
}
