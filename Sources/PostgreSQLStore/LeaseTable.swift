import Envelope
package import PostgreSQL
package import PushStore

/// Owners of shards, each with an epoch, and an end by the database's clock.
///
/// A takeover first ends the sessions of owners whose leases have ended: one that hangs in the middle of a batch keeps
/// its locks, and no timeout of the server's ends it. Then it waits for the writes that hold the rows.
package struct LeaseTable: Sendable {
    /// Name of a relay's sessions, by which another relay ends them.
    package static func applicationName(_ relay: RelayID) -> String {
        "sealedpush " + relay.rawRepresentation.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private let pool: DatabasePool
    private let deadline: Duration

    /// - Parameter pool: its sessions have `applicationName`.
    package init(_ pool: DatabasePool, deadline: Duration = .seconds(5)) {
        self.pool = pool
        self.deadline = deadline
    }

    /// Free: without an owner, the relay's own, or with a lease that has ended.
    private static let endSessions: Statement = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE usename = current_user AND application_name IN (
            SELECT 'sealedpush ' || encode(owner, 'hex') FROM sealedpush.shard
            WHERE shard = ANY ($1) AND owner <> $2 AND until <= sealedpush.lease_clock()
        )
        """
    /// In one order for all relays, so that two never wait for each other.
    private static let lock: Statement = """
        SELECT FROM sealedpush.shard
        WHERE shard = ANY ($1) AND (owner IS NULL OR owner = $2 OR until <= sealedpush.lease_clock())
        ORDER BY shard FOR NO KEY UPDATE
        """
    private static let take: Statement = """
        UPDATE sealedpush.shard SET owner = $2, epoch = epoch + 1, until = sealedpush.lease_clock() + $3
        WHERE shard = ANY ($1) AND (owner IS NULL OR owner = $2 OR until <= sealedpush.lease_clock())
        RETURNING shard, epoch
        """

    /// Takes over those that are free, each under a new epoch.
    ///
    /// - Throws: after `.uncertain` call again: what was taken over is the relay's own, and gets another epoch.
    package func acquire(
        _ shards: ShardSet,
        for relay: RelayID,
        lasting term: Duration
    ) async throws(PostgreSQLError) -> ShardLeases {
        let wanted = Parameter.int64s(shards.shards.map { Int64($0.index) })
        let owner = Parameter.bytes(relay.rawRepresentation)
        var batch = Batch(writes: true)
        batch.add(Self.endSessions, wanted, owner)
        batch.add(Self.lock, wanted, owner)
        batch.add(Self.take, wanted, owner, .int64(Self.milliseconds(term)))
        var leases = ShardLeases(relay: relay)
        for row in try await pool.run(batch, within: deadline)[2].rows {
            guard let shard = Shard(index: Int(clamping: try row.int64(0))) else { continue }
            leases.add(ShardLease(shard: shard, epoch: try row.int64(1)))
        }
        return leases
    }

    private static let lockHeld: Statement = """
        SELECT FROM sealedpush.shard JOIN unnest($1, $2) AS held (shard, epoch) USING (shard, epoch)
        WHERE owner = $3 ORDER BY shard.shard FOR NO KEY UPDATE OF shard
        """
    private static let extend: Statement = """
        UPDATE sealedpush.shard SET until = sealedpush.lease_clock() + $4
        FROM unnest($1, $2) AS held (shard, epoch)
        WHERE shard.shard = held.shard AND shard.epoch = held.epoch AND shard.owner = $3
        RETURNING shard.shard
        """

    /// Also renews leases that have ended, if no other relay took the shard over.
    ///
    /// - Returns: lost shards.
    package func renew(_ leases: ShardLeases, lasting term: Duration) async throws(PostgreSQLError) -> ShardSet {
        let (shards, epochs) = Self.columns(leases)
        let owner = Parameter.bytes(leases.relay.rawRepresentation)
        var batch = Batch(writes: true)
        batch.add(Self.lockHeld, shards, epochs, owner)
        batch.add(Self.extend, shards, epochs, owner, .int64(Self.milliseconds(term)))
        var lost = leases.shards
        for row in try await pool.run(batch, within: deadline)[1].rows {
            if let shard = Shard(index: Int(clamping: try row.int64(0))) { lost.remove(shard) }
        }
        return lost
    }

    private static let live: Statement = """
        INSERT INTO sealedpush.relay (relay, until) VALUES ($1, sealedpush.lease_clock() + $2)
        ON CONFLICT (relay) DO UPDATE SET until = excluded.until
        """
    private static let forget: Statement = """
        DELETE FROM sealedpush.relay WHERE until <= sealedpush.lease_clock() - 3600000
        """
    private static let count: Statement = "SELECT count(*) FROM sealedpush.relay WHERE until > sealedpush.lease_clock()"
    private static let listFree: Statement = """
        SELECT shard FROM sealedpush.shard WHERE owner IS NULL OR until <= sealedpush.lease_clock()
        """

    /// Notes that the relay lives for a time, and looks at the others.
    package func survey(by relay: RelayID, lasting term: Duration) async throws(PostgreSQLError) -> ShardSurvey {
        var batch = Batch(writes: true)
        batch.add(Self.live, .bytes(relay.rawRepresentation), .int64(Self.milliseconds(term)))
        batch.add(Self.forget)
        batch.add(Self.count)
        batch.add(Self.listFree)
        let results = try await pool.run(batch, within: deadline)
        let count = try results[2].rows.first?.int64(0) ?? 1
        var free = ShardSet.none
        for row in results[3].rows {
            if let shard = Shard(index: Int(clamping: try row.int64(0))) { free.insert(shard) }
        }
        return ShardSurvey(free: free, relayCount: Int(clamping: count))
    }

    /// Notes that the relay lives no longer.
    package func leave(_ relay: RelayID) async throws(PostgreSQLError) {
        var batch = Batch(writes: true)
        batch.add("DELETE FROM sealedpush.relay WHERE relay = $1", .bytes(relay.rawRepresentation))
        _ = try await pool.run(batch, within: deadline)
    }

    private static let free: Statement = """
        UPDATE sealedpush.shard SET owner = NULL, until = 0
        FROM unnest($1, $2) AS held (shard, epoch)
        WHERE shard.shard = held.shard AND shard.epoch = held.epoch AND shard.owner = $3
        """

    /// Frees shards; later writes under these leases are refused.
    package func giveBack(_ leases: ShardLeases) async throws(PostgreSQLError) {
        let (shards, epochs) = Self.columns(leases)
        let owner = Parameter.bytes(leases.relay.rawRepresentation)
        var batch = Batch(writes: true)
        batch.add(Self.lockHeld, shards, epochs, owner)
        batch.add(Self.free, shards, epochs, owner)
        _ = try await pool.run(batch, within: deadline)
    }

    /// First statement of every batch that acts on entries: under an old epoch the batch stores nothing, and fails with
    /// an error that `isLateOwner`. Until the batch's end no other relay takes these shards over.
    package static func require(_ leases: ShardLeases, in batch: inout Batch) {
        let (shards, epochs) = columns(leases)
        batch.add("SELECT sealedpush.require_leases($1, $2)::text", shards, epochs)
    }

    package static func isLateOwner(_ error: PostgreSQLError) -> Bool {
        guard case .notDone(.refused(let state)) = error else { return false }
        return state.description == "SP001"
    }

    private static func columns(_ leases: ShardLeases) -> (shards: Parameter, epochs: Parameter) {
        let all = leases.all
        return (.int64s(all.map { Int64($0.shard.index) }), .int64s(all.map(\.epoch)))
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
}
