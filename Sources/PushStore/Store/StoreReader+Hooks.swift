internal import Envelope

extension StoreReader {
    /// Longest due first.
    func dueHooks(_ room: ClaimRoom, of shards: ShardSet, now: Timestamp, turn: Int) throws(StoreError) -> [Int64] {
        let select = """
            SELECT due, id FROM hook WHERE tenant = ? AND due <= ? AND \(ShardSet.condition) ORDER BY due, id LIMIT ?
            """
        return try due(by: select, of: try hookTenants(), room, shards, now: now, turn: turn)
    }

    func nextHook(_ room: ClaimRoom, of shards: ShardSet) throws(StoreError) -> Timestamp? {
        let select = "SELECT due FROM hook WHERE tenant = ? AND \(ShardSet.condition) ORDER BY due LIMIT 1"
        return try next(by: select, of: try hookTenants(), room, shards)
    }

    /// Collects due ids by a statement for one tenant, longest due first. Equal shares keep a dead receiver from
    /// blocking other tenants.
    func due(
        by select: String,
        of tenants: [Int64],
        _ room: ClaimRoom,
        _ shards: ShardSet,
        now: Timestamp,
        turn: Int
    ) throws(StoreError) -> [Int64] {
        guard room.limit > 0 else { return [] }
        var due: [[(time: Int64, id: Int64)]] = []
        for tenant in tenants {
            let limit = room.limit(of: try self.tenants.name(tenant))
            guard limit > 0 else { continue }
            let found = try sql(select).all([.integer(tenant), now.column, shards.value, .integer(Int64(limit))]) {
                (time: $0.integer(0), id: $0.integer(1))
            }
            if !found.isEmpty { due.append(found) }
        }
        let shares = FairShare.divide(room.limit, among: due.map(\.count), startingAt: turn)
        return zip(due, shares).flatMap { $0.prefix($1) }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }.map(\.id)
    }

    func next(
        by select: String,
        of tenants: [Int64],
        _ room: ClaimRoom,
        _ shards: ShardSet
    ) throws(StoreError) -> Timestamp? {
        var next: Int64?
        for tenant in tenants where room.limit(of: try self.tenants.name(tenant)) > 0 {
            let due = try sql(select).first([.integer(tenant), shards.value]) { $0.integer(0) }
            if let due { next = min(next ?? due, due) }
        }
        return next.map { Timestamp(column: $0) }
    }

    func hookCounts() throws(StoreError) -> [HookCount] {
        let rows = try sql("SELECT tenant, count, dropped FROM hook_tally ORDER BY tenant").all([]) { row in
            (tenant: row.integer(0), waiting: row.integer(1), dropped: row.integer(2))
        }
        var counts: [HookCount] = []
        for row in rows {
            guard let tenant = try tenants.name(row.tenant) else { continue }
            counts.append(
                HookCount(tenant: tenant, waiting: Int(clamping: row.waiting), dropped: Int(clamping: row.dropped))
            )
        }
        return counts
    }

    func note(_ name: String) throws(StoreError) -> [UInt8]? {
        try NoteLimits.check(name)
        return try sql("SELECT bytes FROM note WHERE name = ?").first([.bytes(Array(name.utf8))]) { $0.bytes(0) }
    }

    /// Tenants with waiting hooks, by number.
    private func hookTenants() throws(StoreError) -> [Int64] {
        try sql("SELECT tenant FROM hook_tally WHERE count > 0 ORDER BY tenant").all([]) { $0.integer(0) }
    }
}
