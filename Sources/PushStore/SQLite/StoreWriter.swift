internal import Platform
internal import Primitives

/// The one that writes: what waits while a transaction is written goes into the next one, so that one wait for the disk
/// serves all of it.
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
    /// Set by what may write registrations, for the transaction that it is in.
    var touchesRegistry = false
    private let news: RegistryNews
    private let file: StoreFile
    private let health: Guarded<StoreHealth>
    private var sequence: EntrySequence
    private var writtenSequence: Int64
    /// When the last id was given out, or the store was opened; milliseconds since 1970.
    var clock: UInt64 = 0
    private var isBroken = false
    /// Set by `hold`: nothing is written before the restore is acknowledged.
    private var isRestored = false
    /// What is to be done about SQLite's log, behind the next transaction; nil when it is done.
    var logWish: LogWish?
    /// What the last wish for an empty one came to.
    private(set) var isLogEmpty = false
    private var copy: SQLiteBackup?
    private var copyError: StoreError?
    /// Where the log was after the copy's last step.
    private var copiedFrameCount = 0
    private var place: FilePlace?
    private var isMoved = false

    /// On the way to an empty log.
    enum LogWish {
        /// No look at registrations lasts: it would keep the log.
        case lookBriefly
        /// It is moved into the file now, and cut.
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
        // An entry's id is never given out again, whatever a damaged row says.
        sequence = EntrySequence(last: min(max(last ?? 0, newest, 0), 1 << 54), incarnation: chance.bytes(count: 1)[0])
        writtenSequence = last ?? -1
    }

    /// Whether ids run ahead of the clock, which was set back: then they do not tell when entries were made.
    var isAheadOfClock: Bool { sequence.isAhead(milliseconds: clock) }

    func nextID(_ shard: Shard, milliseconds: UInt64) -> EntryID {
        clock = milliseconds
        return EntryID(sequence: sequence.next(milliseconds: milliseconds), shard: shard)
    }

    /// Of the same numbers as entries, with random bits in place of the shard: receivers know a hook by it, and a restored
    /// database must not give a number to another hook.
    func nextHookID(milliseconds: UInt64) -> Int64 {
        clock = milliseconds
        return sequence.next(milliseconds: milliseconds) << 8 | Int64(random.bytes(count: 1)[0])
    }

    /// Does jobs in one transaction, and ends each.
    ///
    /// Where one of several fails on what it found and not on the disk, each gets a transaction of its own, so that it fails
    /// alone.
    func execute(_ jobs: [StoreJob<StoreWriter>]) {
        guard let error = write(jobs) else {
            for job in jobs { job.end(nil) }
            if logWish == .empty {
                isLogEmpty = connection.emptyLog()
                logWish = nil
            }
            stepCopy()
            // Behind what others wait for. What it meets, the next job meets as well; it is done again when it is due again.
            if receiptRuns.isStepDue { _ = write([ReceiptRunJob(weight: 0)]) }
            return
        }
        if jobs.count > 1, !error.isOfTheDisk {
            for job in jobs { job.end(write([job])) }
        } else {
            for job in jobs { job.end(error) }
        }
    }

    /// - Returns: why nothing of it was stored; nil when all of it is on the disk.
    private func write(_ jobs: [StoreJob<StoreWriter>]) -> StoreError? {
        // Nothing that is written now could be trusted.
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
            // Behind the write: what is acknowledged was in its place when it was on the disk. What this one wrote may be
            // there after all, so nothing more is written before the store is opened anew.
            guard place?.holds ?? true else {
                isMoved = true
                note(.moved)
                return .moved
            }
            // What writes nothing, and an outcome that a full disk had room for, say nothing of the next notification.
            if connection.logFrameCount != frameCountBefore, jobs.contains(where: \.isNewWork) { note(.writable) }
            return nil
        } catch {
            // SQLite has done that already after some errors; where it cannot be done, the next transaction says so.
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

    /// A transaction without a job.
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
            // As in `write`; whoever opens the store gets the error, and no store.
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

    /// Makes every earlier copy of the store one that is noticed when it is put back.
    package func renewStamp() { stamp.renew(random.bytes(count: StoreMark.stampByteCount)) }

    /// From now on a step of the copy follows each transaction.
    ///
    /// - Parameter file: an empty one.
    /// - Throws: `.failed(operation: .backup)` with EBUSY while another is made, and what a disk does.
    func beginCopy(to file: CopyFile) throws(StoreError) {
        guard copy == nil else { throw .failed(operation: .backup, code: EBUSY) }
        copyError = nil
        copiedFrameCount = connection.logFrameCount
        copy = try connection.backup(to: try file.connect())
    }

    func endCopy() { copy = nil }

    /// - Returns: false when it has ended.
    /// - Throws: what a step of it threw.
    func isCopying() throws(StoreError) -> Bool {
        if let copyError { throw copyError }
        return copy != nil
    }

    /// Twice as many pages as were written since the last step, so that it comes to an end; and some milliseconds' more.
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

    /// 2 MiB of pages of 8,192 bytes.
    private static let copyPageCount = 256

    /// From now on nothing is written.
    func hold() {
        isRestored = true
        note(.restored)
    }

    /// From now on the files have to stay where they are.
    func watchPlace() { place = FilePlace(file.path) }

    private func note(_ state: StoreHealth) { health.withLock { $0 = state } }
}

/// A step of keeping runs few, in a transaction of its own.
private final class ReceiptRunJob: StoreJob<StoreWriter> {
    override func run(_ worker: StoreWriter) throws(StoreError) { try worker.receiptRuns.step() }
}

/// Whether a store takes anything.
package enum StoreHealth: Equatable, Sendable {
    case writable
    /// The last write found no space. It can be read, and the next write tries again.
    case full
    /// The disk took no write. It can be read, and the next write tries again.
    case unwritable
    /// It can be read. It must be opened anew before anything is written.
    case broken
    /// Its file was removed, renamed or replaced. It must be put back, and the store opened anew.
    case moved
    /// It can be read. Its file was restored, and must be opened anew by `StoreSettings.restoredQueue` before anything is written.
    case restored
}

extension StoreError {
    /// Another transaction with the same work in it would fail in the same way.
    package var isOfTheDisk: Bool {
        switch self {
        case .full, .unwritable, .broken, .moved, .restored, .failed: true
        default: false
        }
    }
}
