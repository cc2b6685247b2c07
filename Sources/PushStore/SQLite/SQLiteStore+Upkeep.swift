internal import Platform

extension SQLiteStore {
    /// Copies the store into a file of its own, while everything else goes on. The copy is of the moment of its end, and needs the
    /// same key. A step of it follows each transaction, and SQLite's log is held by none.
    ///
    /// - Parameter path: a file that is not there yet; it appears whole or not at all.
    /// - Throws: `.failed(operation: .open)` with EEXIST, `.failed(operation: .backup)` with EBUSY while another is made, and what a
    ///   disk does.
    package func backup(to path: String) async throws(StoreError) {
        // What waits for the copy's disk does it on a thread of its own.
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
            // A store that is closed makes no copy any more.
            try? await write { writer throws(StoreError) in writer.endCopy() }
            // A name that is left is overwritten by the next one.
            try? await files.perform { file throws(StoreError) in file.abandon() }
            result = .failure(error)
        }
        await files.close()
        try result.get()
    }

    /// Steps of a copy before the system has to write it down: some 64 MiB.
    private static let syncStepCount = 32

    /// Reads the whole file: minutes for a large one, on the thread that reads.
    ///
    /// - Returns: what SQLite finds wrong with it, a sentence each, at most 100; none for a file that is right.
    package func integrityReport() async throws(StoreError) -> [String] {
        try await read { reader throws(StoreError) in
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

extension SQLiteStore {
    /// Takes out of the log what was deleted before the call.
    ///
    /// - Returns: false while another process reads by it: it is to be asked again.
    /// - Throws: what a disk does.
    package func emptyLog() async throws(StoreError) -> Bool {
        try await write { writer throws(StoreError) in writer.logWish = .lookBriefly }
        // The look that lasts has ended then, and each of those that begin meanwhile ends by itself.
        try await read { reader throws(StoreError) in reader.registry.letGo() }
        try await write { writer throws(StoreError) in writer.logWish = .empty }
        return try await write { writer throws(StoreError) in writer.isLogEmpty }
    }

    /// Whether both threads do what they are asked. Returns only when they have answered; a disk that hangs never lets it.
    ///
    /// - Returns: false when the store is closed, or has to be opened anew.
    package func isAnswering() async -> Bool {
        do throws(StoreError) {
            try await read { _ throws(StoreError) in }
            switch health {
            case .broken: return false
            // Opening it anew would help neither.
            case .full, .unwritable: return true
            // A start without the file would begin an empty one: that is for whoever puts it back.
            case .moved: return true
            // The next start would find the same.
            case .restored: return true
            case .writable: try await write { _ throws(StoreError) in }
            }
            return true
        } catch {
            // It may be this that finds out.
            return error == .moved
        }
    }

    /// Writes as much as a few notifications, and reads it: `health` then says what they would meet.
    ///
    /// - Parameter byteCount: of what is written, 0 ... 65,536.
    /// - Throws: what a notification would end with.
    package func probe(byteCount: Int) async throws(StoreError) {
        let bytes = [UInt8](repeating: 0x50, count: byteCount)
        try await write(canBeRefused: true) { writer throws(StoreError) in
            try writer.setNote(Self.probeName, to: bytes)
        }
        _ = try await read { reader throws(StoreError) in try reader.note(Self.probeName) }
    }

    private static let probeName = "probe"

    /// Whether it takes nothing more until it is opened anew, and can be: both of its files are at their places. In the place of
    /// one that was taken away, a start would make an empty one.
    package var needsOpening: Bool {
        switch health {
        case .broken: true
        case .moved: unsafe access(file.path, F_OK) == 0 && access(file.path + "-wal", F_OK) == 0
        case .writable, .full, .unwritable, .restored: false
        }
    }
}
