/// What the file beside a database says of it: which state of it was the last one here.
///
/// A stamp of random bytes is in the database and in the mark. Both change at each opening, every minute and at the end, so
/// that a file from before then has another one. The mark is written first and allows both stamps until the transaction holds.
struct StoreMark: Equatable {
    static let stampByteCount = 16
    /// What stands for the stamp of a database that has none: a new one, or one of an earlier version.
    static let noStamp = [UInt8](repeating: 0, count: stampByteCount)
    static let byteCount = 1 + 2 * stampByteCount

    /// One that the database has, or one of two that it may have.
    var stamps = [noStamp]
    /// True when everything is in the database, and nothing in SQLite's log.
    var isClosed = true

    init() {}

    init(stamps: [[UInt8]], isClosed: Bool) {
        precondition((1...2).contains(stamps.count) && stamps.allSatisfy { $0.count == Self.stampByteCount })
        self.stamps = stamps
        self.isClosed = isClosed
    }

    /// - Returns: nil for what is no mark of this version: then no stamp is known.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        isClosed = bytes[0] == 0
        stamps = [Array(bytes[1...Self.stampByteCount]), Array(bytes.suffix(Self.stampByteCount))]
    }

    var bytes: [UInt8] { [isClosed ? 0 : 1] + stamps[0] + stamps[stamps.count - 1] }
}

/// Why a database may lack what was acknowledged: it is not the one that was open here last.
package enum RestoreCause: Int64, CaseIterable, Sendable {
    /// It is a copy that `StoreCopy` or `SQLiteStore.backup` made.
    case backup = 1
    /// It is another state than the last one here, or the mark of that one is gone.
    case otherFile = 2
    /// The process before did not close it, and SQLite's log is gone.
    case logMissing = 3

    /// For the log and for people.
    package var word: String {
        switch self {
        case .backup: "backup"
        case .otherFile: "other-file"
        case .logMissing: "log-missing"
        }
    }
}

/// What becomes of that which waited in a restored database: it may have been sent after the copy was made.
package enum RestoredQueue: String, CaseIterable, Sendable {
    /// It is sent, perhaps for the second time, with the apns-id and collapse id of the first.
    case send
    /// It is dead as `outcomeUnknown`, and no fallback that was armed fires.
    case drop
}

/// The database's own stamp, renewed with the writer's transactions.
final class StoreStamp {
    private let file: StoreFile
    private let insert: SQLiteStatement
    private var current: [UInt8]
    private var next: [UInt8]?
    /// False where the mark must not allow the earlier stamp: a restored file is not taken for the last one after a crash.
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

    /// - Parameter stamp: 16 random bytes, for the transaction that goes on now.
    func renew(_ stamp: [UInt8]) { next = stamp }

    /// Before the transaction ends.
    func write() throws(StoreError) {
        guard let next else { return }
        if allowsCurrent { try file.note(StoreMark(stamps: [current, next], isClosed: false)) }
        try insert.run([.bytes(next)])
    }

    /// After it has ended.
    func end(holds: Bool) {
        guard let next else { return }
        self.next = nil
        guard holds else { return }
        current = next
        allowsCurrent = true
        // Until the next one the mark allows the stamp of before as well.
        try? file.note(StoreMark(stamps: [next], isClosed: false))
    }
}
