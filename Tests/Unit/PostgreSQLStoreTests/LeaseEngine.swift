import Envelope
import Networking
import Platform
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Leases of one engine, all shards free at first, under a clock that the test moves.
protocol LeaseEngine: Sendable {
    /// Epoch of each shard.
    var firstEpoch: Int64 { get }
    func acquire(_ shards: ShardSet, for relay: RelayID) async throws -> ShardLeases
    func renew(_ leases: ShardLeases) async throws -> ShardSet
    func giveBack(_ leases: ShardLeases) async throws
    func advance(milliseconds: Int64) async throws
    func close() async
}

enum LeaseEngineKind: String, CaseIterable, Sendable {
    case sqlite, postgreSQL

    static let term = Duration.seconds(30)

    func make() async throws -> any LeaseEngine {
        switch self {
        case .sqlite: try await SQLiteLeases()
        case .postgreSQL: try await PostgreSQLLeases()
        }
    }
}

final class SQLiteLeases: LeaseEngine {
    let firstEpoch: Int64 = 1
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let clock = Guarded<Int64>(1_000)

    init() async throws {
        folder = try TemporaryFolder()
        var settings = StoreSettings()
        settings.leaseClock = { [clock] in clock.withLock { $0 } }
        store = try SQLiteStore(
            path: folder.path("store"),
            key: try StorePattern.key(),
            settings: settings,
            now: StorePattern.start
        )
        try await store.giveBack(store.openingReport.leases)
    }

    func acquire(_ shards: ShardSet, for relay: RelayID) async throws -> ShardLeases {
        try await store.acquire(shards, for: relay, lasting: LeaseEngineKind.term, now: StorePattern.start).leases
    }

    func renew(_ leases: ShardLeases) async throws -> ShardSet {
        try await store.renew(leases, lasting: LeaseEngineKind.term)
    }

    func giveBack(_ leases: ShardLeases) async throws { try await store.giveBack(leases) }

    func advance(milliseconds: Int64) async throws { clock.withLock { $0 += milliseconds } }

    func close() async { await store.close() }
}

final class PostgreSQLLeases: LeaseEngine {
    let firstEpoch: Int64 = 0
    let stage: DatabaseStage
    let pool: DatabasePool
    private let table: LeaseTable

    init() async throws {
        stage = try await DatabaseStage()
        pool = try stage.pool()
        table = LeaseTable(pool, deadline: DatabaseStage.patience)
        _ = try await SchemaMigration.run(pool)
        try await stage.stopClock(pool)
    }

    func acquire(_ shards: ShardSet, for relay: RelayID) async throws -> ShardLeases {
        try await table.acquire(shards, for: relay, lasting: LeaseEngineKind.term)
    }

    func renew(_ leases: ShardLeases) async throws -> ShardSet {
        try await table.renew(leases, lasting: LeaseEngineKind.term)
    }

    func giveBack(_ leases: ShardLeases) async throws { try await table.giveBack(leases) }

    func advance(milliseconds: Int64) async throws {
        try await pool.run("UPDATE test_clock SET now = now + $1", .int64(milliseconds))
    }

    func close() async { await pool.close() }
}

/// An empty database of its own, a loop, and pools on it.
final class DatabaseStage: Sendable {
    static let patience = Duration.seconds(600)

    let server: TestServer
    private let database: String
    private let loop: EventLoop

    init(_ server: TestServer? = nil) async throws {
        self.server = try server ?? TestServer.shared()
        database = "test" + String(UInt64.random(in: 0...(.max)), radix: 36)
        try self.server.createDatabase(database)
        loop = try EventLoop()
    }

    deinit { loop.stopAnywhere() }

    var url: String { server.localURL(database) }

    /// - Parameter others: further servers with the same database.
    func pool(
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
    func stopClock(_ pool: DatabasePool) async throws {
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
    func run(
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
    static var needsServer: Self {
        .enabled(if: PostgreSQLPrograms.areInstalled, "no PostgreSQL here: scripts/prerequisites postgresql")
    }
}
