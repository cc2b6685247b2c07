#if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
public import Opening

extension CallOpener {
    /// Creates an opener with keys as in `AppDevice.Settings.keychain`.
    ///
    /// - Parameters:
    ///   - containerPath: folder of the app group; if nil, nothing opens.
    ///   - keychainGroup: shared group with team prefix.
    ///   - appName: caller's name if there is no other. Not empty.
    ///   - accounts: the extension's too.
    public init(
        containerPath: String?,
        keychainGroup: String,
        appName: String,
        policy: OpeningPolicy = OpeningPolicy(),
        keepsReceipts: Bool = false,
        accounts: [AccountName] = []
    ) {
        self.init(
            containers: [SharedContainer](path: containerPath, accounts: accounts, keychainGroup: keychainGroup),
            appName: appName,
            policy: policy,
            keepsReceipts: keepsReceipts
        )
    }
}
#endif
