import Keys
import Primitives

// The table of senders: pages that are searched one after the other from where a sender's digest says. A row never
// becomes empty again, so a search may end at the first page that has an empty one.
extension WindowCore {
    enum SenderPlace {
        case known(slot: Int)
        /// Not there; its row would be this one.
        case vacant(slot: Int)
        /// Not there, and every row is taken by somebody whose messages may still come.
        case crowded
    }

    /// A sender as the file names it. The salt keeps its key out of the file.
    struct SenderID: Equatable {
        let high: UInt64
        let low: UInt64
        let page: Int
    }

    func id(of sender: SenderKey) -> SenderID {
        let digest = SHA256.hash(identity.salt, sender.rawRepresentation)
        return SenderID(
            high: digest.word(at: 0),
            low: digest.word(at: 8),
            page: Int(digest.word(at: 16) % UInt64(WindowLayout.senderPages.count))
        )
    }

    mutating func find(_ id: SenderID) throws(ReplayWindowError) -> SenderPlace {
        var recyclable: Int?
        for step in 0..<WindowLayout.senderPages.count {
            let number = (id.page + step) % WindowLayout.senderPages.count
            try file.read(into: &page, at: WindowLayout.offset(ofPage: WindowLayout.senderPages.lowerBound + number))
            var empty: Int?
            for index in 0..<WindowLayout.rowsPerPage {
                let slot = number * WindowLayout.rowsPerPage + index
                guard let row = try SenderRow.read(page, at: index) else {
                    empty = empty ?? slot
                    continue
                }
                if row.idHigh == id.high, row.idLow == id.low {
                    rows[slot] = rows[slot] ?? row
                    return .known(slot: slot)
                }
                if recyclable == nil, slot > SenderRow.crowdSlot, isForgotten(row) { recyclable = slot }
            }
            if let slot = empty { return .vacant(slot: recyclable ?? slot) }
        }
        // Who was in the crowd and left it would not hear of what the crowd evicts.
        guard let slot = recyclable, isForgotten(try row(SenderRow.crowdSlot)) else { return .crowded }
        return .vacant(slot: slot)
    }

    /// Whether nothing that the row remembers matters any more: whatever it would keep out has expired for every clock
    /// that may be believed.
    private func isForgotten(_ row: SenderRow) -> Bool { row.expiresMax <= agedBound && row.floor <= agedBound }

    /// The row whose floors hold for a sender, there or not: a sender without one may have been in the crowd.
    func slot(_ place: SenderPlace) -> Int {
        if case .known(let slot) = place { slot } else { SenderRow.crowdSlot }
    }

    /// Gives a sender its row.
    ///
    /// - Parameters:
    ///   - id: the sender.
    ///   - place: what `find` said.
    /// - Returns: its number.
    /// - Throws: what reading the crowd's row throws.
    mutating func settle(_ id: SenderID, at place: SenderPlace) throws(ReplayWindowError) -> Int {
        switch place {
        case .known(let slot): return slot
        case .crowded: return SenderRow.crowdSlot
        case .vacant(let slot):
            if let old = try rowIfUsed(slot) { try forget(old) }
            // What the crowd has forgotten may have been this sender's.
            let crowd = try row(SenderRow.crowdSlot)
            var row = SenderRow(idHigh: id.high, idLow: id.low)
            row.floor = crowd.floor
            row.orderFloor = crowd.orderFloor
            if header.sweptSlot == slot { header.sweptSlot = nil }
            setRow(slot, row)
            return slot
        }
    }

    /// A row that is given to another sender leaves its floors to the crowd, in which its sender is from now on.
    private mutating func forget(_ row: SenderRow) throws(ReplayWindowError) {
        var crowd = try self.row(SenderRow.crowdSlot)
        crowd.evict(upTo: max(row.floor, row.expiresMax), evictedCount: 0)
        crowd.orderFloor = max(crowd.orderFloor, row.orderFloor)
        crowd.expiresMax = max(crowd.expiresMax, row.expiresMax)
        setRow(SenderRow.crowdSlot, crowd)
    }

    mutating func row(of sender: SenderKey) throws(ReplayWindowError) -> SenderRow? {
        guard case .known(let slot) = try find(id(of: sender)) else { return nil }
        return try row(slot)
    }
}
