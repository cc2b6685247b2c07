package import Keys

/// The stores of a device's keys.
package struct KeyStores: Sendable {
    /// The app's own store for the identity's seed. The extension has no path or access group to it.
    let identity: any SecretStore
    /// The store of the app and its extension: prekeys and the ring's index.
    let shared: any SecretStore
    /// A file in a folder of the app's own. Not in the shared container: iOS ends a suspended process that holds a lock
    /// there.
    let lockPath: String

    package init(identity: any SecretStore, shared: any SecretStore, lockPath: String) {
        self.identity = identity
        self.shared = shared
        self.lockPath = lockPath
    }
}

/// Failures of the app's key ring. Every committed change is whole.
package enum KeyRingError: Error, Equatable {
    /// No identity on this device: `create` makes one, which every sender must pin anew.
    case noIdentity
    /// An identity exists; call `erase` first.
    case identityExists
    /// The identity's record is damaged. It is never replaced silently.
    case identityDamaged
    /// The ring belongs to another bundle id: a mistake in the configuration.
    case otherTopic
    /// Sixteen draws of the random source all gave ids in use.
    case randomSourceStuck
    /// The bundle is unusable: rotate first.
    case rotationDue
    /// The acknowledged bundle was never made.
    case unknownEpoch
    case store(SecretStoreError)
    case lock(code: Int32)
}
