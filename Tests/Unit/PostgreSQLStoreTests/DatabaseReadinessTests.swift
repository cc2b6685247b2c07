import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import TestSupport
import Testing

@Suite(.needsServer)
struct DatabaseReadinessTests {
    @Test
    func `a database is ready with its schema and a synchronous standby, or one that need not be`()
        async throws
    {
        let stage = try await DatabaseStage(try TestServer())
        let pool = try stage.pool()
        guard
            case .schema(.older(version: 0, _)) = try await DatabaseReadiness.check(
                pool,
                requiresStandby: true
            )
        else {
            Issue.record("it has no schema yet")
            return
        }
        _ = try await SchemaMigration.run(pool)
        #expect(try await DatabaseReadiness.check(pool, requiresStandby: true) == .noStandby)
        #expect(try await DatabaseReadiness.check(pool, requiresStandby: false) == .ready)
        try stage.server.set("synchronous_standby_names", "standby")
        while try await DatabaseReadiness.check(pool, requiresStandby: true) != .ready {
            await Task.yield()
        }
        await pool.close()
    }
}
