package import Keys
package import Opening

/// The folder that an app shares with its service extension: the app writes, the extension reads.
package struct SharedContainer: Sendable {
    private let keyRingPath: String
    private let sendersPath: String

    /// - Parameter path: an existing folder.
    package init(path: String) {
        keyRingPath = path + "/sealedpush.keyring"
        sendersPath = path + "/sealedpush.senders"
    }

    /// The app's side: puts the keys and the pinned senders where the extension finds them.
    package func install(keyRing: KeyRing, senders: ContactList) throws(FileError) {
        try senders.write(to: sendersPath)
        try keyRing.write(to: keyRingPath)
    }

    /// The extension's side; nil where a file is missing, unreadable (before the first unlock, say) or damaged.
    var opener: MessageOpener? {
        do {
            return MessageOpener(
                keyRing: try KeyRing(file: keyRingPath),
                senders: try ContactList(file: sendersPath)
            )
        } catch {
            return nil
        }
    }
}
