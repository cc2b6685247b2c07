internal import Platform

extension SQLiteStore {
    /// Copies the store as it is now into a file of its own, while everything else goes on. The copy needs the same key.
    ///
    /// - Parameter path: a file that is not there yet; it appears whole or not at all.
    /// - Throws: `.failed(operation: .open)` with EEXIST, and what a disk does.
    package func backup(to path: String) async throws(StoreError) {
        let thread = try StoreThread(
            weightMax: .max,
            open: { [file, settings] () throws(StoreError) in Backup(source: try Self.connect(file, settings)) },
            execute: { backup, jobs in
                for job in jobs {
                    do throws(StoreError) {
                        try job.run(backup)
                        job.end(nil)
                    } catch {
                        job.end(error)
                    }
                }
            }
        )
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            try await thread.perform { backup throws(StoreError) in try backup.run(path) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await thread.close()
        try result.get()
    }

    /// Reads the whole file: minutes for a large one, on the thread that reads.
    ///
    /// - Returns: what SQLite finds wrong with it, a sentence each, at most 100; none for a file that is right.
    package func integrityReport() async throws(StoreError) -> [String] {
        try await reader.perform { reader throws(StoreError) in
            let lines = try reader.sql("PRAGMA integrity_check(100)").all([]) { $0.optionalText(0) ?? "" }
            return lines == ["ok"] ? try reader.unlistedReport() : lines
        }
    }
}

extension StoreReader {
    /// What SQLite does not know: whether what waits, and what is dead, is listed as that, and nothing else is.
    fileprivate func unlistedReport() throws(StoreError) -> [String] {
        let counts =
            try sql(
                """
                SELECT (SELECT count(*) FROM entry WHERE (state IN (0, 2)) <> (id IN (SELECT entry FROM waiting))),
                    (SELECT count(*) FROM waiting WHERE entry NOT IN (SELECT id FROM entry)),
                    (SELECT count(*) FROM dead WHERE entry NOT IN (SELECT id FROM entry)),
                    (SELECT count(*) FROM entry WHERE (state = 5) <>
                        EXISTS (SELECT 1 FROM dead WHERE dead.tenant = entry.tenant AND dead.entry = entry.id))
                """
            ).first([]) { row in (0..<4).map { row.integer($0) } } ?? []
        let subjects = [
            "entries are not listed as waiting, or are and do not wait", "that wait are no entries",
            "that are dead are no entries", "entries are not listed as dead, or are and are not dead",
        ]
        return zip(counts, subjects).compactMap { $0 > 0 ? "\($0) \($1)" : nil }
    }
}

/// Copies one file of SQLite into another.
final class Backup {
    private let source: SQLiteConnection

    init(source: SQLiteConnection) { self.source = source }

    func run(_ path: String) throws(StoreError) {
        if unsafe access(path, F_OK) == 0 { throw .failed(operation: .open, code: EEXIST) }
        let part = path + ".part"
        unsafe unlink(part)
        close(try StoreFile.open(part, O_CREAT | O_EXCL))
        do throws(StoreError) {
            let target = try SQLiteConnection(path: part, fileSystem: nil)
            try source.copy(to: target)
            // Whoever opens it finds that it is a copy, wherever that is.
            try target.execute(
                "INSERT OR REPLACE INTO meta (name, value) VALUES ('restored', \(RestoreCause.backup.rawValue))"
            )
        } catch {
            unsafe unlink(part)
            throw error
        }
        // A name that is there by now is not overwritten.
        guard unsafe link(part, path) == 0 else {
            let failure = StoreFile.failure(.backup)
            unsafe unlink(part)
            throw failure
        }
        unsafe unlink(part)
        try StoreFile.syncFolder(of: path)
    }
}

extension SQLiteStore: StoreUpkeep {
    package func renewStamp() async throws(StoreError) {
        try await writer.perform { writer throws(StoreError) in writer.renewStamp() }
    }

    package func emptyLog() async throws(StoreError) -> Bool {
        try await writer.perform { writer throws(StoreError) in writer.logWish = .lookBriefly }
        // The look that lasts has ended then, and each of those that begin meanwhile ends by itself.
        try await reader.perform { reader throws(StoreError) in reader.registry.letGo() }
        try await writer.perform { writer throws(StoreError) in writer.logWish = .empty }
        return try await writer.perform { writer throws(StoreError) in writer.isLogEmpty }
    }
}

extension SQLiteStore {
    /// Whether both threads do what they are asked. Returns only when they have answered; a disk that hangs never lets it.
    ///
    /// - Returns: false when the store is closed, or has to be opened anew.
    package func isAnswering() async -> Bool {
        do throws(StoreError) {
            try await reader.perform { _ throws(StoreError) in }
            switch health {
            case .broken: return false
            // An empty transaction would succeed on a full disk, and say that there is room again. Opening it anew would
            // help neither.
            case .full, .unwritable: return true
            // A start without the file would begin an empty one: that is for whoever puts it back.
            case .moved: return true
            // The next start would find the same.
            case .restored: return true
            case .writable: try await writer.perform { _ throws(StoreError) in }
            }
            return true
        } catch {
            // It may be this that finds out.
            return error == .moved
        }
    }
}
