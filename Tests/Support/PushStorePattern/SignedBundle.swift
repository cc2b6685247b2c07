import APNS
import Envelope
import Keys
import Primitives
import TestSupport

/// A device's key bundle as its app uploads it: one prekey, signed by an identity that is the same in every run.
package enum SignedBundle {
    /// - Parameter topic: the app's bundle id.
    /// - Throws: for an invalid topic.
    /// - Returns: the bundle's bytes.
    package static func bytes(topic: String = "com.example.chat") throws -> [UInt8] {
        var random = SeededRandom(seed: 11)
        let identityKey = Ed25519PrivateKey(random: &random)
        let identity = IdentityKey(identityKey.publicKey)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let key = X25519PrivateKey(random: &random)
        let prekey = PublicPrekey(suite: .x25519, protectionClass: .afterFirstUnlock, key: key.publicKey)
        let entry = KeyBundle.Entry(prekey: prekey, notBefore: now, notAfter: now.advanced(by: .seconds(86_400)))
        return try KeyBundle(identity: identity, epoch: 1, issuedAt: now, topic: BundleID(topic), entries: [entry])
            .signed(by: identityKey)
    }
}
