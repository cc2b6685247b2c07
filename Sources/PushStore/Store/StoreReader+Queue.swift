internal import Envelope
internal import Platform

struct QueueFinding: Sendable {
    var leased: [LeasedEntry] = []
    /// Entries past their deadline.
    var expired: [EntryID] = []
    /// Ids of damaged rows.
    var damaged: [Int64] = []
    /// The next query begins after it.
    var lastTenant: Int64?
}

/// Position in a tenant's queue.
private struct DueCursor {
    let tenant: Int64
    let isTried: Bool
    var due = Int64.min
    /// nil before the first.
    var entry: Int64?
}

extension StoreReader {
    /// - Parameter waiting: tenants with entries in the lane, in the order of their turns.
    func take(
        _ demand: TakeDemand,
        by owned: ShardLeases,
        waiting: [Int64],
        leases: Guarded<EntryLeases>
    ) throws(StoreError) -> QueueFinding {
        guard demand.limit > 0 else { return QueueFinding() }
        leases.withLock { $0.beginLook() }
        defer { leases.withLock { $0.endLook() } }
        return try together { () throws(StoreError) in
            try look(demand, owned, waiting: waiting, leases: leases)
        }
    }

    /// Shares equally among tenants; at most `retryLimit` retries while fresh entries wait.
    private func look(
        _ demand: TakeDemand,
        _ owned: ShardLeases,
        waiting: [Int64],
        leases: Guarded<EntryLeases>
    ) throws(StoreError) -> QueueFinding {
        var fresh: [DueCursor] = []
        for tenant in waiting {
            guard let name = try tenants.name(tenant), !demand.excluding.contains(name) else { continue }
            fresh.append(DueCursor(tenant: tenant, isTried: false))
        }
        var tried = fresh.map { DueCursor(tenant: $0.tenant, isTried: true) }
        var finding = QueueFinding()
        var ids = try inTurns(&tried, demand.retryLimit, demand, owned, leases, &finding.lastTenant)
        ids += try inTurns(&fresh, demand.limit - ids.count, demand, owned, leases, &finding.lastTenant)
        ids += try inTurns(&tried, demand.limit - ids.count, demand, owned, leases, &finding.lastTenant)
        for id in ids { try read(id, demand, owned, leases, into: &finding) }
        return finding
    }

    /// Collects entries in rounds of all tenants, each tenant's longest due first. Reads only these, leased ones before
    /// them, and one seek more for each tenant.
    ///
    /// - Parameter cursors: on return, those that may have more.
    private func inTurns(
        _ cursors: inout [DueCursor],
        _ count: Int,
        _ demand: TakeDemand,
        _ owned: ShardLeases,
        _ leases: Guarded<EntryLeases>,
        _ lastTenant: inout Int64?
    ) throws(StoreError) -> [Int64] {
        var ids: [Int64] = []
        while ids.count < count, !cursors.isEmpty {
            let share = max(1, (count - ids.count) / cursors.count)
            var (visitedCount, open): (Int, [DueCursor]) = (0, [])
            for cursor in cursors {
                let wanted = min(share, count - ids.count)
                guard wanted > 0 else { break }
                visitedCount += 1
                var cursor = cursor
                let found = try due(&cursor, wanted, demand, owned, leases)
                if !found.isEmpty { lastTenant = cursor.tenant }
                if found.count == wanted { open.append(cursor) }
                ids += found
            }
            cursors = cursors[visitedCount...] + open
        }
        return ids
    }

    private func due(
        _ cursor: inout DueCursor,
        _ count: Int,
        _ demand: TakeDemand,
        _ owned: ShardLeases,
        _ leases: Guarded<EntryLeases>
    ) throws(StoreError) -> [Int64] {
        var ids: [Int64] = []
        var position = cursor
        func take(_ row: SQLiteRow) -> Bool {
            let entry = row.integer(1)
            (position.due, position.entry) = (row.integer(0), entry)
            let isFree =
                EntryID(value: entry).map { id in
                    guard demand.shards.contains(id.shard), let owner = owned[id.shard] else { return false }
                    return leases.withLock { $0.isFree(id, under: owner, now: demand.now) }
                } ?? true
            if isFree { ids.append(entry) }
            return ids.count < count
        }
        let queue: [SQLiteValue] = [
            .integer(cursor.tenant), .integer(Int64(demand.lane.rawValue)), .integer(cursor.isTried ? 1 : 0),
        ]
        // Ties with the last entry first: SQLite seeks to a pair in two steps.
        if let entry = cursor.entry {
            try selectDueTogether.each(queue + [.integer(cursor.due), .integer(entry)], take)
        }
        if ids.count < count {
            try selectDue.each(queue + [.integer(cursor.due), demand.now.column], take)
        }
        cursor = position
        return ids
    }

    private func read(
        _ id: Int64,
        _ demand: TakeDemand,
        _ owned: ShardLeases,
        _ leases: Guarded<EntryLeases>,
        into finding: inout QueueFinding
    ) throws(StoreError) {
        let found: (row: EntryRow?, payload: [UInt8]?)?
        do throws(StoreError) {
            found = try selectWithPayload.first([.integer(id)]) { [tenants] row throws(StoreError) in
                (row: try EntryRow(row, tenants), payload: row.optionalBytes(EntryRow.columnCount))
            }
        } catch .damaged {
            // Its page is unreadable; the rest of the queue is not.
            finding.damaged.append(id)
            return
        }
        // A listed entry that is not queued is damaged, too.
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
        guard let owner = owned[entry.id.shard] else { return }
        let lease = leases.withLock { $0.lease(EntryStanding(row), under: owner, demand: demand) }
        if let lease { finding.leased.append(LeasedEntry(lease: lease, entry: entry, payload: payload)) }
    }

    func oldestDue(_ lane: Lane, waiting: [Int64], in shards: ShardSet = .all) throws(StoreError) -> Timestamp? {
        let condition = shards == .all ? "?" : ShardSet.condition
        var oldest: Int64?
        for tenant in waiting {
            for tried: Int64 in [0, 1] {
                let due = try sql(
                    """
                    SELECT due FROM waiting INDEXED BY waiting_queue
                    WHERE state = 0 AND tenant = ? AND lane = ? AND tried = ? AND \(condition) ORDER BY due LIMIT 1
                    """
                ).first([.integer(tenant), .integer(Int64(lane.rawValue)), .integer(tried), shards.value]) {
                    $0.integer(0)
                }
                if let due { oldest = min(oldest ?? due, due) }
            }
        }
        return oldest.map { Timestamp(column: $0) }
    }

    /// Counts by reading all entries: only for some of the shards.
    func countEntries(of shards: ShardSet) throws(StoreError) -> [TallyTable.Key: Int] {
        let rows = try sql(
            """
            SELECT tenant, lane, state, count(*) FROM (SELECT id AS entry, tenant, lane, state FROM entry)
            WHERE \(ShardSet.condition) GROUP BY tenant, lane, state
            """
        ).all([shards.value]) { row in (row.integer(0), row.integer(1), row.integer(2), row.integer(3)) }
        var counts: [TallyTable.Key: Int] = [:]
        for (tenant, lane, state, count) in rows {
            guard let lane = UInt8(exactly: lane).flatMap(Lane.init), let state = EntryState.Code(rawValue: state)
            else { continue }
            counts[TallyTable.Key(tenant: tenant, lane: lane, state: state)] = Int(clamping: count)
        }
        return counts
    }
}
