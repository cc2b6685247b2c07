import Envelope
import PushStore

/// Queue, pins and bundles in one SQLite file. Acknowledged data is on disk, whatever happens to the process. Confined
/// to one thread, which its calls block.
final class SidecarStore {
    let path: String
    private let file: StoreFile
    private let connection: SQLiteConnection
    let sql: StatementCache
    /// Changes of pins for the next transaction, with the copies sealed under them.
    var stagedPins: [[UInt8]: [UInt8]?] = [:]
    /// Queue as on disk.
    private(set) var load = Load()

    struct Load: Equatable, Sendable {
        var count = 0
        var byteCount = 0
    }

    /// Opens or creates a file, and locks it.
    ///
    /// - Parameters:
    ///   - sender: public key that its pins belong to.
    ///   - now: this machine's clock.
    /// - Throws: `SidecarStartError`, a sentence each.
    init(path: String, sender: [UInt8], topic: [UInt8], now: Timestamp) throws(SidecarStartError) {
        self.path = path
        do throws(StoreError) {
            file = try StoreFile(path: path)
            connection = try SQLiteConnection(path: path, fileSystem: nil)
            sql = StatementCache(connection)
            try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA page_size = 8192")
            try Self.checkFormat(connection)
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            // Deleted data is gone from the file, and nothing is written beside it.
            try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192; PRAGMA secure_delete = ON")
            try Self.create(connection)
        } catch {
            throw .store(error, path: path)
        }
        do throws(StoreError) {
            let totals = "SELECT count(*), coalesce(sum(length(sealed)), 0) FROM copies WHERE state = 0"
            load =
                try sql(totals).first([]) { Load(count: Int($0.integer(0)), byteCount: Int($0.integer(1))) } ?? Load()
        } catch {
            throw .store(error, path: path)
        }
        guard try isOwn("sender", sender) else { throw .otherSender(path: path) }
        guard try isOwn("topic", topic) else { throw .otherTopic(path: path) }
        let newest = try newestTime()
        let limit = now.advanced(by: Self.clockTolerance)
        guard limit >= newest else {
            throw .clockSetBack(seconds: (newest.milliseconds - now.milliseconds) / 1_000)
        }
    }

    /// Smaller corrections of the clock are followed.
    static let clockTolerance: Duration = .seconds(300)

    private static func checkFormat(_ connection: SQLiteConnection) throws(StoreError) {
        let application = try connection.integer("PRAGMA application_id")
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_master") == 0
        guard isEmpty || application == SidecarSchema.applicationID else { throw .notAStore }
        let version = try connection.integer("PRAGMA user_version")
        guard version <= SidecarSchema.version else {
            throw .newerFile(version: Int(version), newestKnown: Int(SidecarSchema.version))
        }
    }

    private static func create(_ connection: SQLiteConnection) throws(StoreError) {
        guard try connection.integer("PRAGMA user_version") == 0 else { return }
        let pragmas =
            "PRAGMA application_id = \(SidecarSchema.applicationID); PRAGMA user_version = \(SidecarSchema.version)"
        try connection.execute("BEGIN IMMEDIATE; \(SidecarSchema.text) \(pragmas); COMMIT")
    }

    /// Notes a value in a new file, and compares it with an old one's.
    private func isOwn(_ name: String, _ value: [UInt8]) throws(SidecarStartError) -> Bool {
        do throws(StoreError) {
            let text = Array(name.utf8)
            try sql("INSERT OR IGNORE INTO meta (name, value) VALUES (CAST(? AS TEXT), ?)").run([
                .bytes(text), .bytes(value),
            ])
            let select = "SELECT value FROM meta WHERE name = CAST(? AS TEXT)"
            return try sql(select).first([.bytes(text)]) { $0.bytes(0) } == value
        } catch {
            throw .store(error, path: path)
        }
    }

    private func newestTime() throws(SidecarStartError) -> Timestamp {
        do throws(StoreError) {
            let newest = try sql("SELECT value FROM meta WHERE name = 'newest'").first([]) { $0.integer(0) } ?? 0
            return Timestamp(milliseconds: UInt64(max(0, newest)))
        } catch {
            throw .store(error, path: path)
        }
    }

    func close() { file.release() }

    // MARK: Transactions

    /// Runs `body` in one durable transaction, with the pins that wait.
    ///
    /// - Throws: errors of `body` and disk; then nothing has changed.
    func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        let loadBefore = load
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let value = try body()
            for (slot, pin) in stagedPins {
                if let pin {
                    try sql("INSERT OR REPLACE INTO pins (slot, pin) VALUES (?, ?)").run([.bytes(slot), .bytes(pin)])
                } else {
                    try sql("DELETE FROM pins WHERE slot = ?").run([.bytes(slot)])
                }
            }
            try connection.execute("COMMIT")
            stagedPins = [:]
            return value
        } catch {
            load = loadBefore
            // A failed COMMIT may have rolled back already; the error itself is reported.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    func changeLoad(count: Int, byteCount: Int) {
        load.count += count
        load.byteCount += byteCount
    }
}
