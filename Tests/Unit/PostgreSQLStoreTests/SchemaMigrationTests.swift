import PostgreSQL
import PostgreSQLServers
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite(.needsServer)
struct SchemaMigrationTests {
    private static let steps: [[Statement]] = (1...4).map { number in
        [
            Statement(once: "CREATE TABLE IF NOT EXISTS public.applied (number int8)"),
            Statement(once: "INSERT INTO public.applied SELECT max(version) FROM sealedpush.stamp"),
        ]
    }

    @Test func `an empty database gets all steps, once, and a repetition changes nothing`() async throws {
        let stage = try await DatabaseStage()
        let pool = try stage.pool()
        let needed = DatabaseSchema.version
        #expect(try await SchemaMigration.standing(of: pool) == .older(version: 0, needed: needed))
        #expect(try await SchemaMigration.run(pool) == needed)
        #expect(try await SchemaMigration.standing(of: pool) == .usable)
        #expect(try await SchemaMigration.run(pool) == 0)
        await pool.close()
    }

    @Test func `programs that migrate at the same time apply each step once`() async throws {
        let stage = try await DatabaseStage()
        let pools = try (0..<4).map { _ in try stage.pool() }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for pool in pools { group.addTask { try await SchemaMigration.run(pool, steps: Self.steps) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.reduce(0, +) == 4)
        let rows = try await pools[0].run("SELECT number FROM applied ORDER BY number").rows
        #expect(try rows.map { try $0.int64(0) } == [1, 2, 3, 4])
        for pool in pools { await pool.close() }
    }

    @Test func `a step that fails leaves the version before it, and the next run goes on there`() async throws {
        let stage = try await DatabaseStage()
        let pool = try stage.pool()
        var steps = Self.steps
        steps[2].append(Statement(once: "SELECT 1 / 0"))
        await #expect(throws: PostgreSQLError.self) { try await SchemaMigration.run(pool, steps: steps) }
        #expect(try await SchemaMigration.standing(of: pool, known: 4) == .older(version: 2, needed: 4))
        #expect(try await pool.run("SELECT FROM applied").rowCount == 2)
        #expect(try await SchemaMigration.run(pool, steps: Self.steps) == 2)
        await pool.close()
    }

    @Test(arguments: [
        (5, SchemaMigration.Standing.older(version: 4, needed: 5)), (4, .usable), (3, .usable),
        (2, .newer(version: 4, newestKnown: 2)),
    ])
    func `a relay works with its own version of the schema and the next, and refuses others`(
        _ known: Int,
        _ expected: SchemaMigration.Standing
    ) async throws {
        let stage = try await DatabaseStage()
        let pool = try stage.pool()
        _ = try await SchemaMigration.run(pool, steps: Self.steps)
        #expect(try await SchemaMigration.standing(of: pool, known: known) == expected)
        await pool.close()
    }
}
