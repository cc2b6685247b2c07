internal import Envelope

/// Owner, epoch and end of each shard's lease, as of the running transaction.
final class ShardTable {
    private struct Row: Equatable {
        var owner: RelayID?
        var epoch: Int64 = 0
        /// Milliseconds of `StoreSettings.leaseClock`; void after the next opening.
        var until: Int64 = 0
    }

    private let replace: SQLiteStatement
    private var rows = [Row](repeating: Row(), count: Shard.count)
    /// As of the last committed transaction; nil without a change since.
    private var committed: [Row]?

    init(_ connection: SQLiteConnection) throws(StoreError) {
        replace = try connection.prepare(
            "INSERT OR REPLACE INTO shard (shard, owner, epoch, until) VALUES (?, ?, ?, ?)"
        )
        let found = try connection.prepare("SELECT shard, owner, epoch, until FROM shard").all([]) { row in
            (shard: row.integer(0), owner: row.optionalBytes(1), epoch: row.integer(2), until: row.integer(3))
        }
        for row in found {
            guard let shard = Int(exactly: row.shard).flatMap(Shard.init(index:)) else { continue }
            let owner = row.owner.flatMap { RelayID(rawRepresentation: $0) }
            rows[shard.index] = Row(owner: owner, epoch: max(0, row.epoch), until: row.until)
        }
    }

    /// Decides every write that acts on an entry: true under the shard's newest lease.
    func permits(_ lease: ShardLease) -> Bool {
        let row = rows[lease.shard.index]
        return row.owner != nil && row.epoch == lease.epoch
    }

    /// - Throws: `.lateOwner` unless all are permitted.
    func require(_ leases: ShardLeases) throws(StoreError) {
        guard leases.all.allSatisfy(permits) else { throw .lateOwner }
    }

    func permits(_ leases: ShardLeases, _ shard: Shard) -> Bool { leases[shard].map(permits) ?? false }

    func owner(of shard: Shard) -> RelayID? { rows[shard.index].owner }

    /// Without an owner, or with an ended lease.
    func free(now: Int64) -> ShardSet {
        ShardSet(Shard.all.filter { rows[$0.index].owner == nil || rows[$0.index].until <= now })
    }

    /// Gives shards without an owner, the relay's own, and those whose lease has ended, each under a new epoch.
    ///
    /// - Parameter isAlone: True if no other relay lives: then all shards are free.
    func acquire(
        _ wanted: ShardSet,
        for relay: RelayID,
        until: Int64,
        now: Int64,
        isAlone: Bool = false
    ) throws(StoreError) -> ShardLeases {
        var leases = ShardLeases(relay: relay)
        for shard in wanted.shards {
            let row = rows[shard.index]
            guard isAlone || row.owner == nil || row.owner == relay || row.until <= now else { continue }
            let epoch = row.epoch + 1
            try set(Row(owner: relay, epoch: epoch, until: until), for: shard)
            leases.add(ShardLease(shard: shard, epoch: epoch))
        }
        return leases
    }

    /// Also renews leases that have ended, if no other relay took the shard over.
    ///
    /// - Returns: lost shards.
    func renew(_ leases: ShardLeases, until: Int64) throws(StoreError) -> ShardSet {
        var lost = ShardSet.none
        for lease in leases.all {
            guard permits(lease) else {
                lost.insert(lease.shard)
                continue
            }
            try set(Row(owner: leases.relay, epoch: lease.epoch, until: until), for: lease.shard)
        }
        return lost
    }

    func giveBack(_ leases: ShardLeases) throws(StoreError) {
        for lease in leases.all where permits(lease) {
            try set(Row(owner: nil, epoch: lease.epoch, until: 0), for: lease.shard)
        }
    }

    private func set(_ row: Row, for shard: Shard) throws(StoreError) {
        if committed == nil { committed = rows }
        rows[shard.index] = row
        try replace.run([
            .integer(Int64(shard.index)), row.owner.map { .bytes($0.rawRepresentation) } ?? .null,
            .integer(row.epoch), .integer(row.until),
        ])
    }

    /// Runs after a transaction has ended.
    func end(holds: Bool) {
        if !holds, let committed { rows = committed }
        committed = nil
    }
}
