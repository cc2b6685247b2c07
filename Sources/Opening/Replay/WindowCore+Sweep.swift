// Finds a sender's earliest expiries before its quota is full. The file has one sweep at a time; every new id advances
// it.
extension WindowCore {
    /// A sweep takes 141 new ids; it begins when a sender has 768 left.
    private static let pagesPerStep = 6

    private static var sweepOffset: Int { WindowLayout.offset(ofPage: WindowLayout.sweepPage) }

    mutating func beginSweep(of slot: Int, _ row: SenderRow) {
        guard header.sweptSlot == nil else { return }
        sweep = ExpirySweep(slot: slot, floor: row.floor)
        header.sweptSlot = slot
    }

    mutating func advanceSweep() throws(ReplayWindowError) {
        guard var sweep = try sweepUnderWay() else { return }
        try advance(&sweep, pageCount: Self.pagesPerStep)
        if sweep.isDone {
            try finish(sweep)
            header.sweptSlot = nil
        } else {
            self.sweep = sweep
        }
    }

    /// Counts a new id on a page already swept.
    mutating func sweepSees(_ record: ReplayRecord, page: Int) {
        guard let sweep, record.slot == sweep.slot, page < sweep.nextPage else { return }
        self.sweep?.see(record.expiresAt)
    }

    /// Before the id: a kill in between makes the count too high, never too low.
    func storeSweep() throws(ReplayWindowError) {
        if let sweep { try file.write(sweep.words, at: Self.sweepOffset) }
    }

    /// Raises a full sender's floor to its sweep's result. Without one, when many senders are near their quota, reads
    /// all pages now.
    mutating func evictForQuota(_ slot: Int) throws(ReplayWindowError) {
        if try row(slot).nextFloor == 0 {
            var sweep = ExpirySweep(slot: slot, floor: try row(slot).floor)
            while !sweep.isDone { try advance(&sweep, pageCount: Self.pagesPerStep) }
            try finish(sweep)
            if header.sweptSlot == slot { header.sweptSlot = nil }
        }
        var row = try self.row(slot)
        guard row.count >= WindowLayout.quota else { return }
        row.evict(upTo: row.nextFloor, evictedCount: row.nextCount)
        setRow(slot, row)
    }

    private mutating func finish(_ sweep: ExpirySweep) throws(ReplayWindowError) {
        var row = try self.row(sweep.slot)
        row.count = sweep.total
        if let threshold = sweep.threshold { (row.nextFloor, row.nextCount) = threshold }
        setRow(sweep.slot, row)
    }

    /// Stored sweep if still valid; otherwise a new one.
    private mutating func sweepUnderWay() throws(ReplayWindowError) -> ExpirySweep? {
        guard let slot = header.sweptSlot else { return nil }
        try file.read(into: &page, at: Self.sweepOffset)
        let floor = try self.row(slot).floor
        if let sweep = ExpirySweep(page: page), sweep.slot == slot, sweep.floor == floor { return sweep }
        return ExpirySweep(slot: slot, floor: floor)
    }

    private mutating func advance(_ sweep: inout ExpirySweep, pageCount: Int) throws(ReplayWindowError) {
        let count = min(pageCount, WindowLayout.recordPages.count - sweep.nextPage)
        if sweepPages.count != count * WindowLayout.pageWordCount {
            sweepPages = [UInt64](repeating: 0, count: count * WindowLayout.pageWordCount)
        }
        try file.read(
            into: &sweepPages,
            at: WindowLayout.offset(ofPage: WindowLayout.recordPages.lowerBound + sweep.nextPage)
        )
        try sweep.look(through: sweepPages, bound: try floor(sweep.slot))
    }
}
