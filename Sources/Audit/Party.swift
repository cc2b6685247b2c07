/// Holder of bytes, or one of the places where it keeps them: a column of the table, and a folder of `audit --keep`.
package enum Party: String, CaseIterable, Sendable {
    /// Pushes as they came to APNs.
    case apple
    /// Requests as they came to the relay.
    case calls
    /// The relay's database, with its log and its free pages.
    case store
    /// A copy of the database.
    case copy
    case log
    case stats
    /// Bodies of webhook calls.
    case hooks
    /// Memory of the relay's process.
    case memory
    /// Core files of the relay.
    case core
    /// Folder of the host of attachments.
    case blobs
    /// Files of a phone that can be read before its first unlock.
    case locked
    /// Files of an unlocked phone.
    case phone

    /// Head of its column.
    package var head: String {
        switch self {
        case .apple: "Apple"
        case .memory: "RAM"
        default: rawValue
        }
    }

    package var text: String {
        switch self {
        case .apple: "bytes on Apple's side"
        case .calls: "the relay's requests"
        case .store: "the relay's database, its log and free pages"
        case .copy: "a back-up of the database"
        case .log: "the relay's log"
        case .stats: "the relay's metrics"
        case .hooks: "bodies of webhook calls"
        case .memory: "memory of the relay's process"
        case .core: "a core file of the relay"
        case .blobs: "the folder of the host of attachments"
        case .locked: "the phone's files before its first unlock"
        case .phone: "the phone's files"
        }
    }

    /// True if each line of its files is a record in JSON.
    var hasRecords: Bool {
        switch self {
        case .apple, .calls, .log, .hooks: true
        case .store, .copy, .stats, .memory, .core, .blobs, .locked, .phone: false
        }
    }
}
