#if canImport(Darwin)
import Keys
public import Opening

/// Where keys lie in the keychain. Both groups are in the app's entitlements; only the shared one is in the extension's.
public struct KeychainGroups: Sendable {
    static let service = "SealedPush"

    /// The app's and its extension's: prekeys.
    public let shared: String
    /// The app's alone: the identity.
    public let app: String

    /// - Parameters:
    ///   - shared: with its team prefix.
    ///   - app: with its team prefix; not the shared one.
    public init(shared: String, app: String) {
        precondition(shared != app, "the identity's private half must lie where the extension cannot reach it")
        self.shared = shared
        self.app = app
    }
}

extension AppDevice.Settings {
    /// These settings with all keys in the keychain instead of in files. Replay window, contacts and spool stay in the
    /// container.
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
    /// The extension's side of `AppDevice.Settings.keychain`.
    ///
    /// - Parameters:
    ///   - containerPath: the folder that the app shares with its extension.
    ///   - keychainGroup: the shared group, with its team prefix.
    ///   - display: what is shown for each outcome.
    ///   - policy: how long messages may live, and what their senders may ask for.
    ///   - opensWebPush: whether messages in the format of RFC 8291 are shown.
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
