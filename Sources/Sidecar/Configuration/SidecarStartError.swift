package import Networking
package import PushStore
package import ServiceParts

/// Reason not to start, in a sentence.
package enum SidecarStartError: Error, Equatable, Sendable {
    /// File that the configuration names; a sentence without its full stop.
    case file(field: String, String)
    case store(StoreError, path: String)
    /// Pins and queue were made with another sender key.
    case otherSender(path: String)
    /// Pins and queue are another app's.
    case otherTopic(path: String)
    /// Clock behind the file's newest message.
    case clockSetBack(seconds: UInt64)
    case socket(SocketFileError)
    case listen(TransportError)

    /// True if an unchanged start would fail again.
    package var isLasting: Bool {
        switch self {
        case .file, .otherSender, .otherTopic: true
        case .socket(let error): error.isLasting
        case .store(.notAStore, _), .store(.newerFile, _), .store(.otherName, _): true
        case .store, .clockSetBack, .listen: false
        }
    }
}

extension SidecarStartError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let field, let problem): "\(field): \(problem)"
        case .store(.inUse, let path):
            "\(path): another sidecar has this database; stop that one first, or give this one another database-file"
        case .store(.notAStore, let path): "\(path): the file is no database of a sidecar; give another database-file"
        case .store(.newerFile, let path):
            "\(path): a later version of sealedpush-sidecar wrote this database; run that one"
        case .store(.otherName, let path):
            "\(path): the file has a second name (a hard link), by which another process could open it; remove that"
        case .store(.full, let path): "\(path): the disk is full; make room"
        case .store(let error, let path): "\(path): the database cannot be used (\(error)); look at the disk"
        case .otherSender(let path):
            "\(path): its pins and its queue were made with another sender key: give that key back as sender-key-file, or"
                + " give the new sender another database-file; devices know senders by their key"
        case .otherTopic(let path):
            "\(path): its pins and its queue are another app's; give each app a sidecar and a database-file of its own"
        case .clockSetBack(let seconds):
            "this machine's clock is \(seconds) seconds behind the newest message in the database; set it, for devices"
                + " refuse what was sealed at the wrong time"
        case .socket(let error): error.description
        case .listen(let error): "\(error)"
        }
    }
}
