internal import Envelope

extension StoreReader {
    /// Which hooks are to be sent next: tenants get as much as each other, so that one whose receiver is dead holds up nobody.
    ///
    /// - Returns: ids, the longest due first.
    func dueHooks(limit: Int, now: Timestamp, turn: Int) throws(StoreError) -> [Int64] {
        var due: [[(time: Int64, id: Int64)]] = []
        for tenant in try hookTenants() {
            let found = try sql("SELECT due, id FROM hook WHERE tenant = ? AND due <= ? ORDER BY due, id LIMIT ?").all([
                .integer(tenant), now.column, .integer(Int64(limit)),
            ]) { (time: $0.integer(0), id: $0.integer(1)) }
            if !found.isEmpty { due.append(found) }
        }
        let shares = FairShare.divide(limit, among: due.map(\.count), startingAt: turn)
        return zip(due, shares).flatMap { $0.prefix($1) }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }.map(\.id)
    }

    func nextHook() throws(StoreError) -> Timestamp? {
        var next: Int64?
        for tenant in try hookTenants() {
            let due = try sql("SELECT due FROM hook WHERE tenant = ? ORDER BY due LIMIT 1").first([.integer(tenant)]) {
                $0.integer(0)
            }
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
        try sql("SELECT bytes FROM note WHERE name = ?").first([.bytes(Array(name.utf8))]) { $0.bytes(0) }
    }

    /// Those for whom something waits, by number.
    private func hookTenants() throws(StoreError) -> [Int64] {
        try sql("SELECT tenant FROM hook_tally WHERE count > 0 ORDER BY tenant").all([]) { $0.integer(0) }
    }
}
