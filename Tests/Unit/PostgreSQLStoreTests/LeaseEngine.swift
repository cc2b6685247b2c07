import Envelope
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
