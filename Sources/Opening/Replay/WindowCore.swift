import Platform

/// One process's view of the file, used under the lock.
struct WindowCore {
    let file: WindowFile
    let identity: WindowIdentity
    var header = WindowHeader()
    var rows: [Int: SenderRow] = [:]
    private var changedSlots: Set<Int> = []
    private var storedHeader = WindowHeader()
    private(set) var transaction = WindowTransaction()
    private(set) var hasWritten = false
    private var firstPage = [UInt64](repeating: 0, count: WindowLayout.pageWordCount)
    private var rowWords = [UInt64](repeating: 0, count: SenderRow.wordCount)
    var page = [UInt64](repeating: 0, count: WindowLayout.pageWordCount)
    var pages = RecordPair()
    /// Nil until this operation advances it.
    var sweep: ExpirySweep?
    /// Empty until the first sweep.
    var sweepPages: [UInt64] = []

    init(file: WindowFile, uptime: Uptime) throws(ReplayWindowError) {
        var page = [UInt64](repeating: 0, count: WindowLayout.pageWordCount)
        try file.read(into: &page, at: 0)
        guard let identity = WindowIdentity(page: page) else { throw .damaged }
        self.file = file
        self.identity = identity
        try begin(at: uptime)
    }

    var store: StoreID { StoreID(id: identity.id, generation: header.generation) }

    /// Finishes a killed process's transaction, then reads the state. `uptime` is read under the lock.
    mutating func begin(at uptime: Uptime) throws(ReplayWindowError) {
        transaction = WindowTransaction()
        rows.removeAll(keepingCapacity: true)
        changedSlots.removeAll(keepingCapacity: true)
        hasWritten = false
        sweep = nil
        try file.read(into: &firstPage, at: 0)
        if let unfinished = WindowTransaction(firstPage: firstPage) {
            try apply(unfinished)
            try file.read(into: &firstPage, at: 0)
        }
        guard firstPage.starts(with: identity.words), let header = WindowHeader(page: firstPage) else {
            throw .damaged
        }
        self.header = header
        storedHeader = header
        self.header.time.pass(to: uptime)
    }

    mutating func finish() throws(ReplayWindowError) {
        for slot in changedSlots {
            guard let row = rows[slot] else { continue }
            transaction.write(row.words, at: WindowLayout.offset(ofSender: slot))
        }
        if header != storedHeader, !transaction.isEmpty || header.isWorthWriting(over: storedHeader) {
            transaction.write(header.words, at: WindowHeader.wordIndex * 8)
        }
        guard !transaction.isEmpty else { return }
        try file.write(transaction.journal, at: WindowLayout.journalWord * 8)
        try apply(transaction)
    }

    private mutating func apply(_ transaction: WindowTransaction) throws(ReplayWindowError) {
        hasWritten = true
        for write in transaction.writes { try file.write(write.words, at: write.offset) }
        try file.write(WindowTransaction.finished, at: WindowLayout.journalWord * 8)
    }

    mutating func write(_ words: [UInt64], at offset: Int) { transaction.write(words, at: offset) }

    /// Writes one word at once, without the journal: no other changes with it.
    mutating func writeNow(word: UInt64, at offset: Int) throws(ReplayWindowError) {
        hasWritten = true
        try file.write([word], at: offset)
    }

    mutating func advanceGeneration() throws(ReplayWindowError) -> StoreID {
        guard header.generation < WindowHeader.generationMax else { throw .damaged }
        header.generation += 1
        return store
    }

    /// Time up to which expired ids may be forgotten, by confirmed time (docs/protocol.md, section 10). Forgetting
    /// raises a floor, since a confirmation may lower this bound.
    var agedBound: UInt64 {
        header.time.bound > WindowLayout.keptAfterExpiry ? header.time.bound - WindowLayout.keptAfterExpiry : 0
    }

    mutating func row(_ slot: Int) throws(ReplayWindowError) -> SenderRow {
        guard let row = try rowIfUsed(slot) else { throw .damaged }
        return row
    }

    /// Nil for a row never used.
    mutating func rowIfUsed(_ slot: Int) throws(ReplayWindowError) -> SenderRow? {
        if let row = rows[slot] { return row }
        guard slot < SenderRow.countMax else { throw .damaged }
        try file.read(into: &rowWords, at: WindowLayout.offset(ofSender: slot))
        guard let row = try SenderRow.read(rowWords, at: 0) else { return nil }
        rows[slot] = row
        return row
    }

    mutating func setRow(_ slot: Int, _ row: SenderRow) {
        rows[slot] = row
        changedSlots.insert(slot)
    }

    /// Refuses forgotten ids by a floor, which needs no clock.
    mutating func raiseFloor(of slot: Int, to expiresAt: UInt64) throws(ReplayWindowError) {
        var row = try self.row(slot)
        guard expiresAt > row.floor else { return }
        row.evict(upTo: expiresAt, evictedCount: 1)
        setRow(slot, row)
    }

    mutating func floor(_ slot: Int) throws(ReplayWindowError) -> UInt64 {
        let floor = try self.row(slot).floor
        // Arrival numbers are not times.
        return slot == SenderRow.webPushSlot ? floor : max(floor, agedBound)
    }
}
