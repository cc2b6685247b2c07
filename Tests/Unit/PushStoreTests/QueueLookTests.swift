import CSQLite
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// The cost of a queue read, and its order of tenants.
struct QueueLookTests {
    private static let tenantCount = 1_000
    private static let limit = 256
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: StorePattern.start)
    }

    private func fill(_ countOfTenant: Int) async throws {
        for first in stride(from: 1, through: Self.tenantCount, by: 100) {
            let requests = try (first..<first + 100).map { tenant in
                let numbers = tenant * countOfTenant..<(tenant + 1) * countOfTenant
                let entries = try numbers.map { try StorePattern.entry(UInt64($0), byteCount: 16) }
                return try OutboxRequest(tenant: StorePattern.tenant(tenant), idempotency: nil, entries: entries)
            }
            _ = try await store.enqueue(requests, now: StorePattern.start)
        }
    }

    /// Steps of SQLite's virtual machine since the last call: a dozen for each row.
    private func stepCount() async throws -> Int {
        try await store.read { reader throws(StoreError) in
            [reader.selectDue, reader.selectDueTogether].reduce(0) { sum, statement in
                sum + Int(unsafe sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_VM_STEP, 1))
            }
        }
    }

    private func take() async throws -> [LeasedEntry] {
        try await store.take(
            TakeDemand(lane: .normal, limit: Self.limit, now: StorePattern.start, leasedUntil: .after(600))
        )
    }

    @Test func `a look at the queues of 1,000 tenants reads what it takes, and not as much of each`() async throws {
        try await fill(30)
        _ = try await stepCount()
        var served: [TenantID: Int] = [:]
        for _ in 0..<4 {
            let taken = try await take()
            #expect(taken.count == Self.limit)
            for entry in taken { served[entry.entry.tenant, default: 0] += 1 }
            let count = try await stepCount()
            #expect(count < 40 * (Self.limit + Self.tenantCount), "\(count)")
        }
        // 1,024 places: each tenant had its turn, and a few their second.
        #expect(served.count == Self.tenantCount && served.values.allSatisfy { $0 <= 2 })
        await store.close()
    }

    @Test func `one tenant's rest is read on from where it was left, whatever is leased before it`() async throws {
        let entries = try (1...1_000).map { try StorePattern.entry(UInt64($0), byteCount: 16) }
        let rest = try (1_001...1_010).map { try StorePattern.entry(UInt64($0), byteCount: 16) }
        for (tenant, entries) in [(1, entries), (2, rest)] {
            let request = try OutboxRequest(tenant: StorePattern.tenant(tenant), idempotency: nil, entries: entries)
            _ = try await store.enqueue([request], now: StorePattern.start)
        }
        var taken: [EntryID] = []
        for _ in 0..<3 { taken += try await take().map(\.lease.id) }
        #expect(Set(taken).count == 3 * Self.limit)
        _ = try await stepCount()
        taken += try await take().map(\.lease.id)
        let count = try await stepCount()
        #expect(Set(taken).count == 1_010 && count < 25 * 1_010, "\(count)")
        await store.close()
    }

    @Test func `how many a tenant has queued is known without a look, and after a new start`() async throws {
        let tenant = try StorePattern.tenant(1)
        #expect(store.queuedCounts(.normal, of: tenant) == (0, 0))
        _ = try await store.store(try StorePattern.entry(1), try StorePattern.entry(2))
        _ = try await store.store(try StorePattern.entry(3), tenant: 2)
        #expect(store.queuedCounts(.normal, of: tenant) == (2, 3))
        #expect(store.queuedCounts(.urgent, of: tenant) == (0, 0))
        _ = try await store.sendAll()
        #expect(store.queuedCounts(.normal, of: tenant) == (0, 0))
        await store.close()
        let next = try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: StorePattern.start)
        #expect(next.queuedCounts(.normal, of: try StorePattern.tenant(2)) == (1, 1))
        await next.close()
    }
}
