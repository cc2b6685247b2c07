package import Envelope
internal import Platform
internal import Primitives

/// All that the service keeps, in one file of SQLite: a thread that writes, and one that reads.
///
///     let hooks = try await store.read { reader throws(StoreError) in try reader.hookCounts() }
///     try await store.write { writer throws(StoreError) in try writer.finishHooks(outcomes) }
package final class SQLiteStore: Sendable {
    package let openingReport: OpeningReport
    private let writer: StoreThread<StoreWriter>
    private let reader: StoreThread<StoreReader>
    let tallies: Guarded<TallyBook>
    let leases = Guarded(LeaseBook())
    let turns = Guarded(0)
    /// Of each lane, the tenant that the last place of a look at the queue went to.
    let lastTenants = Guarded<[Lane: Int64]>([:])
    /// Up to which entry the purge before came that had to end at its limit; 0 for none.
    let purgePosition = Guarded<Int64>(0)
    let settings: StoreSettings
    let file: StoreFile
    /// So much log (32 MiB of pages of 8,192 bytes) before it is moved into the file, instead of 1,000: fewer waits for the disk.
    static let checkpointFrameCount = 4_096
    private let isClosing = Guarded(false)
    private let healthBox: Guarded<StoreHealth>

    /// Opens a store, or makes one. Waits for the disk: not for the thread of an event loop.
    ///
    /// - Parameters:
    ///   - path: The database's file.
    ///   - key: The one that it was made with.
    ///   - settings: How it keeps things.
    ///   - now: The time, for what was interrupted.
    /// - Throws: `.inUse`, `.otherName`, `.wrongKey`, `.newerFile`, `.notAStore`, `.damaged`, and what a disk does.
    package init(
        path: String,
        key: borrowing StoreKey,
        settings: StoreSettings = StoreSettings(),
        now: Timestamp
    ) throws(StoreError) {
        let file = try StoreFile(path: path)
        let secrets = StoreSecrets(key)
        let tallies = Guarded(TallyBook())
        let memories = TraceMemories()
        let health = Guarded(StoreHealth.writable)
        let news = RegistryNews()
        let report = Guarded<OpeningReport?>(nil)
        do throws(StoreError) {
            writer = try StoreThread(
                weightMax: settings.waitingMax,
                open: { () throws(StoreError) in
                    let connection = try Self.connect(file, settings)
                    connection.watchLog(checkpointFrameCount: Self.checkpointFrameCount)
                    if let say = settings.whileOpening { connection.watchWork { say(.working) } }
                    let versionBefore = try Migration.run(
                        connection,
                        hash: settings.deviceHash,
                        whileOpening: settings.whileOpening
                    )
                    try StoreIdentity.check(connection, secrets)
                    let cause = try StoreIdentity.restoreCause(connection, file)
                    let writer = try StoreWriter(
                        connection,
                        file: file,
                        secrets: secrets,
                        places: try Self.places(connection, settings),
                        settings: settings,
                        book: tallies,
                        memories: memories,
                        health: health,
                        news: news,
                        stamp: try StoreStamp(connection, file: file, isRestored: cause != nil)
                    )
                    let interruptedCount = try writer.start(cause, now: now)
                    let waitingCount = writer.tallies.count(.queued) + writer.tallies.count(.parked)
                    var uncertainFallbacks: [OutboxEntry] = []
                    try writer.alone { () throws(StoreError) in
                        uncertainFallbacks = try writer.recoverFallbacks(now: now)
                    }
                    if cause != nil { try writer.settleRestore(settings.restoredQueue, now: now) }
                    connection.watchWork(nil)
                    let found = OpeningReport(
                        versionBefore: versionBefore,
                        version: Schema.steps.count,
                        interruptedCount: interruptedCount,
                        uncertainFallbacks: uncertainFallbacks,
                        restoreCause: cause,
                        waitingCount: waitingCount
                    )
                    report.withLock { $0 = found }
                    writer.watchPlace()
                    return writer
                },
                execute: { writer, jobs in writer.execute(jobs) }
            )
            reader = try StoreThread(
                weightMax: .max,
                open: { () throws(StoreError) in
                    let connection = try Self.connectReader(file, settings)
                    return try StoreReader(
                        connection,
                        registry: try RegistryView(try Self.connectReader(file, settings), news: news),
                        places: try Self.places(connection, settings),
                        file: file,
                        secrets: secrets,
                        memories: memories
                    )
                },
                execute: { reader, jobs in
                    for job in jobs {
                        do throws(StoreError) {
                            try job.run(reader)
                            job.end(nil)
                        } catch {
                            job.end(error)
                        }
                    }
                }
            )
        } catch {
            // What failed has let go of the file; its thread may still hold the lock for a moment.
            file.release()
            throw error
        }
        news.listen { [weak reader] in
            reader?.submit({ reader throws(StoreError) in reader.registry.letGo() }, completion: { _ in })
        }
        guard let found = report.withLock({ $0 }) else { throw .closed }
        openingReport = found
        self.tallies = tallies
        self.settings = settings
        self.file = file
        healthBox = health
    }

    // MARK: Reading and writing

    /// Reads on the thread for that: what is on the disk, without a wait for the writer.
    ///
    /// - Parameter body: run on the thread.
    /// - Returns: what `body` returns.
    /// - Throws: `.closed`, and what `body` throws.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await awaited { read(body, completion: $0) }
    }

    /// The same with a callback.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value,
        completion: @escaping StoreCompletion<Value>
    ) {
        reader.submit(body, completion: completion)
    }

    /// Writes in a transaction, which others that wait share. On return it is on the disk.
    ///
    /// - Parameters:
    ///   - weight: how much of the queue it takes.
    ///   - canBeRefused: false for what ends work that was begun: it is bounded by that.
    ///   - body: may run twice, where something that was written with it failed; what it did first is undone then.
    /// - Returns: what `body` returns.
    /// - Throws: `.full`, `.overloaded`, `.closed`, what a disk does, and what `body` throws.
    package func write<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await awaited { write(weight: weight, canBeRefused: canBeRefused, body, completion: $0) }
    }

    /// The same with a callback.
    package func write<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value,
        completion: @escaping StoreCompletion<Value>
    ) {
        if let error = settings.refusal?() { return completion(.failure(error)) }
        writer.submit(weight: weight, canBeRefused: canBeRefused, body, completion: completion)
    }

    /// Whether it takes anything now.
    package var health: StoreHealth { healthBox.withLock { $0 } }

    /// Does what waits, moves SQLite's log into the file and gives the store back. Later calls throw `.closed`.
    package func close() async {
        let isFirst = isClosing.withLock { isClosing in
            defer { isClosing = true }
            return !isClosing
        }
        guard isFirst else { return }
        // A copy that was made since the last stamp keeps that one where the disk takes no other.
        try? await write { writer throws(StoreError) in writer.renewStamp() }
        await reader.close()
        await writer.close()
        // It only tells the next opening that nothing is missing: without it, that one looks for the log.
        if unsafe access(file.path + "-wal", F_OK) != 0 { try? file.noteClosed() }
        file.release()
    }

    static func connect(_ file: StoreFile, _ settings: StoreSettings) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: file.path, fileSystem: settings.fileSystem)
        // Pages, and texts of their schema, are strangers' after a disk has damaged them.
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        // Of a new file only: half as many writes for rows of a kilobyte as with 4,096.
        try connection.execute("PRAGMA page_size = 8192")
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(settings.synchronous.rawValue)")
        try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; PRAGMA secure_delete = ON")
        // Only the one that writes moves the log into the file.
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864")
        return connection
    }

    /// Of a file that was brought forward.
    private static func places(
        _ connection: SQLiteConnection,
        _ settings: StoreSettings
    ) throws(StoreError) -> DevicePlaces {
        if let hash = settings.deviceHash { return DevicePlaces(hash: hash) }
        guard let places = try DevicePlaces(connection) else { throw .damaged }
        return places
    }

    private static func connectReader(_ file: StoreFile, _ settings: StoreSettings) throws(StoreError)
        -> SQLiteConnection
    {
        let connection = try connect(file, settings)
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }
}

/// Which key a file was made with, and whether it is the one that was open here last.
enum StoreIdentity {
    /// - Throws: `.wrongKey`.
    static func check(_ connection: SQLiteConnection, _ secrets: StoreSecrets) throws(StoreError) {
        let select = try connection.prepare("SELECT value FROM meta WHERE name = 'key'")
        let check = secrets.tag(.check, [])
        if let known = try select.first([], { $0.bytes(0) }) {
            guard known == check else { throw .wrongKey }
        } else {
            try connection.prepare("INSERT INTO meta (name, value) VALUES ('key', ?)").run([.bytes(check)])
        }
    }

    /// - Returns: nil for the file that was open here last, with all that was in it.
    static func restoreCause(_ connection: SQLiteConnection, _ file: StoreFile) throws(StoreError) -> RestoreCause? {
        let written = try connection.prepare("SELECT value FROM meta WHERE name = 'restored'").first([]) {
            RestoreCause(rawValue: $0.integer(0)) ?? .otherFile
        }
        if let written { return written }
        guard file.mark.stamps.contains(try StoreStamp.read(connection)) else { return .otherFile }
        return file.isLogMissing ? .logMissing : nil
    }
}

extension StoreWriter {
    /// Before the first job: what the process before left on its way is queued again.
    ///
    /// - Parameters:
    ///   - cause: why the file counts as restored; nil where it does not.
    ///   - now: the time.
    /// - Returns: how many that were.
    /// - Throws: what a disk does.
    func start(_ cause: RestoreCause?, now: Timestamp) throws(StoreError) -> Int {
        clock = now.milliseconds
        try alone { () throws(StoreError) in
            if let cause {
                try self.sql("INSERT OR REPLACE INTO meta (name, value) VALUES ('restored', ?)").run([
                    .integer(cause.rawValue)
                ])
            }
            self.renewStamp()
        }
        var isUnpacked = false
        while !isUnpacked {
            try alone { () throws(StoreError) in isUnpacked = try self.unpackParcels(limit: 16) }
        }
        // As many as were counted, with each change in its own transaction; the rest of the file is not looked at.
        let expected = tallies.count(.sending)
        var count = 0
        var last = Int64.max
        while count < expected {
            var found: [Int64] = []
            let limit = min(1_000, expected - count)
            try alone { [last] () throws(StoreError) in
                found = try self.recoverInterrupted(below: last, limit: limit, now: now)
            }
            guard let lowest = found.last else { break }
            count += found.count
            last = lowest
        }
        return count
    }
}
