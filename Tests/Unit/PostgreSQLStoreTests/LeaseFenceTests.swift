import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import TestSupport
import Testing

@Suite(.needsServer)
struct LeaseFenceTests {
    private static let (first, second) = (RelayID(high: 0xA1, low: 1), RelayID(high: 0xB2, low: 2))
    private static let term = LeaseEngineKind.term

    /// A batch that acts under leases, and stores a row.
    private func batch(_ leases: ShardLeases, _ id: Int64, _ middle: Statement = "SELECT 1") -> Batch {
        var batch = Batch(writes: true)
        LeaseTable.require(leases, in: &batch)
        batch.add(middle)
        batch.add("INSERT INTO item VALUES ($1)", .int64(id))
        return batch
    }

    private func ids(_ pool: DatabasePool) async throws -> [Int64] {
        try await pool.run("SELECT id FROM item ORDER BY id").rows.map { try $0.int64(0) }
    }

    private func failure(_ batch: Batch, _ pool: DatabasePool) async -> PostgreSQLError? {
        do throws(PostgreSQLError) {
            _ = try await pool.run(batch, within: DatabaseStage.patience)
            return nil
        } catch {
            return error
        }
    }

    /// True if a session of this database waits for this.
    private func isWaiting(_ event: String, _ pool: DatabasePool) async throws -> Bool {
        let waiting: Statement = "SELECT FROM pg_stat_activity WHERE wait_event = $1 AND datname = current_database()"
        return try await pool.run(waiting, .text(event)).rowCount > 0
    }

    private func waitFor(_ event: String, _ pool: DatabasePool) async throws {
        while try await !isWaiting(event, pool) { await Task.yield() }
    }

    @Test func `a batch under an old epoch stores nothing, and says why; one under the newest does`() async throws {
        let leases = try await PostgreSQLLeases()
        let (pool, table) = (leases.pool, LeaseTable(leases.pool, deadline: DatabaseStage.patience))
        try await pool.run(Statement(once: "CREATE TABLE item (id int8)"))
        let old = try await table.acquire(.all, for: Self.first, lasting: Self.term)
        #expect(await failure(batch(old, 1), pool) == nil)
        let new = try await table.acquire(ShardSet([Shard.all[5]]), for: Self.first, lasting: Self.term)
        #expect(await failure(batch(old, 2), pool).map(LeaseTable.isLateOwner) == true)
        #expect(await failure(batch(old.only(ShardSet([Shard.all[6]])), 3), pool) == nil)
        #expect(await failure(batch(new, 4), pool) == nil)
        try await table.giveBack(new)
        #expect(await failure(batch(new, 5), pool).map(LeaseTable.isLateOwner) == true)
        #expect(try await ids(pool) == [1, 3, 4])
        await leases.close()
    }

    @Test func `a takeover waits for a batch that acts under the old epoch, and the next one is refused`() async throws
    {
        let leases = try await PostgreSQLLeases()
        let (pool, table) = (leases.pool, LeaseTable(leases.pool, deadline: DatabaseStage.patience))
        try await pool.run(Statement(once: "CREATE TABLE item (id int8)"))
        let old = try await table.acquire(.all, for: Self.first, lasting: Self.term)
        // A session without the relay's name is not ended. It waits in its batch for a lock of this test.
        let holder = try leases.stage.pool(connections: 1)
        try await holder.run("SELECT pg_advisory_lock(7)::text")
        let slow = batch(old, 1, "SELECT pg_advisory_xact_lock(7)::text")
        let running = Task { await failure(slow, pool) }
        try await waitFor("advisory", holder)
        try await leases.advance(milliseconds: 30_000)
        let isTaken = Guarded(false)
        let takeover = Task {
            let new = try await table.acquire(.all, for: Self.second, lasting: Self.term)
            isTaken.withLock { $0 = true }
            return (shards: new.shards, ids: try await ids(pool))
        }
        while !isTaken.withLock({ $0 }) {
            if try await isWaiting("transactionid", holder) { break }
        }
        try await holder.run("SELECT pg_advisory_unlock(7)")
        let (shards, found) = try await takeover.value
        #expect(shards == .all)
        #expect(found == [1], "the takeover is after it")
        #expect(await running.value == nil)
        #expect(await failure(batch(old, 2), pool).map(LeaseTable.isLateOwner) == true)
        await holder.close()
        await leases.close()
    }

    @Test func `a takeover ends the sessions of an owner that hangs within a batch, and no others`() async throws {
        let leases = try await PostgreSQLLeases()
        let (pool, table) = (leases.pool, LeaseTable(leases.pool, deadline: DatabaseStage.patience))
        try await pool.run(Statement(once: "CREATE TABLE item (id int8)"))
        let (hung, living) = (try leases.stage.pool(as: Self.first), try leases.stage.pool(as: Self.second))
        let half = ShardSet(Shard.all.prefix(32))
        let old = try await table.acquire(half, for: Self.first, lasting: Self.term)
        let other = try await table.acquire(.all, for: Self.second, lasting: Self.term)
        #expect(other.shards == ShardSet.all.subtracting(half))
        let running = Task { await failure(batch(old, 1, "SELECT pg_sleep(900)::text"), hung) }
        let beside = Task { await failure(batch(other, 2, "SELECT pg_sleep(1)::text"), living) }
        try await waitFor("PgSleep", pool)
        try await leases.advance(milliseconds: 20_000)
        #expect(try await leases.renew(other).isEmpty)
        try await leases.advance(milliseconds: 10_000)
        let taken = try await table.acquire(.all, for: RelayID(high: 3, low: 3), lasting: Self.term)
        #expect(taken.shards == half)
        #expect(await running.value != nil)
        #expect(await beside.value == nil)
        #expect(try await ids(pool) == [2])
        for pool in [hung, living] { await pool.close() }
        await leases.close()
    }

    @Test func `leases and epochs outlive a failover to the synchronous standby`() async throws {
        let stage = try await DatabaseStage(try TestServer())
        let setUp = try stage.pool()
        _ = try await SchemaMigration.run(setUp)
        let standby = try TestServer(standbyOf: stage.server)
        try stage.server.set("synchronous_standby_names", "standby")
        let isSynchronous: Statement = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'"
        while try await setUp.run(isSynchronous).rowCount == 0 { await Task.yield() }
        let pool = try stage.pool(others: [standby])
        let table = LeaseTable(pool, deadline: DatabaseStage.patience)
        let before = try await table.acquire(.all, for: Self.first, lasting: Self.term)
        try stage.server.kill()
        try standby.promote()
        var lost: ShardSet?
        while lost == nil {
            // Calls fail while the pool finds the new primary.
            do { lost = try await table.renew(before, lasting: Self.term) } catch PostgreSQLError.notDone {
            } catch PostgreSQLError.uncertain {}
        }
        #expect(lost?.isEmpty == true)
        let after = try await table.acquire(.all, for: Self.first, lasting: Self.term)
        for (old, new) in zip(before.all, after.all) { #expect(new.epoch == old.epoch + 1) }
        for pool in [setUp, pool] { await pool.close() }
    }
}
