package import Envelope
package import Keys
package import Opening

/// The folder that an app shares with its service extension: the app writes keys and contacts, the extension reads them;
/// the extension leaves markers and spooled messages, the app takes them away.
package struct SharedContainer: Sendable {
    /// Prekeys and the ring's index. The identity's private half is in a folder of the app's own.
    package let keyStore: FileSecretStore
    package let spool: Spool
    package let resendMarkers: ResendMarkers
    private let sendersPath: String

    /// - Parameters:
    ///   - path: an existing folder.
    ///   - lock: the state of the device, where the system does not enforce it itself.
    package init(path: String, lock: @escaping @Sendable () -> DeviceLock = { .unlocked }) {
        keyStore = FileSecretStore(folder: path + "/sealedpush-keys", lock: lock)
        spool = Spool(folder: path + "/sealedpush-spool")
        resendMarkers = ResendMarkers(folder: path + "/sealedpush-markers")
        sendersPath = path + "/sealedpush.senders"
    }

    /// The app's side: puts a tester's keys and the pinned senders where the extension finds them.
    package func install(
        keys: borrowing DeviceKeys,
        replayStore: StoreID? = nil,
        senders: TrustedSenders,
        now: Timestamp = .now
    ) throws(InstallError) {
        do { try senders.write(to: sendersPath) } catch { throw .file(error) }
        do { try keys.install(in: keyStore, replayStore: replayStore, now: now) } catch { throw .keys(error) }
    }

    package enum InstallError: Error, Equatable {
        case file(FileError)
        case keys(KeyRingError)
    }

    /// The extension's side; nil where a file is missing, unreadable (before the first unlock, say) or damaged.
    var opener: MessageOpener? {
        do {
            return MessageOpener(
                keyRing: try KeyRing(store: keyStore),
                senders: try TrustedSenders(file: sendersPath)
            )
        } catch {
            return nil
        }
    }
}
