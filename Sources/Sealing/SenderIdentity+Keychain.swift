// As KeychainSecretStore: KeychainTests compiles this file once more, against the stand-in.
#if canImport(Darwin) || KEYCHAIN_STAND_IN
import Envelope
public import Keys
import Primitives
#if KEYCHAIN_STAND_IN
public import Sealing
#endif

// The keychain: for an app whose user is the sender, and for a signed program on a Mac. The item is never synchronized,
// and in no backup of another device.
extension SenderIdentity {
    private static let service = "SealedPush sender"

    /// Loads what `save(toKeychain:)` saved.
    ///
    /// - Parameter group: an access group of this process's, with its team prefix; not one that a service extension is in.
    /// - Throws: `SecretStoreError`; `.notFound` where there is none, `.locked` before the first unlock.
    public init(keychainGroup group: String) throws(SecretStoreError) {
        let seed = try Self.store(group).read(.sender)
        do {
            self = try seed.withBytes { bytes throws(SenderSeedError) in try SenderIdentity(seed: bytes) }
        } catch {
            throw .damaged
        }
    }

    /// Saves this identity, readable from the first unlock on, in place of what is there.
    ///
    /// - Parameter group: an access group of this process's, with its team prefix.
    /// - Throws: `SecretStoreError`.
    public func save(toKeychain group: String) throws(SecretStoreError) {
        try withSeed { bytes throws(SecretStoreError) in
            try Self.store(group).write(bytes, to: .sender, protection: .afterFirstUnlock)
        }
    }

    /// Removes it for good; none there is no error.
    ///
    /// - Parameter group: an access group of this process's, with its team prefix.
    /// - Throws: `SecretStoreError`.
    public static func remove(fromKeychain group: String) throws(SecretStoreError) { try store(group).delete(.sender) }

    private static func store(_ group: String) -> KeychainSecretStore {
        KeychainSecretStore(service: service, accessGroup: group)
    }
}
#endif
