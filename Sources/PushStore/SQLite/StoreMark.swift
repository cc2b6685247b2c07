/// File beside the database that identifies its last state.
///
/// Both hold a random stamp, renewed at each opening, every minute and at the end: an older file has another. The mark
/// is written first, and allows both stamps until the transaction holds.
struct StoreMark: Equatable {
    static let stampByteCount = 16
    /// Stands for a new database, or one of an earlier version.
    static let noStamp = [UInt8](repeating: 0, count: stampByteCount)
    static let byteCount = 1 + 2 * stampByteCount

    /// One, or two during a renewal.
    var stamps = [noStamp]
    /// True when SQLite's log is empty.
    var isClosed = true

    init() {}

    init(stamps: [[UInt8]], isClosed: Bool) {
        precondition((1...2).contains(stamps.count) && stamps.allSatisfy { $0.count == Self.stampByteCount })
        self.stamps = stamps
        self.isClosed = isClosed
    }

    /// - Returns: nil for no mark of this version.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        isClosed = bytes[0] == 0
        stamps = [Array(bytes[1...Self.stampByteCount]), Array(bytes.suffix(Self.stampByteCount))]
    }

    var bytes: [UInt8] { [isClosed ? 0 : 1] + stamps[0] + stamps[stamps.count - 1] }
}

/// Reason why a database is not the one last open here, and may lack acknowledged data.
package enum RestoreCause: Int64, CaseIterable, Sendable {
    /// Copy made by `StoreCopy` or `SQLiteStore.backup`.
    case backup = 1
    /// An older state, or the mark is gone.
    case otherFile = 2
    /// SQLite's log is gone after a crash.
    case logMissing = 3

    package var word: String {
        switch self {
        case .backup: "backup"
        case .otherFile: "other-file"
        case .logMissing: "log-missing"
        }
    }
}

/// Treatment of waiting entries, which may have been sent since the copy.
package enum RestoredQueue: String, CaseIterable, Sendable {
    /// Send, perhaps again, with the same apns-id and collapse id.
    case send
    /// Dead as `outcomeUnknown`, without fallbacks.
    case drop
}

/// Renewed in the writer's transactions.
final class StoreStamp {
    private let file: StoreFile
    private let insert: SQLiteStatement
    private var current: [UInt8]
    private var next: [UInt8]?
    /// False for a restored file without a new stamp: after a crash it must not pass for the last one.
    private var allowsCurrent: Bool
    let isRestored: Bool

    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [UInt8] {
        let found = try connection.prepare("SELECT value FROM meta WHERE name = 'stamp'").first([]) { $0.bytes(0) }
        guard let found, found.count == StoreMark.stampByteCount else { return StoreMark.noStamp }
        return found
    }

    init(_ connection: SQLiteConnection, file: StoreFile, isRestored: Bool) throws(StoreError) {
        self.file = file
        insert = try connection.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('stamp', ?)")
        current = try Self.read(connection)
        allowsCurrent = !isRestored
        self.isRestored = isRestored
    }

    /// - Parameter stamp: 16 random bytes.
    func renew(_ stamp: [UInt8]) { next = stamp }

    /// Runs before the transaction ends.
    func write() throws(StoreError) {
        guard let next else { return }
        if allowsCurrent { try file.note(StoreMark(stamps: [current, next], isClosed: false)) }
        try insert.run([.bytes(next)])
    }

    /// Runs after it has ended.
    func end(holds: Bool) {
        guard let next else { return }
        self.next = nil
        guard holds else { return }
        current = next
        allowsCurrent = true
        // Otherwise the mark allows the previous stamp until the next renewal.
        try? file.note(StoreMark(stamps: [next], isClosed: false))
    }
}
