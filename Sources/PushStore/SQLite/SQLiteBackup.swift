internal import CSQLite
internal import Platform

/// Stepwise copy of a database, as of the last step.
///
/// The source connection's writes reach the copy; another's restart it. Nothing is locked between steps, so the log can
/// be checkpointed.
///
/// - Source: https://sqlite.org/c3ref/backup_finish.html
@safe
final class SQLiteBackup {
    private let handle: OpaquePointer
    // Both outlive the handle.
    private let source: SQLiteConnection
    private let target: SQLiteConnection

    init(_ handle: OpaquePointer, from source: SQLiteConnection, to target: SQLiteConnection) {
        unsafe self.handle = handle
        self.source = source
        self.target = target
    }

    // Its code repeats that of the last step.
    deinit { unsafe _ = sqlite3_backup_finish(handle) }

    /// Copies pages; not within a transaction of the source.
    ///
    /// - Parameter pageCount: below 0 for all.
    /// - Returns: true at the end.
    func step(_ pageCount: Int) throws(StoreError) -> Bool {
        switch unsafe sqlite3_backup_step(handle, Int32(clamping: pageCount)) {
        case SQLITE_DONE: return true
        case SQLITE_OK: return false
        case let code: throw target.failure(.backup, code)
        }
    }
}

/// Copy's file: it appears whole or not at all.
final class CopyFile: Sendable {
    private let path: String
    private var part: String { path + ".part" }

    /// - Throws: `.failed(operation: .open)` with EEXIST, and disk errors.
    init(_ path: String) throws(StoreError) {
        self.path = path
        if unsafe access(path, F_OK) == 0 { throw .failed(operation: .open, code: EEXIST) }
        unsafe unlink(part)
        close(try StoreFile.open(part, O_CREAT | O_EXCL))
    }

    /// Leaves syncing to `finish`.
    func connect() throws(StoreError) -> SQLiteConnection {
        let target = try SQLiteConnection(path: part, fileSystem: nil)
        try target.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        return target
    }

    /// Syncs early, to shorten the end.
    func sync() throws(StoreError) {
        let file = try StoreFile.open(part, 0)
        defer { close(file) }
        guard fdatasync(file) == 0 else { throw StoreFile.failure(.sync) }
    }

    /// Names it, after its last connection.
    func finish() throws(StoreError) {
        try mark()
        try sync()
        // An existing name is not overwritten.
        guard unsafe link(part, path) == 0 else { throw StoreFile.failure(.backup) }
        unsafe unlink(part)
        try StoreFile.syncFolder(of: path)
    }

    /// Marks it as a copy.
    private func mark() throws(StoreError) {
        try SQLiteConnection(path: part, fileSystem: nil).execute(
            "INSERT OR REPLACE INTO meta (name, value) VALUES ('restored', \(RestoreCause.backup.rawValue))"
        )
    }

    /// Removes a failed copy.
    func abandon() { unsafe unlink(part) }
}
