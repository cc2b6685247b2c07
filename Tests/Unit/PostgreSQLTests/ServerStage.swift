import Networking
import Platform
import PostgreSQLServers
import TestSupport
import Testing

@testable import PostgreSQL

extension Trait where Self == ConditionTrait {
    /// The suites that need a server; `make test` installs one.
    static var needsServer: Self {
        .enabled(if: PostgreSQLPrograms.areInstalled, "no PostgreSQL here: scripts/prerequisites postgresql")
    }
}

/// A server, a loop, and pools on it.
final class ServerStage: Sendable {
    static let patience = Duration.seconds(600)

    let server: TestServer
    let database: String
    let loop: EventLoop

    /// - Parameter server: nil for a new one.
    init(_ server: TestServer? = nil, database: String = "postgres") throws {
        self.server = try server ?? TestServer()
        self.database = database
        loop = try EventLoop()
    }

    /// A database of its own on a server that others use.
    static func shared() async throws -> ServerStage {
        let server = try TestServer.shared()
        let name = "test" + String(UInt64.random(in: 0...(.max)), radix: 36)
        try server.createDatabase(name)
        return try ServerStage(server, database: name)
    }

    var localURL: String { server.localURL(database) }
    var url: String { server.url(database) }

    deinit { loop.stopAnywhere() }

    func pool(
        _ url: String? = nil,
        connections: Int = 4,
        waiting: Int = 100,
        settings: SessionSettings = .patient
    ) throws -> DatabasePool {
        var limits = PoolLimits()
        limits.connectionCountMax = connections
        limits.waitingCountMax = waiting
        return DatabasePool(try DatabaseURL(url ?? localURL), on: loop, limits: limits, settings: settings)
    }
}

extension SessionSettings {
    /// No timeout of the server's ends a test's statement on a busy machine.
    static var patient: SessionSettings {
        var settings = SessionSettings()
        settings.statementTimeout = .seconds(1_000)
        settings.connectTimeout = .seconds(60)
        return settings
    }
}

extension DatabasePool {
    @discardableResult
    func run(
        _ statement: Statement,
        _ parameters: Parameter...,
        writes: Bool = true,
        within deadline: Duration = ServerStage.patience
    ) async throws(PostgreSQLError) -> QueryResult {
        var batch = Batch(writes: writes)
        batch.add(statement, parameters)
        guard let result = try await run(batch, within: deadline).first else { throw .broken(.library(call: "none")) }
        return result
    }

    func number(_ statement: Statement) async throws -> Int64 { try await run(statement).rows[0].int64(0) }

    /// Asks the server again and again, until the statement returns a row.
    func waitFor(_ statement: Statement) async throws {
        while true {
            var batch = Batch(writes: false)
            batch.add(statement)
            batch.add("SELECT pg_sleep(0.01)::text")
            if try await run(batch, within: ServerStage.patience)[0].rowCount > 0 { return }
        }
    }
}

/// Error that `body` throws.
func failure(_ body: () async throws -> QueryResult) async -> PostgreSQLError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PostgreSQLError
    }
}
