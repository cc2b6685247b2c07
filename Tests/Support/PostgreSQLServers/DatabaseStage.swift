internal import Networking
package import PostgreSQL
internal import PostgreSQLStore
package import PushStore
internal import TestSupport
package import Testing

/// An empty database of its own, a loop, and pools on it.
package final class DatabaseStage: Sendable {
    package static let patience = Duration.seconds(600)

    package let server: TestServer
    package let database: String
    private let loop: EventLoop

    package init(_ server: TestServer? = nil) async throws {
        self.server = try server ?? TestServer.shared()
        database = "test" + String(UInt64.random(in: 0...(.max)), radix: 36)
        try self.server.createDatabase(database)
        loop = try EventLoop()
    }

    /// A database that is there.
    package init(_ server: TestServer, database: String) throws {
        self.server = server
        self.database = database
        loop = try EventLoop()
    }

    deinit { loop.stopAnywhere() }

    package var url: String { server.localURL(database) }

    /// - Parameter others: further servers with the same database.
    package func pool(
        as relay: RelayID? = nil,
        others: [TestServer] = [],
        connections: Int = 8
    ) throws -> DatabasePool {
        var limits = PoolLimits()
        limits.connectionCountMax = connections
        var settings = SessionSettings()
        // No timeout of the server's ends a test's statement on a busy machine.
        settings.statementTimeout = .seconds(1_000)
        settings.connectTimeout = .seconds(60)
        settings.lockTimeout = .seconds(30)
        if let relay { settings.applicationName = LeaseTable.applicationName(relay) }
        let hosts = ([server] + others).map { $0.folder.path.replacing("/", with: "%2F") }.joined(separator: ",")
        return DatabasePool(
            try DatabaseURL(server.url(host: hosts, database: database)),
            on: loop,
            limits: limits,
            settings: settings
        )
    }

    /// Puts a clock that tests move in the place of the server's.
    package func stopClock(_ pool: DatabasePool) async throws {
        try await pool.run(Statement(once: "CREATE TABLE test_clock AS SELECT 1000::int8 AS now"))
        try await pool.run(
            Statement(
                once: """
                    CREATE OR REPLACE FUNCTION sealedpush.lease_clock() RETURNS int8 LANGUAGE sql VOLATILE
                    AS 'SELECT now FROM public.test_clock'
                    """
            )
        )
    }
}

extension DatabasePool {
    @discardableResult
    package func run(
        _ statement: Statement,
        _ parameters: Parameter...,
        writes: Bool = true
    ) async throws(PostgreSQLError) -> QueryResult {
        var batch = Batch(writes: writes)
        batch.add(statement, parameters)
        return try await run(batch, within: DatabaseStage.patience)[0]
    }
}

extension Trait where Self == ConditionTrait {
    package static var needsServer: Self {
        .enabled(if: PostgreSQLPrograms.areInstalled, "no PostgreSQL here: scripts/prerequisites postgresql")
    }
}
