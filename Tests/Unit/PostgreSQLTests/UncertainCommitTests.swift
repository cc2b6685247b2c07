import Networking
import Platform
import PostgreSQLServers
import TestSupport
import Testing

@testable import PostgreSQL

/// Faults between a batch and its answer. After each, the table says whether the error told the truth.
@Suite(.needsServer)
struct UncertainCommitTests {
    private static let insert = Statement("INSERT INTO item VALUES ($1)")

    private func stage(_ stage: ServerStage? = nil) async throws -> ServerStage {
        let stage = try stage ?? ServerStage()
        let pool = try stage.pool()
        try await pool.run(Statement(once: "CREATE TABLE item (id int8 PRIMARY KEY)"))
        await pool.close()
        return stage
    }

    private func count(_ pool: DatabasePool) async throws -> Int64 {
        try await pool.number("SELECT count(*) FROM item")
    }

    private func retried(_ body: () async throws -> Int64) async throws -> Int64 {
        while true {
            do { return try await body() } catch PostgreSQLError.notDone {}
        }
    }

    @Test func `a server killed in the middle of a pipeline leaves an uncertain batch, of which nothing is there`()
        async throws
    {
        let stage = try await stage()
        let pool = try stage.pool(stage.url, connections: 1)
        var batch = Batch(writes: true)
        for id in 0..<100 as Range<Int64> { batch.add(Self.insert, .int64(id)) }
        batch.add("SELECT pg_sleep(900)::text")
        let call = Task { [batch] in await failure { try await pool.run(batch, within: ServerStage.patience)[0] } }
        let other = try stage.pool(connections: 1)
        try await other.waitFor("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        try stage.server.kill()
        #expect(await call.value == .uncertain(.connectionLost))
        let idle = await failure { try await other.run("SELECT 1", writes: true) }
        #expect(idle != nil)
        try stage.server.start()
        #expect(try await retried { try await count(pool) } == 0)
        await pool.close()
        await other.close()
    }

    @Test func `a server that hangs ends the call at its deadline, and the connect of the next one`() async throws {
        let stage = try await stage()
        var settings = SessionSettings.patient
        settings.connectTimeout = .milliseconds(300)
        let pool = try stage.pool(stage.url, connections: 1, settings: settings)
        try await pool.run(Self.insert, .int64(1))
        try stage.server.pause()
        let write = await failure { try await pool.run(Self.insert, .int64(2), within: .milliseconds(200)) }
        #expect(write == .uncertain(.deadlineExceeded))
        let next = await failure { try await pool.run(Self.insert, .int64(3)) }
        #expect(next == .notDone(.deadlineExceeded))
        try stage.server.resume()
        let ids = try await retried { try await count(pool) }
        #expect((1...2).contains(ids), "the second is there or not, the third is not")
        await pool.close()
    }

    @Test func `a batch that was not sent whole is not done, and leaves nothing`() async throws {
        let stage = try await stage()
        let pool = try stage.pool(connections: 1)
        try await pool.run(Self.insert, .int64(1))
        try stage.server.pause()
        var batch = Batch(writes: true)
        batch.add(Self.insert, .int64(2))
        // Beyond all buffers between the two.
        for _ in 0..<64 { batch.add("SELECT length($1::bytea)::int8", .bytes([UInt8](repeating: 0, count: 1 << 20))) }
        let error = await failure { [batch] in try await pool.run(batch, within: .milliseconds(300))[0] }
        #expect(error == .notDone(.deadlineExceeded))
        try stage.server.resume()
        #expect(try await retried { try await count(pool) } == 1)
        await pool.close()
    }

    @Test func `without its standby a commit waits; a wait that is cancelled is uncertain, and so is a deadline`()
        async throws
    {
        let stage = try await stage()
        let standby = try TestServer(standbyOf: stage.server)
        try stage.server.set("synchronous_standby_names", "standby")
        let other = try stage.pool(connections: 1)
        try await other.waitFor("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")
        let patient = try stage.pool()
        try await patient.run(Self.insert, .int64(1))
        try standby.kill()
        let write = Task { await failure { try await patient.run(Self.insert, .int64(2)) } }
        let waits = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'" as Statement
        try await other.waitFor(waits)
        #expect(try await other.run("SELECT 1").rowCount == 1, "reads go on")
        try await other.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        #expect(await write.value == .uncertain(.standbyUnconfirmed))
        // The primary has it; the standby, which would be promoted now, does not.
        #expect(try await count(other) == 2)
        let ended = Task { await failure { try await patient.run(Self.insert, .int64(4)) } }
        try await other.waitFor(waits)
        try await other.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        #expect(await ended.value == .uncertain(.connectionLost))
        let late = Task { await failure { try await patient.run(Self.insert, .int64(5), within: .milliseconds(300)) } }
        #expect(await late.value == .uncertain(.deadlineExceeded))
        // No timeout of the server's ends that wait: the pool ends the session.
        try await other.waitFor("SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')")
        try standby.start()
        try await other.waitFor("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")
        try await patient.run(Self.insert, .int64(6))
        for pool in [other, patient] { await pool.close() }
    }

    @Test func `a lock held by another session ends the wait, and nothing is stored`() async throws {
        let stage = try await stage(try await ServerStage.shared())
        var settings = SessionSettings.patient
        settings.lockTimeout = .milliseconds(100)
        let pool = try stage.pool(settings: settings)
        var holder = Batch(writes: true)
        holder.add(Self.insert, .int64(1))
        holder.add("SELECT pg_sleep(900)::text")
        let held = Task { [holder] in await failure { try await pool.run(holder, within: ServerStage.patience)[0] } }
        try await pool.waitFor(
            "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
        )
        #expect(await failure { try await pool.run(Self.insert, .int64(1)) } == .notDone(.lockNotAvailable))
        held.cancel()
        #expect(await held.value == .uncertain(.cancelled))
        await pool.close()
    }
}
