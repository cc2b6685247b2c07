import Keys
import Primitives

// The table of senders: pages searched from the one given by a sender's digest. A used row never becomes empty, so an
// empty one ends the search.
extension WindowCore {
    enum SenderSlot {
        case known(slot: Int)
        /// Absent; this row is available.
        case vacant(slot: Int)
        /// Absent, and every row is needed.
        case crowded
    }

    /// The salt keeps its key out of the file.
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

    mutating func find(_ id: SenderID) throws(ReplayWindowError) -> SenderSlot {
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
        // A sender with its own row would miss evictions of the crowd.
        guard let slot = recyclable, isForgotten(try row(SenderRow.crowdSlot)) else { return .crowded }
        return .vacant(slot: slot)
    }

    /// True once everything that the row refuses has expired.
    private func isForgotten(_ row: SenderRow) -> Bool { row.expiresMax <= agedBound && row.floor <= agedBound }

    /// Row whose floors apply; senders without one may have been in the crowd.
    func slot(_ place: SenderSlot) -> Int {
        if case .known(let slot) = place { slot } else { SenderRow.crowdSlot }
    }

    mutating func settle(_ id: SenderID, at place: SenderSlot) throws(ReplayWindowError) -> Int {
        switch place {
        case .known(let slot): return slot
        case .crowded: return SenderRow.crowdSlot
        case .vacant(let slot):
            if let old = try rowIfUsed(slot) { try forget(old) }
            // The crowd may have forgotten some of its messages.
            let crowd = try row(SenderRow.crowdSlot)
            var row = SenderRow(idHigh: id.high, idLow: id.low)
            row.floor = crowd.floor
            row.orderFloor = crowd.orderFloor
            if header.sweptSlot == slot { header.sweptSlot = nil }
            setRow(slot, row)
            return slot
        }
    }

    /// Moves a recycled row's floors to the crowd, where its sender now belongs.
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
