internal import PushStore

/// Queued entries by lane and tenant, as this relay knows: its own changes at once, others' with the next refresh.
struct QueueCounts {
    private var counts = Lane.allCases.map { _ in [TenantID: Int]() }
    private var totals = Lane.allCases.map { _ in 0 }

    mutating func add(_ change: Int, _ lane: Lane, of tenant: TenantID) {
        let count = max(0, counts[lane.index][tenant, default: 0] + change)
        totals[lane.index] += count - counts[lane.index][tenant, default: 0]
        counts[lane.index][tenant] = count > 0 ? count : nil
    }

    mutating func replace(_ rows: [(lane: Lane, tenant: TenantID, count: Int)]) {
        self = QueueCounts()
        for row in rows { add(row.count, row.lane, of: row.tenant) }
    }

    func count(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) {
        (counts[lane.index][tenant] ?? 0, totals[lane.index])
    }
}

/// Numbers of batches that run at the same time. Each has its own rows of counts: two that wrote one row would wait for
/// each other's commit, or for ever.
struct TallySlots {
    private var taken: Set<UInt16> = []

    mutating func take() -> UInt16 {
        let slot = (0...UInt16.max).first { !taken.contains($0) } ?? 0
        taken.insert(slot)
        return slot
    }

    mutating func end(_ slot: UInt16) { taken.remove(slot) }
}
