internal import Platform

extension SQLiteStore {
    /// Copies the store, as of the copy's end, under the same key. Work continues: each transaction advances it, and it
    /// holds no log.
    ///
    /// - Parameter path: new file; it appears whole or not at all.
    /// - Throws: `.failed(operation: .open)` with EEXIST, `.failed(operation: .backup)` with EBUSY while another copy
    ///   runs, and disk errors.
    package func backup(to path: String) async throws(StoreError) {
        // A thread for waits on the copy's disk.
        let files = try StoreThread(
            weightMax: .max,
            open: { () throws(StoreError) in try CopyFile(path) },
            execute: { file, jobs in
                for job in jobs {
                    do throws(StoreError) {
                        try job.run(file)
                        job.end(nil)
                    } catch {
                        job.end(error)
                    }
                }
            }
        )
        let result: Result<Void, StoreError>
        do throws(StoreError) {
            let file = try await files.perform { file throws(StoreError) in file }
            try await write { writer throws(StoreError) in try writer.beginCopy(to: file) }
            var stepCount = 0
            while try await write({ writer throws(StoreError) in try writer.isCopying() }) {
                stepCount += 1
                guard stepCount.isMultiple(of: Self.syncStepCount) else { continue }
                try await files.perform { file throws(StoreError) in try file.sync() }
            }
            try await files.perform { file throws(StoreError) in try file.finish() }
            result = .success(())
        } catch {
            // A closed store has no copy.
            try? await write { writer throws(StoreError) in writer.endCopy() }
            // The next copy overwrites a leftover.
            try? await files.perform { file throws(StoreError) in file.abandon() }
            result = .failure(error)
        }
        await files.close()
        try result.get()
    }

    /// Copy steps between syncs: about 64 MiB.
    private static let syncStepCount = 32

    /// Reads the whole file on the reading thread: minutes for a large one.
    ///
    /// - Returns: SQLite's findings, at most 100 sentences; none for an intact file.
    package func integrityReport() async throws(StoreError) -> [String] {
        try await read { reader throws(StoreError) in
            let lines = try reader.sql("PRAGMA integrity_check(100)").all([]) { $0.optionalText(0) ?? "" }
            return lines == ["ok"] ? try reader.unlistedReport() : lines
        }
    }
}

extension StoreReader {
    /// Checks the waiting and dead lists, which SQLite cannot.
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

extension SQLiteStore {
    package func renewStamp() async throws(StoreError) {
        try await write { writer throws(StoreError) in writer.renewStamp() }
    }

    package func emptyLog() async throws(StoreError) -> Bool {
        try await write { writer throws(StoreError) in writer.logWish = .lookBriefly }
        // Snapshots have ended by now, and later ones are short.
        try await read { reader throws(StoreError) in reader.registry.letGo() }
        try await write { writer throws(StoreError) in writer.logWish = .empty }
        return try await write { writer throws(StoreError) in writer.isLogEmpty }
    }

    package func isAnswering() async -> Bool {
        do throws(StoreError) {
            try await read { _ throws(StoreError) in }
            switch health {
            case .broken: return false
            // Reopening would help neither.
            case .full, .unwritable: return true
            // A restart would create an empty file; an operator has to put this one back.
            case .moved: return true
            // A restart would find the same.
            case .restored: return true
            case .writable: try await write { _ throws(StoreError) in }
            }
            return true
        } catch {
            // This write may discover it.
            return health == .moved
        }
    }

    package func probe(byteCount: Int) async throws(StoreError) {
        let bytes = [UInt8](repeating: 0x50, count: byteCount)
        try await write(canBeRefused: true) { writer throws(StoreError) in
            try writer.setNote(Self.probeName, to: bytes)
        }
        _ = try await read { reader throws(StoreError) in try reader.note(Self.probeName) }
    }

    private static let probeName = "probe"

    package var needsOpening: Bool {
        switch health {
        case .broken: true
        case .moved: unsafe access(file.path, F_OK) == 0 && access(file.path + "-wal", F_OK) == 0
        case .writable, .full, .unwritable, .restored: false
        }
    }
}
