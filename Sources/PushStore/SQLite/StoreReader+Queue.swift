internal import Envelope
internal import Platform

/// What a look at a queue found.
struct QueueFinding: Sendable {
    var leased: [LeasedEntry] = []
    /// Their time is over.
    var expired: [EntryID] = []
    /// Not what was written; ids as they are in the file.
    var damaged: [Int64] = []
}

extension StoreReader {
    /// - Parameters:
    ///   - demand: what is wanted.
    ///   - waiting: the tenants that have something in the lane, by number.
    ///   - turn: another number at every call.
    ///   - leases: what others have in hand.
    /// - Returns: what can be sent, leased; and what never can.
    /// - Throws: what a disk does.
    func take(
        _ demand: TakeDemand,
        waiting: [Int64],
        turn: Int,
        leases: Guarded<LeaseBook>
    ) throws(StoreError) -> QueueFinding {
        guard demand.limit > 0 else { return QueueFinding() }
        leases.withLock { $0.beginLook() }
        defer { leases.withLock { $0.endLook() } }
        return try together { () throws(StoreError) in
            try look(demand, waiting: waiting, turn: turn, leases: leases)
        }
    }

    private func look(
        _ demand: TakeDemand,
        waiting: [Int64],
        turn: Int,
        leases: Guarded<LeaseBook>
    ) throws(StoreError) -> QueueFinding {
        var fresh: [[Int64]] = []
        var tried: [[Int64]] = []
        for tenant in waiting {
            guard let name = try tenants.name(tenant), !demand.excluding.contains(name) else { continue }
            fresh.append(try due(demand, tenant, tried: false, leases))
            tried.append(try due(demand, tenant, tried: true, leases))
        }
        var finding = QueueFinding()
        for id in Self.choose(demand, fresh: fresh, tried: tried, turn: turn) {
            try read(id, demand, leases, into: &finding)
        }
        return finding
    }

    /// Which of those that are due it shall be: tenants get as much as each other, and repetitions no more than
    /// `retryLimit` while fresh ones wait.
    ///
    /// - Returns: ids as they are in the file, each tenant's oldest first.
    static func choose(_ demand: TakeDemand, fresh: [[Int64]], tried: [[Int64]], turn: Int) -> [Int64] {
        let triedCount = tried.reduce(0) { $0 + $1.count }
        let freshCount = fresh.reduce(0) { $0 + $1.count }
        let reserved = min(demand.retryLimit, triedCount)
        let freshTaken = min(demand.limit - reserved, freshCount)
        let triedTaken = min(demand.limit - freshTaken, triedCount)
        let freshShares = FairShare.divide(freshTaken, among: fresh.map(\.count), startingAt: turn)
        let triedShares = FairShare.divide(triedTaken, among: tried.map(\.count), startingAt: turn)
        return fresh.indices.flatMap { index in
            tried[index].prefix(triedShares[index]) + fresh[index].prefix(freshShares[index])
        }
    }

    /// Those of a tenant that are due and in nobody's hand, at most as many as are wanted.
    private func due(
        _ demand: TakeDemand,
        _ tenant: Int64,
        tried: Bool,
        _ leases: Guarded<LeaseBook>
    ) throws(StoreError) -> [Int64] {
        let heldCount = leases.withLock { $0.count(demand.lane) }
        let ids = try selectDue.all([
            .integer(tenant), .integer(Int64(demand.lane.rawValue)), .integer(tried ? 1 : 0), demand.now.column,
            .integer(demand.shards.column), .integer(Int64(min(demand.limit, 1 << 30) + heldCount)),
        ]) { $0.integer(0) }
        guard heldCount > 0 else { return ids }
        return leases.withLock { book in
            ids.filter { id in EntryID(value: id).map { book.isFree($0, now: demand.now) } ?? true }
        }
    }

    private func read(
        _ id: Int64,
        _ demand: TakeDemand,
        _ leases: Guarded<LeaseBook>,
        into finding: inout QueueFinding
    ) throws(StoreError) {
        let found: (row: EntryRow?, payload: [UInt8]?)?
        do throws(StoreError) {
            found = try selectWithPayload.first([.integer(id)]) { [tenants] row throws(StoreError) in
                (row: try EntryRow(row, tenants), payload: row.optionalBytes(EntryRow.columnCount))
            }
        } catch .damaged {
            // The page that it is on cannot be read: the rest of the queue can.
            finding.damaged.append(id)
            return
        }
        // What is listed and is not queued was not written so either.
        guard let row = found?.row, let payload = found?.payload, row.isWhole(payload: payload),
            row.entry.state == .queued
        else {
            finding.damaged.append(id)
            return
        }
        let entry = row.entry
        guard entry.deadline > demand.now else {
            finding.expired.append(entry.id)
            return
        }
        let lease = leases.withLock { $0.lease(EntryStanding(row), demand: demand) }
        if let lease { finding.leased.append(LeasedEntry(lease: lease, entry: entry, payload: payload)) }
    }

    /// Since when the entry is due that is due the longest; `waiting` are the tenants that have something in the lane.
    func oldestDue(_ lane: Lane, waiting: [Int64]) throws(StoreError) -> Timestamp? {
        var oldest: Int64?
        for tenant in waiting {
            for tried: Int64 in [0, 1] {
                let due = try sql(
                    """
                    SELECT due FROM waiting INDEXED BY waiting_queue
                    WHERE state = 0 AND tenant = ? AND lane = ? AND tried = ? ORDER BY due LIMIT 1
                    """
                ).first([.integer(tenant), .integer(Int64(lane.rawValue)), .integer(tried)]) { $0.integer(0) }
                if let due { oldest = min(oldest ?? due, due) }
            }
        }
        return oldest.map { Timestamp(column: $0) }
    }
}
