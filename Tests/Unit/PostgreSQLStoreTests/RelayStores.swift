import Envelope
import Platform
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import TestSupport

@testable import PostgreSQLStore

/// A database with its schema, and the stores of relays on it, each with connections of its own.
final class RelayStores: Sendable {
    static let term = Duration.seconds(600)

    let stage: DatabaseStage
    let tenant: TenantID

    /// - Parameter server: nil for the one that tests share.
    init(_ server: TestServer? = nil) async throws {
        stage = try await DatabaseStage(server)
        tenant = try StorePattern.tenant(1)
        let pool = try stage.pool(connections: 1)
        _ = try await SchemaMigration.run(pool)
        await pool.close()
    }

    static func relay(_ number: UInt64) -> RelayID { RelayID(high: 0x5107_E000_0000_0000 + number, low: 5) }

    func open(
        _ number: UInt64,
        callTime: Duration = DatabaseStage.patience,
        now: Timestamp = StorePattern.start
    ) async throws -> PostgreSQLStore {
        var settings = PostgreSQLStoreSettings()
        settings.callTime = callTime
        return try await PostgreSQLStore.open(
            try stage.pool(connections: 3),
            key: try StorePattern.key(),
            relay: Self.relay(number),
            settings: settings,
            now: now
        )
    }

    /// Opens the store of a relay that owns all shards.
    func openOwner(
        _ number: UInt64,
        callTime: Duration = DatabaseStage.patience
    ) async throws -> (PostgreSQLStore, ShardLeases) {
        let store = try await open(number, callTime: callTime)
        let taken = try await store.acquire(.all, for: store.relay, lasting: Self.term, now: StorePattern.start)
        return (store, taken.leases)
    }

    func request(_ numbers: ClosedRange<UInt64>, key: String? = nil, body: UInt64 = 0) throws -> OutboxRequest {
        try OutboxRequest(
            tenant: tenant,
            idempotency: try key.map { try StorePattern.idempotency($0, body: body) },
            entries: try numbers.map { try StorePattern.entry($0, deadline: .days(90)) }
        )
    }
}

extension PostgreSQLStore {
    func takeAll(by owned: ShardLeases, now: Timestamp = StorePattern.start) async throws -> [LeasedEntry] {
        let until = now.advanced(by: .seconds(60))
        return try await take(TakeDemand(lane: .normal, limit: 1_000, now: now, leasedUntil: until), by: owned)
    }

    func accept(_ leases: [Lease], now: Timestamp = StorePattern.start) async throws -> [FinishResult] {
        let attempt = Attempt(time: now, connection: .answered, status: 200)
        return try await finish(leases.map { Outcome(lease: $0, attempt: attempt, verdict: .accepted) }, now: now)
    }

    func ids(_ request: OutboxRequest, now: Timestamp = StorePattern.start) async throws -> [EntryID] {
        guard case .stored(let ids) = try await enqueue([request], from: relay, now: now)[0] else { return [] }
        return ids
    }

    func states(_ ids: [EntryID], _ tenant: TenantID) async throws -> [EntryState?] {
        try await entries(ids, tenant: tenant).map { $0?.state }
    }
}

extension Timestamp {
    static func days(_ count: Int) -> Timestamp { StorePattern.start.advanced(by: .seconds(86_400 * count)) }
}
