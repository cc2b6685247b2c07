// As KeychainSecretStore: KeychainTests also compiles this file, against the stand-in.
#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS || KEYCHAIN_STAND_IN
import Envelope
public import Keys
import Primitives
#if KEYCHAIN_STAND_IN
public import Sealing
#endif

// For an app whose user is the sender, and for a signed Mac program. The item is never synchronized, and in no backup
// of another device.
extension SenderIdentity {
    private static let service = "SealedPush sender"

    /// Loads the saved identity.
    ///
    /// - Parameter group: access group of this process, with its team prefix; never one of a service extension.
    /// - Throws: `SecretStoreError`; `.notFound` if there is none, `.locked` before the first unlock.
    public init(keychainGroup group: String) throws(SecretStoreError) {
        let seed = try Self.store(group).read(.sender)
        do {
            self = try seed.withBytes { bytes throws(SenderSeedError) in try SenderIdentity(seed: bytes) }
        } catch {
            throw .damaged
        }
    }

    /// Saves or replaces this identity, readable from the first unlock on.
    public func save(toKeychain group: String) throws(SecretStoreError) {
        try withSeed { bytes throws(SecretStoreError) in
            try Self.store(group).write(bytes, to: .sender, protection: .afterFirstUnlock)
        }
    }

    /// Removes the identity; a missing one is no error.
    public static func remove(fromKeychain group: String) throws(SecretStoreError) { try store(group).delete(.sender) }

    private static func store(_ group: String) -> KeychainSecretStore {
        KeychainSecretStore(service: service, accessGroup: group)
    }
}
#endif
