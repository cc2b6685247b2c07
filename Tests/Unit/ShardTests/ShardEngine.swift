import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

#if POSTGRESQL
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
#endif

/// An engine whose shards several relays of a test own.
enum ShardEngine: CaseIterable, Sendable {
    case sqlite, postgreSQL

    static var all: [ShardEngine] {
        #if POSTGRESQL
        return PostgreSQLPrograms.areInstalled ? [.sqlite, .postgreSQL] : [.sqlite]
        #else
        return [.sqlite]
        #endif
    }

    /// Seeds of random runs. A step takes longer on a server.
    static var seeds: [(ShardEngine, Int)] {
        all.flatMap { engine in (1...(engine == .sqlite ? 24 : 4)).map { (engine, $0) } }
    }

    /// Opens a store for relays that all use it, and gives all shards to the first.
    func open(_ folder: TemporaryFolder?) async throws -> (any RelayStore, ShardLeases, any StageClock) {
        #if POSTGRESQL
        if self == .postgreSQL { return try await ServerStageClock.open() }
        #endif
        let folder = try folder ?? TemporaryFolder()
        let now = Guarded<Int64>(1_000)
        var settings = StoreSettings()
        settings.leaseClock = { now.withLock { $0 } }
        let store = try SQLiteStore(
            path: folder.path("store"),
            key: try StorePattern.key(),
            settings: settings,
            now: StorePattern.start
        )
        return (store, store.openingReport.leases, FileStageClock(now: now, folder: folder, store: store))
    }
}

/// The clock of a store's leases, and what else only its engine knows.
protocol StageClock: Sendable {
    func advance(milliseconds: Int64) async throws
    func contradictions() async throws -> [String]
    func close() async
}

private struct FileStageClock: StageClock {
    let now: Guarded<Int64>
    let folder: TemporaryFolder
    let store: SQLiteStore

    func advance(milliseconds: Int64) async throws { now.withLock { $0 += milliseconds } }

    func contradictions() async throws -> [String] { try await store.integrityReport().map { "\($0)" } }

    func close() async {}
}

#if POSTGRESQL
private struct ServerStageClock: StageClock {
    let stage: DatabaseStage
    let pool: DatabasePool
    /// The store's, among `openers`.
    let id: ObjectIdentifier

    static func open() async throws -> (any RelayStore, ShardLeases, any StageClock) {
        let stage = try await DatabaseStage()
        let pool = try stage.pool(connections: 1)
        _ = try await SchemaMigration.run(pool)
        try await stage.stopClock(pool)
        let relay = ShardStage.relay(1)
        var settings = PostgreSQLStoreSettings()
        settings.callTime = DatabaseStage.patience
        // Its sessions have no relay's name: a takeover would end them.
        let store = try await PostgreSQLStore.open(
            try stage.pool(connections: 3),
            key: try StorePattern.key(),
            relay: relay,
            settings: settings,
            now: StorePattern.start
        )
        let taken = try await store.acquire(.all, for: relay, lasting: ShardStage.term, now: StorePattern.start)
        openers.withLock { $0[ObjectIdentifier(store)] = taken.leases }
        return (store, taken.leases, ServerStageClock(stage: stage, pool: pool, id: ObjectIdentifier(store)))
    }

    func advance(milliseconds: Int64) async throws {
        try await pool.run("UPDATE test_clock SET now = now + $1", .int64(milliseconds))
    }

    func contradictions() async throws -> [String] { try await pool.contradictions() }

    func close() async {
        openers.withLock { _ = $0.removeValue(forKey: id) }
        await pool.close()
    }
}
#endif
