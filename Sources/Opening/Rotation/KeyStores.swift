package import Keys

/// Where a device's keys lie.
package struct KeyStores: Sendable {
    /// Only the app's: the identity's seed. The extension has no path, or access group, to it.
    let identity: any SecretStore
    /// The app's and its extension's: prekeys and the ring's index.
    let shared: any SecretStore
    /// A file in a folder of the app's own. Not in the shared container: iOS ends a process that is suspended while it
    /// holds a lock there.
    let lockPath: String

    package init(identity: any SecretStore, shared: any SecretStore, lockPath: String) {
        self.identity = identity
        self.shared = shared
        self.lockPath = lockPath
    }
}

/// Why the app's side could not do it. Nothing was changed, or what was changed is whole.
package enum KeyRingError: Error, Equatable {
    /// No identity on this device: `create` makes one, which every sender must pin anew.
    case noIdentity
    /// There is one; `erase` comes first.
    case identityExists
    /// The identity's record is not what was written. It is never replaced silently.
    case identityDamaged
    /// The ring belongs to another app's bundle id: a mistake in the configuration.
    case otherTopic
    /// Sixteen draws of the random source gave ids that are taken.
    case randomSourceStuck
    /// No current prekeys: rotate first.
    case rotationDue
    /// The relay acknowledged a bundle that was never made.
    case unknownEpoch
    case store(SecretStoreError)
    case lock(code: Int32)
}
