#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
import Keys
public import Opening

/// Keychain groups for keys. The app has both entitlements, the extension only the shared one.
public struct KeychainGroups: Sendable {
    /// An account has items of its own.
    static func service(_ account: AccountName?) -> String { account.map { "SealedPush/" + $0.text } ?? "SealedPush" }

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
        settings.keyStores = { account in
            let service = KeychainGroups.service(account)
            return (
                identity: KeychainSecretStore(service: service, accessGroup: groups.app),
                shared: KeychainSecretStore(service: service, accessGroup: groups.shared)
            )
        }
        return settings
    }
}

extension [SharedContainer] {
    init(path: String?, accounts: [AccountName], keychainGroup: String) {
        let names: [AccountName?] = accounts.isEmpty ? [nil] : accounts
        self =
            path.map { path in
                names.map { name in
                    let store = KeychainSecretStore(service: KeychainGroups.service(name), accessGroup: keychainGroup)
                    return SharedContainer(path: path, account: name, keyStore: store)
                }
            } ?? []
    }
}

extension NotificationPipeline {
    /// Extension's counterpart of `AppDevice.Settings.keychain`.
    ///
    /// - Parameters:
    ///   - keychainGroup: shared group with team prefix.
    ///   - opensWebPush: shows RFC 8291 messages.
    ///   - accounts: of an app with several.
    public init(
        containerPath: String,
        keychainGroup: String,
        display: DisplayPolicy,
        policy: OpeningPolicy = OpeningPolicy(),
        opensWebPush: Bool = false,
        accounts: [AccountName] = []
    ) {
        self.init(
            containers: [SharedContainer](path: containerPath, accounts: accounts, keychainGroup: keychainGroup),
            display: display,
            policy: policy,
            opensWebPush: opensWebPush
        )
    }
}
#endif
