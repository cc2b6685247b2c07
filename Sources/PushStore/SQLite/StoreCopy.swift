internal import Platform

/// What can be done with a store's file from outside, while a service has it open or not.
///
/// SQLite's own locks and its shared index of the log keep another process's read whole beside the writer; the connection is
/// read-only, so that it neither moves the log into the file nor removes it, and the next opening finds what it expects.
///
/// - Source: https://sqlite.org/wal.html, sections 2.2 (concurrency), 5 (read-only databases) and 4 (the log's end).
package enum StoreCopy {
    /// Copies the store as it is at one moment. Waits for the disk. A service that begins to write meanwhile cannot move its log
    /// into the file before the end: one that runs is asked instead (`SQLiteStore.backup`).
    ///
    /// - Parameters:
    ///   - source: the database's file.
    ///   - path: a file that is not there yet; it appears whole or not at all, of mode 0600. It needs the same key.
    /// - Throws: `.failed(operation: .open)` with ENOENT or EEXIST, `.notAStore`, and what a disk does.
    package static func make(of source: String, at path: String) throws(StoreError) {
        let source = try connect(source)
        let file = try CopyFile(path)
        do throws(StoreError) {
            // One state of the file, which no other connection's write begins anew.
            _ = try source.backup(to: try file.connect()).step(-1)
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    /// Reads the whole file: minutes for a large one.
    ///
    /// - Parameter path: the database's file.
    /// - Returns: what SQLite finds wrong with it, a sentence each, at most 100; none for a file that is right.
    /// - Throws: as above.
    package static func integrityReport(of path: String) throws(StoreError) -> [String] {
        let check = try connect(path).prepare("PRAGMA integrity_check(100)")
        let lines = try check.all([]) { $0.optionalText(0) ?? "" }
        return lines == ["ok"] ? [] : lines
    }

    private static func connect(_ path: String) throws(StoreError) -> SQLiteConnection {
        guard unsafe access(path, R_OK) == 0 else { throw StoreFile.failure(.open) }
        let connection = try SQLiteConnection(path: path, fileSystem: nil, isReadOnly: true)
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        // An empty file is a database to SQLite, and none of ours.
        guard try connection.integer("PRAGMA user_version") > 0 else { throw .notAStore }
        return connection
    }
}
