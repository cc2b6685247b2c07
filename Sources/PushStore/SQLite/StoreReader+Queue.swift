internal import Envelope
internal import Platform

/// Result of a query of the queue.
struct QueueFinding: Sendable {
    var leased: [LeasedEntry] = []
    /// Entries past their deadline.
    var expired: [EntryID] = []
    /// Damaged rows, by their id in the file.
    var damaged: [Int64] = []
    /// The number of the tenant with the last entry; the next query begins after it.
    var lastTenant: Int64?
}

/// The position reached in a tenant's part of a queue.
private struct DueCursor {
    let tenant: Int64
    let isTried: Bool
    var due = Int64.min
    /// The last entry that was read; nil before the first.
    var entry: Int64?
}

extension StoreReader {
    /// - Parameter waiting: tenants with entries in the lane, by number, in the order of their turns.
    /// - Returns: entries to send, leased, and those that never can be.
    /// - Throws: disk errors.
    func take(
        _ demand: TakeDemand,
        waiting: [Int64],
        leases: Guarded<LeaseBook>
    ) throws(StoreError) -> QueueFinding {
        guard demand.limit > 0 else { return QueueFinding() }
        leases.withLock { $0.beginLook() }
        defer { leases.withLock { $0.endLook() } }
        return try together { () throws(StoreError) in
            try look(demand, waiting: waiting, leases: leases)
        }
    }

    /// Gives tenants equal shares. Retries get at most `retryLimit` while fresh entries wait.
    private func look(
        _ demand: TakeDemand,
        waiting: [Int64],
        leases: Guarded<LeaseBook>
    ) throws(StoreError) -> QueueFinding {
        var fresh: [DueCursor] = []
        for tenant in waiting {
            guard let name = try tenants.name(tenant), !demand.excluding.contains(name) else { continue }
            fresh.append(DueCursor(tenant: tenant, isTried: false))
        }
        var tried = fresh.map { DueCursor(tenant: $0.tenant, isTried: true) }
        var finding = QueueFinding()
        var ids = try inTurns(&tried, demand.retryLimit, demand, leases, &finding.lastTenant)
        ids += try inTurns(&fresh, demand.limit - ids.count, demand, leases, &finding.lastTenant)
        ids += try inTurns(&tried, demand.limit - ids.count, demand, leases, &finding.lastTenant)
        for id in ids { try read(id, demand, leases, into: &finding) }
        return finding
    }

    /// Collects entries tenant by tenant, in rounds, until there are enough. Reads those entries, earlier leased ones,
    /// and one seek for each tenant: no tenant's queue is read up to the whole limit.
    ///
    /// - Parameters:
    ///   - cursors: the next tenant first; on return, those that may have more.
    ///   - count: the most to collect.
    ///   - lastTenant: set to the tenant of the last entry.
    /// - Returns: ids as in the file, each tenant's longest due first.
    /// - Throws: disk errors.
    private func inTurns(
        _ cursors: inout [DueCursor],
        _ count: Int,
        _ demand: TakeDemand,
        _ leases: Guarded<LeaseBook>,
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
                let found = try due(&cursor, wanted, demand, leases)
                if !found.isEmpty { lastTenant = cursor.tenant }
                if found.count == wanted { open.append(cursor) }
                ids += found
            }
            cursors = cursors[visitedCount...] + open
        }
        return ids
    }

    /// Finds a tenant's next due entries without a lease.
    private func due(
        _ cursor: inout DueCursor,
        _ count: Int,
        _ demand: TakeDemand,
        _ leases: Guarded<LeaseBook>
    ) throws(StoreError) -> [Int64] {
        var ids: [Int64] = []
        var position = cursor
        func take(_ row: SQLiteRow) -> Bool {
            let entry = row.integer(1)
            (position.due, position.entry) = (row.integer(0), entry)
            let isFree =
                EntryID(value: entry).map { id in
                    demand.shards.contains(id.shard) && leases.withLock { $0.isFree(id, now: demand.now) }
                } ?? true
            if isFree { ids.append(entry) }
            return ids.count < count
        }
        let queue: [SQLiteValue] = [
            .integer(cursor.tenant), .integer(Int64(demand.lane.rawValue)), .integer(cursor.isTried ? 1 : 0),
        ]
        // Entries due at the same time as the last one first: SQLite seeks to a pair of values in two steps.
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
        _ leases: Guarded<LeaseBook>,
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
        // A listed entry that is not queued is damage, too.
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

    /// Due time of the longest due entry; `waiting` holds the tenants with entries in the lane.
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
