import Envelope
import PushStore
import PushStorePattern
import Testing

struct FairnessTests {
    @Test(arguments: StoreEngine.all)
    func `a tenant with thousands does not keep out one with two (abuse case 90)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            for round in 0..<20 {
                let entries = try (0..<100).map { try StorePattern.entry(UInt64(round * 100 + $0 + 1), device: 1) }
                let request = try OutboxRequest(
                    tenant: try StorePattern.tenant(1),
                    idempotency: nil,
                    entries: entries
                )
                _ = try await store.enqueue([request], now: .after(0))
            }
            let late = try await store.store(
                try StorePattern.entry(9_001, device: 2),
                try StorePattern.entry(9_002, device: 2),
                tenant: 2,
                now: .after(1)
            )
            let demand = TakeDemand(lane: .normal, limit: 10, now: .after(1), leasedUntil: .after(60))
            let taken = try await store.take(demand)
            #expect(taken.count == 10)
            #expect(Set(taken.map(\.lease.id)).isSuperset(of: late))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a tenant that is out of quota gets nothing, and holds up nobody`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1, device: 1), tenant: 1)
            _ = try await store.store(try StorePattern.entry(2, device: 1), tenant: 2)
            let excluded = try StorePattern.tenant(1)
            let taken = try await store.take(
                TakeDemand(
                    lane: .normal,
                    limit: 10,
                    excluding: [excluded],
                    now: .after(0),
                    leasedUntil: .after(60)
                )
            )
            #expect(taken.map(\.entry.tenant) == [try StorePattern.tenant(2)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a storm of repetitions leaves room for what is fresh`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            for number in 1...30 { _ = try await store.store(try StorePattern.entry(UInt64(number), device: 1)) }
            for one in try await store.sendAll() { _ = try await store.finish(one, .retry(at: .after(1))) }
            for number in 31...60 {
                _ = try await store.store(try StorePattern.entry(UInt64(number), device: 1), now: .after(5))
            }
            let taken = try await store.take(
                TakeDemand(
                    lane: .normal,
                    limit: 20,
                    retryLimit: 5,
                    now: .after(5),
                    leasedUntil: .after(60)
                )
            )
            #expect(taken.count { $0.entry.attemptCount > 0 } == 5)
            #expect(taken.count { $0.entry.attemptCount == 0 } == 15)
        }
    }
}
