package import Envelope
package import Keys
package import Opening
package import Platform
private import Primitives

/// Folder shared by app and extension: the app writes keys and contacts, the extension markers and spooled messages.
/// Several accounts have a folder each below it; badge and counts are the app's.
package struct SharedContainer: Sendable {
    /// Nil in an app with one account.
    let account: AccountName?
    /// Prekeys and the ring's index. The identity's private half is in the app's own folder.
    package let keyStore: any SecretStore
    package let spool: Spool
    package let resendMarkers: ResendMarkers
    /// Receipts not yet sent.
    package let receipts: ReceiptSpool
    /// Lease of an app that handles messages itself.
    package let foregroundLease: ForegroundLease
    let uptime: @Sendable () -> Uptime
    let outcomeCounters: OutcomeCounters
    let contactsPath: String
    let webPushKeysPath: String
    let endpointKeys: EndpointKeyFolder
    let badge: BadgeCount
    let requests: RequestMap
    let avatars: AvatarFolder
    let groups: GroupFolder
    let preview: PreviewFile
    let muted: MutedThreads
    /// Folder of the replay window.
    package let replayFolder: String

    /// Kept out of backups: restored, they would forget what was shown.
    var backupExcludedPaths: [String] {
        [replayFolder + "/replay-window-1", replayFolder + "/sealedpush-keys", replayFolder + "/sealedpush.spool"]
    }

    /// - Parameters:
    ///   - path: existing folder.
    ///   - lock: where the system does not enforce it.
    package init(
        path: String,
        account: AccountName? = nil,
        lock: @escaping @Sendable () -> DeviceLock = { .current },
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) {
        self.init(
            path: path,
            account: account,
            keyStore: FileSecretStore(folder: Self.folder(path, account) + "/sealedpush-keys", lock: lock),
            uptime: uptime
        )
    }

    /// - Parameter keyStore: holds the prekeys, outside the folder.
    package init(
        path appPath: String,
        account: AccountName? = nil,
        keyStore: any SecretStore,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) {
        let path = Self.folder(appPath, account)
        self.account = account
        self.keyStore = keyStore
        self.uptime = uptime
        spool = Spool(path: path + "/sealedpush.spool")
        resendMarkers = ResendMarkers(path: path + "/sealedpush.markers")
        receipts = ReceiptSpool(path: path + "/sealedpush.receipts")
        foregroundLease = ForegroundLease(path: path + "/sealedpush.foreground")
        outcomeCounters = OutcomeCounters(path: appPath + "/sealedpush.outcomes")
        contactsPath = path + "/sealedpush.senders"
        webPushKeysPath = path + "/sealedpush.web-push"
        endpointKeys = EndpointKeyFolder(path: path + "/sealedpush-endpoints")
        badge = BadgeCount(path: appPath + "/sealedpush.badge")
        requests = RequestMap(path: path + "/sealedpush.requests")
        avatars = AvatarFolder(path: path + "/sealedpush-avatars")
        groups = GroupFolder(path: path + "/sealedpush-groups")
        preview = PreviewFile(path: path + "/sealedpush.preview")
        muted = MutedThreads(path: path + "/sealedpush.muted")
        replayFolder = path
    }

    private static func folder(_ appPath: String, _ account: AccountName?) -> String {
        account.map { appPath + "/sealedpush-accounts/" + $0.text } ?? appPath
    }

    /// Makes an account's folder, in the app.
    func makeFolder() throws(FileError) {
        guard account != nil else { return }
        let parent = replayFolder[..<(replayFolder.lastIndex(of: "/") ?? replayFolder.endIndex)]
        try PrivateFolder.make(String(parent), protection: .untilFirstUnlock)
        try PrivateFolder.make(replayFolder, protection: .untilFirstUnlock)
    }

    /// Writes a tester's keys and contacts, and makes the window.
    ///
    /// - Parameter identityStore: app's own; nil if there is no app.
    package func install(
        keys: borrowing DeviceKeys,
        contacts: ContactList,
        identityStore: (any SecretStore)? = nil,
        now: Timestamp = .now
    ) throws(InstallError) {
        do { try contacts.write(to: contactsPath) } catch { throw .file(error) }
        do { try protect() } catch { throw .container(error) }
        var random = SystemRandom()
        let window: ReplayWindow
        do {
            window = try ReplayWindow(folder: replayFolder, ifMissing: .create, random: &random)
        } catch {
            throw .window(error)
        }
        do {
            try keys.install(in: keyStore, identityStore: identityStore, replayStore: window.store, now: now)
        } catch {
            throw .keys(error)
        }
    }

    package enum InstallError: Error, Equatable {
        case file(FileError)
        case container(ContainerError)
        case keys(KeyRingError)
        case window(ReplayWindowError)
    }
}
