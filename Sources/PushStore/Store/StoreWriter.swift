internal import Platform
internal import Primitives

/// Writing half of a store. Jobs that arrive during a transaction share the next one, and its wait for the disk.
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
    let shards: ShardTable
    let stamp: StoreStamp
    let vault: TokenVault
    let places: DeviceSlots
    let settings: StoreSettings
    var random = SystemRandom()
    var hints = QueueHints()
    private let listeners: Guarded<QueueListeners>
    var touchesRegistry = false
    private let news: RegistryNews
    private let file: StoreFile
    private let health: Guarded<StoreHealth>
    private var sequence: EntrySequence
    private var writtenSequence: Int64
    /// No number above it is given out before it is raised in `file`.
    private var numbersEnd = Int64.min
    /// Milliseconds since 1970, at the last id or the opening.
    var clock: UInt64 = 0
    private var isBroken = false
    /// True until a restore is acknowledged.
    private var isRestored = false
    /// Log's next step, after the next transaction.
    var logWish: LogWish?
    private(set) var isLogEmpty = false
    private var copy: SQLiteBackup?
    private var copyError: StoreError?
    private var copiedFrameCount = 0
    private var place: FileLocation?
    private var isMoved = false

    enum LogWish {
        /// Snapshots of registrations keep the log.
        case lookBriefly
        /// Truncate it.
        case empty
    }

    init(
        _ connection: SQLiteConnection,
        file: StoreFile,
        secrets: StoreSecrets,
        places: DeviceSlots,
        settings: StoreSettings,
        snapshot: Guarded<TallySnapshot>,
        memories: TraceMemories,
        health: Guarded<StoreHealth>,
        news: RegistryNews,
        stamp: StoreStamp,
        listeners: Guarded<QueueListeners>
    ) throws(StoreError) {
        self.connection = connection
        self.stamp = stamp
        self.listeners = listeners
        self.news = news
        self.file = file
        self.settings = settings
        self.places = places
        self.health = health
        sql = StatementCache(connection)
        tenants = try TenantTable(connection)
        hot = try HotStatements(connection)
        tallies = try TallyTable(connection, tenants: tenants, snapshot: snapshot)
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
        shards = try ShardTable(connection)
        vault = TokenVault(secrets)
        let last = try connection.prepare("SELECT value FROM meta WHERE name = 'sequence'").first([]) { $0.integer(0) }
        let newest = try connection.integer("SELECT max(id) FROM entry") >> 8
        var chance = SystemRandom()
        // An id is never reissued: after damage the entries tell, after a restore the mark does.
        let known = max(last ?? 0, newest, stamp.isRestored ? file.numbersEnd : 0, 0)
        let incarnation = settings.incarnation ?? chance.bytes(count: 1)[0]
        sequence = EntrySequence(last: min(known, 1 << 54), incarnation: incarnation)
        writtenSequence = last ?? -1
    }

    /// True when a clock was set back: ids no longer tell when entries were made.
    var isAheadOfClock: Bool { sequence.isAhead(milliseconds: clock) }

    func nextID(_ shard: Shard, milliseconds: UInt64) -> EntryID {
        clock = milliseconds
        return EntryID(sequence: sequence.next(milliseconds: milliseconds), shard: shard)
    }

    /// Entries' sequence with random bits for a shard: a restored database must not give a known hook's number to
    /// another.
    func nextHookID(milliseconds: UInt64) -> Int64 {
        clock = milliseconds
        return sequence.next(milliseconds: milliseconds) << 8 | Int64(random.bytes(count: 1)[0])
    }

    /// Runs jobs in one transaction, and completes each. If a job fails, but not by the disk, each runs again in its
    /// own transaction, to fail alone.
    func execute(_ jobs: [StoreJob<StoreWriter>]) {
        guard let error = write(jobs) else {
            for job in jobs { job.end(nil) }
            if logWish == .empty {
                isLogEmpty = connection.emptyLog()
                logWish = nil
            }
            stepCopy()
            // Others come first. The next job meets its error too, and the step stays due.
            if receiptRuns.isStepDue {
                _ = write([StoreJob { writer throws(StoreError) in try writer.receiptRuns.step() }])
            }
            return
        }
        if jobs.count > 1, !error.isOfTheDisk {
            for job in jobs { job.end(write([job])) }
        } else {
            for job in jobs { job.end(error) }
        }
    }

    /// - Returns: nil once everything is on the disk; else nothing is stored, or what `.uncertain` says.
    private func write(_ jobs: [StoreJob<StoreWriter>]) -> StoreError? {
        // Further writes could not be trusted.
        if isBroken { return .broken }
        if isMoved { return .moved }
        if isRestored { return .restored }
        var logFrameCount: Int?
        defer {
            news.didWrite(hasChanges: touchesRegistry, logFrameCount: logWish == nil ? logFrameCount : nil)
            touchesRegistry = false
            hints.end()
        }
        hints.begin(listeners.withLock { $0 })
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
            try commit()
            tallies.end(holds: true)
            traces.end(holds: true)
            deviceEntries.end(holds: true)
            apnsIDs.end(holds: true)
            receipts.end(holds: true)
            parcels.end(holds: true)
            shards.end(holds: true)
            stamp.end(holds: true)
            writtenSequence = sequence.last
            logFrameCount = connection.logFrameCount
            // After the commit: acknowledged data was at its path when it reached the disk. This transaction may be
            // there after all: no writes until reopening.
            guard place?.holds ?? true else {
                isMoved = true
                note(.moved)
                return .uncertain
            }
            // Before the callers know: what they do then comes after.
            hints.notify()
            // An empty transaction, or an outcome that fitted on a full disk, does not prove room for notifications.
            if connection.logFrameCount != frameCountBefore, jobs.contains(where: \.isNewWork) { note(.writable) }
            return nil
        } catch {
            // SQLite rolls back by itself after some errors. If this fails, so does the next transaction.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            tallies.end(holds: false)
            traces.end(holds: false)
            deviceEntries.end(holds: false)
            apnsIDs.end(holds: false)
            receipts.end(holds: false)
            parcels.end(holds: false)
            shards.end(holds: false)
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

    /// - Throws: `.uncertain` after a failed sync: what it was to sync may reach the disk.
    private func commit() throws(StoreError) {
        do throws(StoreError) {
            try hot.commit.runBound()
        } catch .broken {
            isBroken = true
            note(.broken)
            throw .uncertain
        } catch {
            throw error
        }
    }

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
            shards.end(holds: true)
            writtenSequence = sequence.last
        } catch {
            // As in `write`; the opening fails with the error.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            tallies.end(holds: false)
            stamp.end(holds: false)
            shards.end(holds: false)
            throw error
        }
    }

    private func writeSequence() throws(StoreError) {
        guard sequence.last != writtenSequence else { return }
        if sequence.last > numbersEnd {
            let end = sequence.last + EntrySequence.lead
            try file.noteNumbers(to: end)
            numbersEnd = end
        }
        try sql("INSERT OR REPLACE INTO meta (name, value) VALUES ('sequence', ?)").run([.integer(sequence.last)])
    }

    /// Makes all earlier copies of the store count as restored.
    func renewStamp() { stamp.renew(random.bytes(count: StoreMark.stampByteCount)) }

    /// Begins a copy, which advances after each transaction.
    ///
    /// - Throws: `.failed(operation: .backup)` with EBUSY while another copy runs, and disk errors.
    func beginCopy(to file: CopyFile) throws(StoreError) {
        guard copy == nil else { throw .failed(operation: .backup, code: EBUSY) }
        copyError = nil
        copiedFrameCount = connection.logFrameCount
        copy = try connection.backup(to: try file.connect())
    }

    func endCopy() { copy = nil }

    /// - Throws: the copy's error.
    func isCopying() throws(StoreError) -> Bool {
        if let copyError { throw copyError }
        return copy != nil
    }

    /// Copies twice the pages written since the last step, so that it ends, and `copyPageCount` more.
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

    func hold() {
        isRestored = true
        note(.restored)
    }

    func watchPlace() { place = FileLocation(file.path) }

    private func note(_ state: StoreHealth) { health.withLock { $0 = state } }
}

extension StoreError {
    /// True if another transaction with the same work would fail too.
    package var isOfTheDisk: Bool {
        switch self {
        case .full, .unwritable, .overloaded, .uncertain, .broken, .moved, .restored, .failed: true
        default: false
        }
    }
}
