internal import Platform
internal import Primitives

/// The writing half of a store. Jobs that wait during a transaction share the next one, and so one wait for the disk.
package final class StoreWriter {
    let connection: SQLiteConnection
    let sql: StatementCache
    let tenants: TenantTable
    let hot: HotStatements
    let tallies: TallyTable
    let traces: TraceIndex
    let deviceEntries: TraceIndex
    let apnsIDs: TraceIndex
    let receipts: TraceIndex
    let receiptRuns: ReceiptRunTable
    let parcels: ParcelTable
    let stamp: StoreStamp
    let vault: TokenVault
    let places: DevicePlaces
    let settings: StoreSettings
    var random = SystemRandom()
    /// Signals that the current transaction may write registrations.
    var touchesRegistry = false
    private let news: RegistryNews
    private let file: StoreFile
    private let health: Guarded<StoreHealth>
    private var sequence: EntrySequence
    private var writtenSequence: Int64
    /// Time of the last id, or of the opening; milliseconds since 1970.
    var clock: UInt64 = 0
    private var isBroken = false
    /// Set by `hold`: refuses writes until the restore is acknowledged.
    private var isRestored = false
    /// Step due on SQLite's log after the next transaction; nil for none.
    var logWish: LogWish?
    /// Result of the last `.empty` step.
    private(set) var isLogEmpty = false
    private var copy: SQLiteBackup?
    private var copyError: StoreError?
    /// Log length after the copy's last step.
    private var copiedFrameCount = 0
    private var place: FilePlace?
    private var isMoved = false

    /// The steps towards an empty log.
    enum LogWish {
        /// Keep read transactions on registrations short: a long one would keep the log.
        case lookBriefly
        /// Move the log into the file and truncate it.
        case empty
    }

    init(
        _ connection: SQLiteConnection,
        file: StoreFile,
        secrets: StoreSecrets,
        places: DevicePlaces,
        settings: StoreSettings,
        book: Guarded<TallyBook>,
        memories: TraceMemories,
        health: Guarded<StoreHealth>,
        news: RegistryNews,
        stamp: StoreStamp
    ) throws(StoreError) {
        self.connection = connection
        self.stamp = stamp
        self.news = news
        self.file = file
        self.settings = settings
        self.places = places
        self.health = health
        sql = StatementCache(connection)
        tenants = try TenantTable(connection)
        hot = try HotStatements(connection)
        tallies = try TallyTable(connection, tenants: tenants, book: book)
        traces = try TraceIndex(connection, by: .trace, memory: memories.traces)
        deviceEntries = try TraceIndex(connection, by: .device, memory: memories.deviceEntries)
        apnsIDs = try TraceIndex(connection, by: .apnsID, memory: memories.apnsIDs)
        receiptRuns = try ReceiptRunTable(connection, settings.receiptRuns)
        receipts = try TraceIndex(
            connection,
            by: .receipt,
            memory: memories.receipts,
            runs: receiptRuns,
            pairCountMax: settings.receiptRuns.pairCountMax
        )
        parcels = try ParcelTable(connection)
        vault = TokenVault(secrets)
        let last = try connection.prepare("SELECT value FROM meta WHERE name = 'sequence'").first([]) { $0.integer(0) }
        let newest = try connection.integer("SELECT max(id) FROM entry") >> 8
        var chance = SystemRandom()
        // Never reissues an entry's id, even if a row is damaged.
        sequence = EntrySequence(last: min(max(last ?? 0, newest, 0), 1 << 54), incarnation: chance.bytes(count: 1)[0])
        writtenSequence = last ?? -1
    }

    /// True when ids run ahead of a clock that was set back: they no longer say when entries were made.
    var isAheadOfClock: Bool { sequence.isAhead(milliseconds: clock) }

    func nextID(_ shard: Shard, milliseconds: UInt64) -> EntryID {
        clock = milliseconds
        return EntryID(sequence: sequence.next(milliseconds: milliseconds), shard: shard)
    }

    /// Takes the number from the entries' sequence, with random bits instead of the shard. Receivers know a hook by it,
    /// and a restored database must not give the same number to another hook.
    func nextHookID(milliseconds: UInt64) -> Int64 {
        clock = milliseconds
        return sequence.next(milliseconds: milliseconds) << 8 | Int64(random.bytes(count: 1)[0])
    }

    /// Runs jobs in one transaction, and completes each.
    ///
    /// If one of several jobs fails for a reason other than the disk, each is run again in its own transaction, so that
    /// it fails alone.
    func execute(_ jobs: [StoreJob<StoreWriter>]) {
        guard let error = write(jobs) else {
            for job in jobs { job.end(nil) }
            if logWish == .empty {
                isLogEmpty = connection.emptyLog()
                logWish = nil
            }
            stepCopy()
            // Runs after the jobs' completion. Its error needs no report: the next job meets it too, and the step stays
            // due.
            if receiptRuns.isStepDue { _ = write([ReceiptRunJob(weight: 0)]) }
            return
        }
        if jobs.count > 1, !error.isOfTheDisk {
            for job in jobs { job.end(write([job])) }
        } else {
            for job in jobs { job.end(error) }
        }
    }

    /// - Returns: the error if nothing was stored; nil once everything is on the disk.
    private func write(_ jobs: [StoreJob<StoreWriter>]) -> StoreError? {
        // Nothing written from here on could be trusted.
        if isBroken { return .broken }
        if isMoved { return .moved }
        if isRestored { return .restored }
        var logFrameCount: Int?
        defer {
            news.didWrite(hasChanges: touchesRegistry, logFrameCount: logWish == nil ? logFrameCount : nil)
            touchesRegistry = false
        }
        do throws(StoreError) {
            try hot.begin.runBound()
            let frameCountBefore = connection.logFrameCount
            for job in jobs { try job.run(self) }
            try tallies.write()
            try traces.write()
            try deviceEntries.write()
            try apnsIDs.write()
            try receipts.write()
            try parcels.write()
            try stamp.write()
            try writeSequence()
            try hot.commit.runBound()
            tallies.end(holds: true)
            traces.end(holds: true)
            deviceEntries.end(holds: true)
            apnsIDs.end(holds: true)
            receipts.end(holds: true)
            parcels.end(holds: true)
            stamp.end(holds: true)
            writtenSequence = sequence.last
            logFrameCount = connection.logFrameCount
            // Checked after the commit: acknowledged data was at its path when it reached the disk. This transaction
            // may be in the file after all, so the store refuses writes until it is reopened.
            guard place?.holds ?? true else {
                isMoved = true
                note(.moved)
                return .moved
            }
            // Only new work proves room for the next notification. An empty transaction does not, nor an outcome that
            // fitted on a full disk.
            if connection.logFrameCount != frameCountBefore, jobs.contains(where: \.isNewWork) { note(.writable) }
            return nil
        } catch {
            // SQLite has rolled back by itself after some errors. If a rollback fails, the next transaction fails too.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            tallies.end(holds: false)
            traces.end(holds: false)
            deviceEntries.end(holds: false)
            apnsIDs.end(holds: false)
            receipts.end(holds: false)
            parcels.end(holds: false)
            stamp.end(holds: false)
            tenants.forget()
            if error == .full { note(.full) }
            if error == .unwritable { note(.unwritable) }
            if error == .broken {
                isBroken = true
                note(.broken)
            }
            return error
        }
    }

    /// Runs a transaction without jobs.
    func alone(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try sql("BEGIN IMMEDIATE").run([])
        do throws(StoreError) {
            try body()
            try tallies.write()
            try stamp.write()
            try writeSequence()
            try sql("COMMIT").run([])
            tallies.end(holds: true)
            stamp.end(holds: true)
            writtenSequence = sequence.last
        } catch {
            // As in `write`. The caller that opens the store gets the error, and no store.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            tallies.end(holds: false)
            stamp.end(holds: false)
            throw error
        }
    }

    private func writeSequence() throws(StoreError) {
        guard sequence.last != writtenSequence else { return }
        try sql("INSERT OR REPLACE INTO meta (name, value) VALUES ('sequence', ?)").run([.integer(sequence.last)])
    }

    /// Makes the store recognise every earlier copy of itself as restored.
    package func renewStamp() { stamp.renew(random.bytes(count: StoreMark.stampByteCount)) }

    /// Begins a copy; one step of it follows each transaction.
    ///
    /// - Parameter file: an empty file.
    /// - Throws: `.failed(operation: .backup)` with EBUSY while another copy runs, and disk errors.
    func beginCopy(to file: CopyFile) throws(StoreError) {
        guard copy == nil else { throw .failed(operation: .backup, code: EBUSY) }
        copyError = nil
        copiedFrameCount = connection.logFrameCount
        copy = try connection.backup(to: try file.connect())
    }

    func endCopy() { copy = nil }

    /// - Returns: false once the copy has ended.
    /// - Throws: the error of a step.
    func isCopying() throws(StoreError) -> Bool {
        if let copyError { throw copyError }
        return copy != nil
    }

    /// Copies twice the pages written since the last step, so that the copy ends, plus a few milliseconds' worth.
    private func stepCopy() {
        guard let running = copy else { return }
        let writtenCount = max(0, connection.logFrameCount - copiedFrameCount)
        copiedFrameCount = connection.logFrameCount
        do throws(StoreError) {
            if try running.step(Self.copyPageCount + 2 * writtenCount) { copy = nil }
        } catch {
            copyError = error
            copy = nil
        }
    }

    /// 2 MiB in pages of 8,192 bytes.
    private static let copyPageCount = 256

    /// Refuses all further writes.
    func hold() {
        isRestored = true
        note(.restored)
    }

    /// From now on, checks that the files stay at their paths.
    func watchPlace() { place = FilePlace(file.path) }

    private func note(_ state: StoreHealth) { health.withLock { $0 = state } }
}

/// One step of merging receipt runs, in its own transaction.
private final class ReceiptRunJob: StoreJob<StoreWriter> {
    override func run(_ worker: StoreWriter) throws(StoreError) { try worker.receiptRuns.step() }
}

/// A store's ability to write.
package enum StoreHealth: Equatable, Sendable {
    case writable
    /// The last write found no space. Reads work; the next write tries again.
    case full
    /// The disk refused the last write. Reads work; the next write tries again.
    case unwritable
    /// Reads work. Writes need the store to be reopened.
    case broken
    /// The file was removed, renamed or replaced. It must be put back and the store reopened.
    case moved
    /// Reads work. The file was restored; writes need it reopened with `StoreSettings.restoredQueue`.
    case restored
}

extension StoreError {
    /// True for errors that another transaction with the same work would meet too.
    package var isOfTheDisk: Bool {
        switch self {
        case .full, .unwritable, .broken, .moved, .restored, .failed: true
        default: false
        }
    }
}
