internal import Platform

/// Offline access to a store's file, with or without a running service.
///
/// SQLite's locks and shared log index keep reads consistent. The connection is read-only: it neither moves nor removes
/// the log, as the next opening expects.
///
/// - Source: https://sqlite.org/wal.html, sections 2.2 (concurrency), 5 (read-only databases) and 4 (the log's end).
package enum StoreCopy {
    /// Copies the store as of one moment, under the same key. Blocks on the disk, and keeps a running service from
    /// checkpointing: there use `SQLiteStore.backup`.
    ///
    /// - Parameter path: new file of mode 0600, which appears whole or not at all.
    /// - Throws: `.failed(operation: .open)` with ENOENT or EEXIST, `.notAStore`, and disk errors.
    package static func make(of source: String, at path: String) throws(StoreError) {
        let source = try connect(source)
        let file = try CopyFile(path)
        do throws(StoreError) {
            // One step reads one state; no write restarts it.
            _ = try source.backup(to: try file.connect()).step(-1)
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    /// Reads the whole file: minutes for a large one.
    ///
    /// - Returns: SQLite's findings, at most 100 sentences; none for an intact file.
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
