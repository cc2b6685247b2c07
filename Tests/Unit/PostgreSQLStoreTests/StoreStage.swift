import Envelope
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import PushStorePattern

/// Several relays on one database, each with its own store and connections.
final class StoreStage: Sendable {
    let stage: DatabaseStage
    /// Of this test, beside the relays.
    let pool: DatabasePool
    let stores: [PostgreSQLStore]

    init(relays count: Int = 2, hookCountMax: Int = 1_000) async throws {
        stage = try await DatabaseStage()
        pool = try stage.pool(connections: 2)
        _ = try await SchemaMigration.run(pool)
        var stores: [PostgreSQLStore] = []
        for number in 1...UInt64(count) { stores.append(try await Self.open(number, stage, hookCountMax)) }
        self.stores = stores
    }

    private static func open(
        _ number: UInt64,
        _ stage: DatabaseStage,
        _ hookCountMax: Int
    ) async throws -> PostgreSQLStore {
        let relay = RelayID(high: number, low: 1)
        var settings = PostgreSQLStoreSettings()
        settings.callTime = DatabaseStage.patience
        settings.hookCountMax = hookCountMax
        return try await PostgreSQLStore.open(
            try stage.pool(as: relay, connections: 4),
            key: try StorePattern.key(),
            relay: relay,
            settings: settings,
            now: StorePattern.start
        )
    }

    func close() async {
        for store in stores { await store.close() }
        await pool.close()
    }

    /// Holds rows while calls begin that write them, so that all of these have read before any of them writes.
    ///
    /// - Parameters:
    ///   - lock: locks the rows.
    ///   - count: calls that will wait for the rows.
    func race(_ lock: Statement, waiting count: Int, _ calls: () async throws -> Void) async throws {
        let gate = try stage.pool(connections: 1)
        let holder = try stage.pool(connections: 1)
        try await gate.run("SELECT pg_advisory_lock(7)::text")
        var batch = Batch(writes: true)
        batch.add(lock)
        batch.add("SELECT pg_advisory_xact_lock(7)::text")
        let held = batch
        async let holding = holder.run(held, within: DatabaseStage.patience)
        while try await waitingCount() < 1 { await Task.yield() }
        async let released: Void = release(gate, after: count + 1)
        try await calls()
        try await released
        _ = try await holding
        await holder.close()
        await gate.close()
    }

    private func release(_ gate: DatabasePool, after count: Int) async throws {
        while try await waitingCount() < count { await Task.yield() }
        try await gate.run("SELECT pg_advisory_unlock(7)")
    }

    /// Sessions of this database that wait for a lock.
    private func waitingCount() async throws -> Int {
        try await pool.run(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        ).rowCount
    }
}

extension StoreStage {
    /// Of one of the tables that tests look at.
    func rowCount(_ table: String) async throws -> Int64 {
        let counts: [String: Statement] = [
            "waiting": "SELECT count(*) FROM sealedpush.waiting", "flight": "SELECT count(*) FROM sealedpush.flight",
            "fallback": "SELECT count(*) FROM sealedpush.fallback", "hook": "SELECT count(*) FROM sealedpush.hook",
        ]
        guard let count = counts[table] else { return -1 }
        return try await pool.run(count).rows[0].int64(0)
    }
}
