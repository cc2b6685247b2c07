internal import Platform

/// Offline access to a store's file, with or without a running service.
///
/// SQLite's locks and shared log index keep another process's read consistent. The connection is read-only: it neither
/// moves nor removes the log, so the next opening finds what it expects.
///
/// - Source: https://sqlite.org/wal.html, sections 2.2 (concurrency), 5 (read-only databases) and 4 (the log's end).
package enum StoreCopy {
    /// Copies the store as of one moment. Waits for the disk. A service that writes meanwhile cannot move its log into
    /// the file until the end; for a running one use `SQLiteStore.backup`.
    ///
    /// - Parameter path: a file that does not exist; it appears whole or not at all, with mode 0600. It needs the same
    ///   key.
    /// - Throws: `.failed(operation: .open)` with ENOENT or EEXIST, `.notAStore`, and disk errors.
    package static func make(of source: String, at path: String) throws(StoreError) {
        let source = try connect(source)
        let file = try CopyFile(path)
        do throws(StoreError) {
            // One step reads one state, which no write restarts.
            _ = try source.backup(to: try file.connect()).step(-1)
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    /// Reads the whole file: minutes for a large one.
    ///
    /// - Returns: SQLite's findings, one sentence each, at most 100; none for an intact file.
    /// - Throws: as `make`.
    package static func integrityReport(of path: String) throws(StoreError) -> [String] {
        let check = try connect(path).prepare("PRAGMA integrity_check(100)")
        let lines = try check.all([]) { $0.optionalText(0) ?? "" }
        return lines == ["ok"] ? [] : lines
    }

    private static func connect(_ path: String) throws(StoreError) -> SQLiteConnection {
        guard unsafe access(path, R_OK) == 0 else { throw StoreFile.failure(.open) }
        let connection = try SQLiteConnection(path: path, fileSystem: nil, isReadOnly: true)
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        // SQLite accepts an empty file.
        guard try connection.integer("PRAGMA user_version") > 0 else { throw .notAStore }
        return connection
    }
}
