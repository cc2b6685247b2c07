package import Envelope
internal import Platform
internal import Primitives

/// Relay's data in a SQLite file, with a writing and a reading thread.
///
///     let hooks = try await read { reader throws(StoreError) in try reader.hookCounts() }
///     try await write { writer throws(StoreError) in try writer.finishHooks(outcomes) }
package final class SQLiteStore: Sendable {
    package let openingReport: OpeningReport
    private let writer: StoreThread<StoreWriter>
    private let reader: StoreThread<StoreReader>
    let tallies: Guarded<TallySnapshot>
    let leases = Guarded(EntryLeases())
    let turns = Guarded(0)
    let listeners: Guarded<QueueListeners>
    /// For each lane, the tenant served last.
    let lastTenants = Guarded<[Lane: Int64]>([:])
    /// The last entries of purges that ended at their limit.
    let purgePositions = Guarded<[ShardSet: Int64]>([:])
    let settings: StoreSettings
    let file: StoreFile
    /// Log length at checkpoints: 32 MiB of pages of 8,192 bytes. SQLite's 1,000 pages mean more waits for the disk.
    static let checkpointFrameCount = 4_096
    private let isClosing = Guarded(false)
    private let healthBox: Guarded<StoreHealth>

    /// Opens or creates a store. Blocks on the disk: not for an event loop's thread.
    ///
    /// - Throws: `.inUse`, `.otherName`, `.wrongKey`, `.newerFile`, `.notAStore`, `.damaged`, and disk errors.
    package init(
        path: String,
        key: borrowing StoreKey,
        settings: StoreSettings = StoreSettings(),
        now: Timestamp
    ) throws(StoreError) {
        let file = try StoreFile(path: path)
        let secrets = StoreSecrets(key)
        let tallies = Guarded(TallySnapshot())
        let memories = TraceMemories()
        let health = Guarded(StoreHealth.writable)
        let news = RegistryNews()
        let listeners = Guarded(QueueListeners())
        let report = Guarded<OpeningReport?>(nil)
        let clock = CallClock(
            now: settings.callClock,
            milliseconds: Int64(clamping: Int(settings.callTime / .milliseconds(1)))
        )
        do throws(StoreError) {
            writer = try StoreThread(
                weightMax: settings.waitingMax,
                clock: clock,
                gathers: true,
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
                        snapshot: tallies,
                        memories: memories,
                        health: health,
                        news: news,
                        stamp: try StoreStamp(connection, file: file, isRestored: cause != nil),
                        listeners: listeners
                    )
                    let (leases, interruptedCount) = try writer.start(cause, now: now)
                    let waitingCount = writer.tallies.count(.queued) + writer.tallies.count(.parked)
                    var uncertainFallbacks: [OutboxEntry] = []
                    try writer.alone { () throws(StoreError) in
                        try writer.recoverHooks(of: .all, now: now)
                        uncertainFallbacks = try writer.recoverFallbacks(of: .all, now: now)
                    }
                    if cause != nil { try writer.settleRestore(settings.restoredQueue, now: now) }
                    connection.watchWork(nil)
                    let found = OpeningReport(
                        versionBefore: versionBefore,
                        version: Schema.steps.count,
                        interruptedCount: interruptedCount,
                        uncertainFallbacks: uncertainFallbacks,
                        restoreCause: cause,
                        waitingCount: waitingCount,
                        leases: leases
                    )
                    report.withLock { $0 = found }
                    writer.watchPlace()
                    return writer
                },
                execute: { writer, jobs in writer.execute(jobs) }
            )
            reader = try StoreThread(
                weightMax: .max,
                clock: clock,
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
            // The failed thread no longer uses the file; it may hold the lock for a moment.
            file.release()
            throw error
        }
        news.listen { [weak reader] in
            reader?.submit({ reader throws(StoreError) in reader.registry.letGo() }, completion: { _ in })
        }
        guard let found = report.withLock({ $0 }) else { throw .closed }
        openingReport = found
        self.tallies = tallies
        self.listeners = listeners
        self.settings = settings
        self.file = file
        healthBox = health
    }

    // MARK: Reading and writing

    /// Reads committed data without waiting for the writer.
    ///
    /// - Throws: `.closed`, and errors of `body`.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await awaited { read(body, completion: $0) }
    }

    @discardableResult
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value,
        completion: @escaping StoreCompletion<Value>
    ) -> StoreCall {
        reader.submit(body, completion: completion)
    }

    /// Writes in a transaction shared with waiting writes. On return it is on the disk.
    ///
    /// - Parameters:
    ///   - weight: its share of `StoreSettings.waitingMax`.
    ///   - canBeRefused: false for ending work in progress, which bounds it.
    ///   - body: runs again if another job failed and rolled it back.
    /// - Throws: `.full`, `.overloaded`, `.timedOut`, `.uncertain`, `.closed`, disk errors, and errors of `body`.
    package func write<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await awaited { write(weight: weight, canBeRefused: canBeRefused, body, completion: $0) }
    }

    /// - Parameter late: undoes what the call did after its time was over.
    @discardableResult
    package func write<Value: Sendable>(
        weight: Int = 1,
        canBeRefused: Bool = false,
        _ body: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value,
        late: (@Sendable (Value) -> Void)? = nil,
        completion: @escaping StoreCompletion<Value>
    ) -> StoreCall {
        if let error = settings.refusal?() {
            completion(.failure(error))
            return .ended
        }
        return writer.submit(weight: weight, canBeRefused: canBeRefused, body, late: late, completion: completion)
    }

    package func endOverdue() {
        writer.endOverdue(begun: .uncertain)
        reader.endOverdue(begun: .timedOut)
    }

    package var health: StoreHealth { healthBox.withLock { $0 } }

    package func close() async {
        let isFirst = isClosing.withLock { isClosing in
            defer { isClosing = true }
            return !isClosing
        }
        guard isFirst else { return }
        // Outdates earlier copies; on a full disk the old stamp stays.
        try? await renewStamp()
        await reader.close()
        await writer.close()
        // Only spares the next opening a search for the log.
        if unsafe access(file.path + "-wal", F_OK) != 0 { try? file.noteClosed() }
        file.release()
    }

    static func connect(_ file: StoreFile, _ settings: StoreSettings) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: file.path, fileSystem: settings.fileSystem)
        // After disk damage, pages and schema are untrusted.
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        // New files only: half the writes of 4,096 for rows of a kilobyte.
        try connection.execute("PRAGMA page_size = 8192")
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(settings.synchronous.rawValue)")
        try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; PRAGMA secure_delete = ON")
        // Only the writer checkpoints.
        try connection.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864")
        return connection
    }

    /// Needs a migrated file.
    private static func places(
        _ connection: SQLiteConnection,
        _ settings: StoreSettings
    ) throws(StoreError) -> DeviceSlots {
        if let hash = settings.deviceHash { return DeviceSlots(hash: hash) }
        guard let places = try DeviceSlots(connection) else { throw .damaged }
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

/// Checks of a file's key and identity.
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

    /// - Returns: nil for the complete file that was last open here.
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
    /// Takes all shards over, before the first job: the file's lock shows that no other relay lives. Then settles what
    /// the previous process had in flight.
    ///
    /// - Returns: number of interrupted entries.
    func start(_ cause: RestoreCause?, now: Timestamp) throws(StoreError) -> (ShardLeases, interruptedCount: Int) {
        clock = now.milliseconds
        let relay = RelayID(bytes: random.bytes(count: RelayID.byteCount))
        var leases = ShardLeases(relay: relay)
        try alone { () throws(StoreError) in
            if let cause {
                try self.sql("INSERT OR REPLACE INTO meta (name, value) VALUES ('restored', ?)").run([
                    .integer(cause.rawValue)
                ])
            }
            self.renewStamp()
            leases = try self.shards.acquire(.all, for: relay, until: .max, now: 0, isAlone: true)
        }
        var isUnpacked = false
        while !isUnpacked {
            try alone { () throws(StoreError) in isUnpacked = try self.unpackParcels(limit: 16) }
        }
        // The tallies bound the search; each change is a transaction.
        let expected = tallies.count(.sending)
        var count = 0
        var last: Int64? = .max
        while count < expected, let before = last {
            let limit = min(1_000, expected - count)
            try alone { () throws(StoreError) in
                let step = try self.recoverInterrupted(of: .all, below: before, limit: limit, now: now)
                count += step.recoveredCount
                last = step.lastID
            }
        }
        return (leases, count)
    }
}
