#if POSTGRESQL
import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PushStorePattern

@testable import PostgreSQLStore
@testable import PushStore

extension StoreEngine {
    private static let stages = Guarded<[String: DatabaseStage]>([:])

    /// A database for each folder. The relay that opens it owns all shards.
    static let postgreSQL = StoreEngine(
        open: { folder, hookCountMax in
            let stage = try await stage(of: folder)
            var random = SystemRandomNumberGenerator()
            let relay = RelayID(high: random.next(), low: random.next())
            var settings = PostgreSQLStoreSettings()
            settings.hookCountMax = hookCountMax
            settings.callTime = DatabaseStage.patience
            let store = try await PostgreSQLStore.open(
                try stage.pool(as: relay, connections: 3),
                key: try StorePattern.key(),
                relay: relay,
                settings: settings,
                now: StorePattern.start
            )
            let taken = try await store.acquire(.all, for: relay, lasting: .seconds(9_000), now: StorePattern.start)
            openers.withLock { $0[ObjectIdentifier(store)] = taken.leases }
            return store
        },
        close: { store in
            // The next relay finds its shards as a kill leaves them, and free.
            try? await store.giveBack(store.opener)
            await store.close()
            openers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(store as AnyObject)) }
        },
        end: { folder in stages.withLock { _ = $0.removeValue(forKey: folder) } },
        testDescription: "PostgreSQL"
    )

    private static func stage(of folder: String) async throws -> DatabaseStage {
        if let known = stages.withLock({ $0[folder] }) { return known }
        let stage = try await DatabaseStage()
        let pool = try stage.pool(connections: 1)
        _ = try await SchemaMigration.run(pool)
        await pool.close()
        stages.withLock { $0[folder] = stage }
        return stage
    }
}

extension PostgreSQLStore: ReceiptRecorder {
    func deliver(_ receipts: [Receipt]) async throws -> [ReceiptResult] {
        var results: [ReceiptResult] = []
        for receipt in receipts {
            guard try await entries([receipt.id], tenant: receipt.tenant)[0] != nil else {
                results.append(.unknown)
                continue
            }
            switch try await deliver([receipt.id.value], now: receipt.time)[receipt.id.value] {
            case .received: results.append(.recorded)
            case .repeated: results.append(.repeated)
            case .unknown, nil: results.append(.implausible)
            }
        }
        return results
    }
}
#endif
