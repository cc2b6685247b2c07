#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
internal import Keys
public import Opening

extension CallOpener {
    /// Creates an opener with keys as in `AppDevice.Settings.keychain`.
    ///
    /// - Parameters:
    ///   - containerPath: folder of the app group; if nil, nothing opens.
    ///   - keychainGroup: shared group with team prefix.
    ///   - appName: caller's name if there is no other. Not empty.
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
