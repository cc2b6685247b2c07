package import Keys

package struct KeyStores: Sendable {
    /// Identity's seed, for the app only: the extension has no path or access group to it.
    let identity: any SecretStore
    /// Prekeys and the ring's index, for the app and its extension.
    let shared: any SecretStore
    /// In a folder of the app's own: iOS ends a suspended process that holds a lock in the shared container.
    let lockPath: String

    package init(identity: any SecretStore, shared: any SecretStore, lockPath: String) {
        self.identity = identity
        self.shared = shared
        self.lockPath = lockPath
    }
}

/// Every committed change is whole.
package enum KeyRingError: Error, Equatable {
    /// `create` makes one, which every sender must pin anew.
    case noIdentity
    /// `erase` comes first.
    case identityExists
    /// Damaged, and never replaced silently.
    case identityDamaged
    /// Ring of another bundle id.
    case otherTopic
    /// Sixteen draws all gave ids in use.
    case randomSourceStuck
    /// The bundle is unusable: rotate first.
    case rotationDue
    /// Acknowledged bundle that was never made.
    case unknownEpoch
    case store(SecretStoreError)
    case lock(code: Int32)
}
