#if canImport(Darwin)
public import Opening

extension CallOpener {
    /// The opener of an app whose keys are where `AppDevice.Settings.keychain` puts them.
    ///
    /// - Parameters:
    ///   - containerPath: the folder of the app group; nil where there is none, and then nothing can be opened.
    ///   - keychainGroup: the group that app and extension share, with its team prefix.
    ///   - appName: shown as the caller where nothing opened, and where the caller has no name. Not empty.
    ///   - policy: as in `AppDevice.Settings`.
    ///   - keepsReceipts: as in `AppDevice.Settings`.
    public init(
        containerPath: String?,
        keychainGroup: String,
        appName: String,
        policy: OpeningPolicy = OpeningPolicy(),
        keepsReceipts: Bool = false
    ) {
        let store = KeychainSecretStore(service: KeychainGroups.service, accessGroup: keychainGroup)
        self.init(
            container: containerPath.map { SharedContainer(path: $0, keyStore: store) },
            appName: appName,
            policy: policy,
            keepsReceipts: keepsReceipts
        )
    }
}
#endif
