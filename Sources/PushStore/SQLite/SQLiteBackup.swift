internal import CSQLite
internal import Platform

/// A copy of a connection's database, made step by step.
///
/// What the source's own connection writes between two steps goes into the copy as well, so that the copy is of the moment of
/// the last step. Between steps nothing is held: the log can be moved into the file and begun again. Another connection's write
/// would begin the copy anew.
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

    /// Copies the next pages; not within a transaction of the source's.
    ///
    /// - Parameter pageCount: at most so many; less than 0 for all.
    /// - Returns: whether that was all.
    /// - Throws: what a disk does.
    func step(_ pageCount: Int) throws(StoreError) -> Bool {
        switch unsafe sqlite3_backup_step(handle, Int32(clamping: pageCount)) {
        case SQLITE_DONE: return true
        case SQLITE_OK: return false
        case let code: throw target.failure(.backup, code)
        }
    }
}

/// The file of a copy: it appears whole or not at all.
struct CopyFile {
    private let path: String
    private var part: String { path + ".part" }

    /// - Parameter path: a file that is not there yet.
    /// - Throws: `.failed(operation: .open)` with EEXIST, and what a disk does.
    init(_ path: String) throws(StoreError) {
        self.path = path
        if unsafe access(path, F_OK) == 0 { throw .failed(operation: .open, code: EEXIST) }
        unsafe unlink(part)
        close(try StoreFile.open(part, O_CREAT | O_EXCL))
    }

    /// What is written through it need not be on the disk before `finish`.
    func connect() throws(StoreError) -> SQLiteConnection {
        let target = try SQLiteConnection(path: part, fileSystem: nil)
        try target.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        return target
    }

    /// Has what was copied by now written to the disk, so that the end is not long.
    func sync() throws(StoreError) {
        let file = try StoreFile.open(part, 0)
        defer { close(file) }
        guard fdatasync(file) == 0 else { throw StoreFile.failure(.sync) }
    }

    /// Gives it its name. No connection may have it any more.
    func finish() throws(StoreError) {
        try mark()
        try sync()
        // A name that is there by now is not overwritten.
        guard unsafe link(part, path) == 0 else { throw StoreFile.failure(.backup) }
        unsafe unlink(part)
        try StoreFile.syncFolder(of: path)
    }

    /// Whoever opens it finds that it is a copy, wherever that is.
    private func mark() throws(StoreError) {
        try SQLiteConnection(path: part, fileSystem: nil).execute(
            "INSERT OR REPLACE INTO meta (name, value) VALUES ('restored', \(RestoreCause.backup.rawValue))"
        )
    }

    /// Leaves nothing behind of one that failed.
    func abandon() { unsafe unlink(part) }
}
