internal import CSQLite
internal import Platform

/// Connection to a file, confined to its thread; lives as long as its last statement.
@safe
package final class SQLiteConnection {
    private let handle: OpaquePointer
    private let log: UnsafeMutablePointer<csqlite_log>
    private var whileWorking: (() -> Void)?
    /// Milliseconds. Only another connection of this process blocks, during log recovery.
    private static let patience: Int32 = 60_000
    /// Milliseconds; writes wait meanwhile.
    private static let readPatience: Int32 = 20
    /// Once in a process. A library already in use keeps counting, which is only slower.
    private static let countsNoMemory = csqlite_count_no_memory() == SQLITE_OK

    /// - Parameters:
    ///   - path: existing file.
    ///   - fileSystem: `sqlite3_vfs`; nil for the default.
    ///   - isReadOnly: leaves file and log untouched, even when it closes last.
    /// - Throws: `.failed(operation: .open)` and errors of the file.
    package init(path: String, fileSystem: String?, isReadOnly: Bool = false) throws(StoreError) {
        _ = Self.countsNoMemory
        var handle: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &handle, flags, fileSystem)
        guard let owned = unsafe handle else { throw .failed(operation: .open, code: code) }
        unsafe self.handle = owned
        unsafe log = .allocate(capacity: 1)
        unsafe log.initialize(to: csqlite_log())
        guard code == SQLITE_OK else { throw failure(.open, code) }
        let defensive = unsafe csqlite_make_defensive(owned)
        guard defensive == SQLITE_OK else { throw failure(.open, defensive) }
        unsafe sqlite3_busy_timeout(owned, Self.patience)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
        unsafe log.deallocate()
    }

    /// Checkpoints here, in place of `wal_autocheckpoint`, and counts `logFrameCount`.
    ///
    /// - Source: https://sqlite.org/c3ref/wal_hook.html
    package func watchLog(checkpointFrameCount: Int) {
        unsafe log.pointee.checkpoint_frame_count = Int32(clamping: checkpointFrameCount)
        unsafe csqlite_watch_log(handle, log)
    }

    /// Frames of the log, a page each, after the last commit.
    var logFrameCount: Int { unsafe Int(log.pointee.frame_count) }

    /// Checkpoints and truncates the log, so that neither file keeps deleted data. Waits at most 20 ms for readers.
    ///
    /// - Returns: false if something is left; the next call tries again.
    /// - Source: https://sqlite.org/c3ref/wal_checkpoint_v2.html, SQLITE_CHECKPOINT_TRUNCATE
    func emptyLog() -> Bool {
        unsafe sqlite3_busy_timeout(handle, Self.readPatience)
        defer { unsafe sqlite3_busy_timeout(handle, Self.patience) }
        return unsafe sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
    }

    /// Calls `body` every few million steps; nil stops it. `body` must not use the connection, which is at work.
    ///
    /// - Source: https://sqlite.org/c3ref/progress_handler.html
    func watchWork(_ body: (() -> Void)?) {
        whileWorking = body
        guard body != nil else {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let stepCount: Int32 = 2_000_000
        unsafe sqlite3_progress_handler(
            handle,
            stepCount,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().whileWorking?()
                }
                return 0
            },
            context
        )
    }

    /// Runs text without parameters, such as pragmas and schemas.
    package func execute(_ text: String) throws(StoreError) {
        let code = unsafe sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(.step, code) }
    }

    package func prepare(_ text: String) throws(StoreError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let owned = unsafe statement else { throw failure(.prepare, code) }
        return unsafe SQLiteStatement(owned, of: self)
    }

    /// Reads a pragma's number.
    package func integer(_ text: String) throws(StoreError) -> Int64 {
        try prepare(text).first([]) { row in row.integer(0) } ?? 0
    }

    package var changeCount: Int { unsafe Int(sqlite3_changes64(handle)) }

    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    func backup(to target: SQLiteConnection) throws(StoreError) -> SQLiteBackup {
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(.backup, unsafe sqlite3_extended_errcode(target.handle))
        }
        return unsafe SQLiteBackup(backup, from: self, to: target)
    }

    /// Translates a code.
    ///
    /// - Source: https://sqlite.org/rescode.html
    func failure(_ operation: StoreError.Operation, _ code: Int32) -> StoreError {
        switch code & 0xFF {
        case SQLITE_FULL: return .full
        case SQLITE_CORRUPT: return .damaged
        case SQLITE_NOTADB: return .notAStore
        case SQLITE_READONLY: return .unwritable
        case SQLITE_BUSY, SQLITE_LOCKED: return .overloaded
        case SQLITE_IOERR:
            // SQLITE_IOERR_FSYNC and _DIR_FSYNC: earlier writes may be lost, and a retry would not say so.
            if code >> 8 == 4 || code >> 8 == 5 { return .broken }
            switch unsafe sqlite3_system_errno(handle) {
            case ENOSPC, EDQUOT, EFBIG: return .full
            case EROFS: return .unwritable
            // SQLITE_IOERR_WRITE: rolled back, earlier data intact.
            default: return code >> 8 == 3 ? .unwritable : .failed(operation: operation, code: code)
            }
        default: return .failed(operation: operation, code: code)
        }
    }
}
