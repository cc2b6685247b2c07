package import Envelope
package import Keys
package import Opening
package import Platform
private import Primitives

/// The folder that an app shares with its service extension: the app writes keys and contacts, the extension reads them;
/// the extension leaves markers and spooled messages, the app takes them away.
package struct SharedContainer: Sendable {
    /// Prekeys and the ring's index. The identity's private half is in a folder of the app's own.
    package let keyStore: any SecretStore
    package let spool: Spool
    package let resendMarkers: ResendMarkers
    /// What nobody has told the senders yet.
    package let receipts: ReceiptSpool
    /// The app's word that it takes messages itself.
    package let foregroundLease: ForegroundLease
    /// The device's.
    let uptime: @Sendable () -> Uptime
    let outcomeCounters: OutcomeCounters
    let contactsPath: String
    let webPushKeysPath: String
    let badge: BadgeCount
    let requests: RequestMap
    let avatars: AvatarFolder
    /// Of the replay window.
    package let replayFolder: String

    /// What a backup must not hold: what comes back older has forgotten what was shown.
    var backupExcludedPaths: [String] {
        [replayFolder + "/replay-window-1", replayFolder + "/sealedpush-keys", replayFolder + "/sealedpush-spool"]
    }

    /// - Parameters:
    ///   - path: an existing folder.
    ///   - lock: the state of the device, where the system does not enforce it itself.
    ///   - uptime: the device's.
    package init(
        path: String,
        lock: @escaping @Sendable () -> DeviceLock = { .current },
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) {
        self.init(
            path: path,
            keyStore: FileSecretStore(folder: path + "/sealedpush-keys", lock: lock),
            uptime: uptime
        )
    }

    /// - Parameters:
    ///   - path: an existing folder.
    ///   - keyStore: where the prekeys are, elsewhere than in the folder.
    ///   - uptime: the device's.
    package init(
        path: String,
        keyStore: any SecretStore,
        uptime: @escaping @Sendable () -> Uptime = { .now }
    ) {
        self.keyStore = keyStore
        self.uptime = uptime
        spool = Spool(folder: path + "/sealedpush-spool")
        resendMarkers = ResendMarkers(folder: path + "/sealedpush-markers")
        receipts = ReceiptSpool(folder: path + "/sealedpush-receipts")
        foregroundLease = ForegroundLease(path: path + "/sealedpush.foreground")
        outcomeCounters = OutcomeCounters(path: path + "/sealedpush.outcomes")
        contactsPath = path + "/sealedpush.senders"
        webPushKeysPath = path + "/sealedpush.web-push"
        badge = BadgeCount(path: path + "/sealedpush.badge")
        requests = RequestMap(path: path + "/sealedpush.requests")
        avatars = AvatarFolder(path: path + "/sealedpush-avatars")
        replayFolder = path
    }

    /// The app's side: puts a tester's keys and the contacts where the extension finds them, and makes the replay window.
    ///
    /// - Parameters:
    ///   - keys: the tester's.
    ///   - contacts: whose messages are shown.
    ///   - identityStore: the app's own, for the identity's private half; nil where there is no app.
    ///   - now: the device's clock.
    /// - Throws: `InstallError`.
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
