internal import Platform

/// Counts of entries by tenant, lane and state, each change in its own transaction.
final class TallyTable {
    struct Key: Hashable {
        let tenant: Int64
        let lane: Lane
        let state: EntryState.Code
    }

    private let upsert: SQLiteStatement
    private var pending: [Key: Int] = [:]
    /// Not yet in `pending`: consecutive changes are mostly equal.
    private var recent: (from: Key?, to: Key?, count: Int) = (nil, nil, 0)
    private let tenants: TenantTable
    private let snapshot: Guarded<TallySnapshot>

    init(_ connection: SQLiteConnection, tenants: TenantTable, snapshot: Guarded<TallySnapshot>) throws(StoreError) {
        upsert = try connection.prepare(
            """
            INSERT INTO tally (tenant, lane, state, count) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant, lane, state) DO UPDATE SET count = count + excluded.count
            """
        )
        let rows = try connection.prepare("SELECT tenant, lane, state, count FROM tally").all([]) { row in
            (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
        }
        self.tenants = tenants
        self.snapshot = snapshot
        var known: [Key: Int] = [:]
        for (tenant, lane, state, count) in rows {
            guard let lane = UInt8(exactly: lane).flatMap(Lane.init), let state = EntryState.Code(rawValue: state)
            else { continue }
            known[Key(tenant: tenant, lane: lane, state: state)] = Int(clamping: count)
        }
        note(known)
    }

    /// - Returns: sum, as of the last committed transaction.
    func count(_ state: EntryState.Code) -> Int {
        snapshot.withLock { $0.counts.reduce(0) { $1.key.state == state ? $0 + $1.value : $0 } }
    }

    /// - Parameters:
    ///   - from: nil for a new entry.
    ///   - to: nil for a deleted one.
    func move(tenant: Int64, lane: Lane, from: EntryState.Code?, to: EntryState.Code?) {
        let from = from.map { Key(tenant: tenant, lane: lane, state: $0) }
        let to = to.map { Key(tenant: tenant, lane: lane, state: $0) }
        if from != recent.from || to != recent.to {
            addRecent()
            recent = (from, to, 0)
        }
        recent.count += 1
    }

    private func addRecent() {
        guard recent.count > 0 else { return }
        if let from = recent.from { pending[from, default: 0] -= recent.count }
        if let to = recent.to { pending[to, default: 0] += recent.count }
        recent = (nil, nil, 0)
    }

    /// Runs before the transaction ends.
    func write() throws(StoreError) {
        addRecent()
        for (key, change) in pending where change != 0 {
            try upsert.run([
                .integer(key.tenant), .integer(Int64(key.lane.rawValue)), .integer(key.state.rawValue),
                .integer(Int64(change)),
            ])
        }
    }

    /// Runs after it has ended.
    func end(holds: Bool) {
        recent = (nil, nil, 0)
        if holds, !pending.isEmpty { note(pending) }
        pending.removeAll(keepingCapacity: true)
    }

    /// Adds committed changes, whose names are final.
    private func note(_ changes: [Key: Int]) {
        // A damaged row's tenant, which cannot be queried.
        let named = changes.map { (key: $0.key, change: $0.value, tenant: try? tenants.name($0.key.tenant)) }
        snapshot.withLock { snapshot in
            for (key, change, tenant) in named { snapshot.add(change, to: key, of: tenant) }
        }
    }
}
