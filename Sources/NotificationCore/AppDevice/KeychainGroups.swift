#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
import Keys
public import Opening

/// Keychain groups for keys. The app has both entitlements, the extension only the shared one.
public struct KeychainGroups: Sendable {
    static let service = "SealedPush"

    /// Group of app and extension: prekeys.
    public let shared: String
    /// Group of the app alone: the identity.
    public let app: String

    /// Creates distinct groups, with their team prefixes.
    public init(shared: String, app: String) {
        precondition(shared != app, "the identity's private half must lie where the extension cannot reach it")
        self.shared = shared
        self.app = app
    }
}

extension AppDevice.Settings {
    /// Settings with all keys in the keychain. Replay window, contacts and spool stay in the container.
    public func keychain(_ groups: KeychainGroups) -> AppDevice.Settings {
        var settings = self
        settings.keyStores = (
            identity: KeychainSecretStore(service: KeychainGroups.service, accessGroup: groups.app),
            shared: KeychainSecretStore(service: KeychainGroups.service, accessGroup: groups.shared)
        )
        return settings
    }
}

extension NotificationPipeline {
    /// Extension's counterpart of `AppDevice.Settings.keychain`.
    ///
    /// - Parameters:
    ///   - keychainGroup: shared group with team prefix.
    ///   - opensWebPush: shows RFC 8291 messages.
    public init(
        containerPath: String,
        keychainGroup: String,
        display: DisplayPolicy,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false
    ) {
        let store = KeychainSecretStore(service: KeychainGroups.service, accessGroup: keychainGroup)
        self.init(
            container: SharedContainer(path: containerPath, keyStore: store),
            display: display,
            policy: policy,
            opensWebPush: opensWebPush
        )
    }
}
#endif
