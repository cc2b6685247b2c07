/// A file beside the database that identifies the database's last state.
///
/// A stamp of random bytes is in the database and in the mark. Both change at each opening, every minute and at the
/// end, so that an older file has another stamp. The mark is written first and allows both stamps until the transaction
/// is on the disk.
struct StoreMark: Equatable {
    static let stampByteCount = 16
    /// The stamp of a database without one: new, or of an earlier version.
    static let noStamp = [UInt8](repeating: 0, count: stampByteCount)
    static let byteCount = 1 + 2 * stampByteCount

    /// The database's stamp, or two that it may have.
    var stamps = [noStamp]
    /// True when SQLite's log is empty and everything is in the database.
    var isClosed = true

    init() {}

    init(stamps: [[UInt8]], isClosed: Bool) {
        precondition((1...2).contains(stamps.count) && stamps.allSatisfy { $0.count == Self.stampByteCount })
        self.stamps = stamps
        self.isClosed = isClosed
    }

    /// - Returns: nil for bytes that are no mark of this version; then no stamp is known.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        isClosed = bytes[0] == 0
        stamps = [Array(bytes[1...Self.stampByteCount]), Array(bytes.suffix(Self.stampByteCount))]
    }

    var bytes: [UInt8] { [isClosed ? 0 : 1] + stamps[0] + stamps[stamps.count - 1] }
}

/// The reason why a database may lack acknowledged data: it is not the one last open here.
package enum RestoreCause: Int64, CaseIterable, Sendable {
    /// A copy made by `StoreCopy` or `SQLiteStore.backup`.
    case backup = 1
    /// Another state than the last one here, or that state's mark is gone.
    case otherFile = 2
    /// The previous process did not close it, and SQLite's log is gone.
    case logMissing = 3

    /// For logs and people.
    package var word: String {
        switch self {
        case .backup: "backup"
        case .otherFile: "other-file"
        case .logMissing: "log-missing"
        }
    }
}

/// Treatment of entries waiting in a restored database, which may have been sent after the copy was made.
package enum RestoredQueue: String, CaseIterable, Sendable {
    /// Send them, perhaps for the second time, with the same apns-id and collapse id.
    case send
    /// Mark them dead as `outcomeUnknown`; their armed fallbacks do not fire.
    case drop
}

/// The database's own stamp, renewed in the writer's transactions.
final class StoreStamp {
    private let file: StoreFile
    private let insert: SQLiteStatement
    private var current: [UInt8]
    private var next: [UInt8]?
    /// False until a restored file has a new stamp: after a crash it must not pass for the last one.
    private var allowsCurrent: Bool

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
    }

    /// - Parameter stamp: 16 random bytes, for the current transaction.
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
        // If this fails, the mark allows the previous stamp as well until the next one.
        try? file.note(StoreMark(stamps: [next], isClosed: false))
    }
}
