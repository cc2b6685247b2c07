import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// What any engine does with fallbacks: armed by APNs' answer, called off by a receipt, fired once.
struct FallbackTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func entry(_ number: UInt64, after seconds: Int = 60, deadline: Timestamp = .after(86_400)) throws
        -> NewEntry
    {
        var entry = try StorePattern.entry(number, deadline: deadline)
        entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
        entry.fallbackAfter = .seconds(seconds)
        return entry
    }

    private func hash(_ number: UInt64) -> [UInt8] { StorePattern.receiptHash(of: StorePattern.apnsID(number)) }

    @Test(arguments: StoreEngine.all)
    func `it is due so long after APNs took its entry, and fires once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            let sent = try await store.sendAll()
            #expect(try await store.nextFallback() == nil)
            _ = try await store.finish(sent[0], .accepted, now: .after(5))
            #expect(try await store.nextFallback() == .after(65))
            #expect(try await store.claimFallbacks(limit: 10, now: .after(64)).isEmpty)
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(65))
            #expect(claimed.map(\.id) == [id] && claimed[0].state == .accepted)
            #expect(try await store.claimFallbacks(limit: 10, now: .after(9_000)).isEmpty)
            #expect(try await store.nextFallback() == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a receipt calls it off`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(try entry(1), try entry(2))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            _ = try await store.redeem([hash(1)], now: .after(59))
            _ = try await store.record([Receipt(tenant: tenant, id: ids[1], time: .after(59))])
            #expect(try await store.nextFallback() == nil)
            #expect(try await store.claimFallbacks(limit: 10, now: .after(60)).isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a receipt that was quicker than the answer leaves nothing to arm`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            let sent = try await store.sendAll()
            _ = try await store.redeem([hash(1)], now: .after(1))
            _ = try await store.finish(sent[0], .accepted)
            #expect(try await store.nextFallback() == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is dead, expired, parked or waits has none`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(
                try entry(1),
                try entry(2, deadline: .after(10)),
                try entry(3),
                try entry(4),
                try StorePattern.entry(5)
            )
            let sent = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            let verdicts: [Verdict] = [
                .dead(.rejected), .retry(at: .after(10)), .park, .retry(at: .after(9)), .accepted,
            ]
            for (one, verdict) in zip(sent, verdicts) { _ = try await store.finish(one, verdict) }
            #expect(try await store.nextFallback() == nil)
            #expect(try await store.claimFallbacks(limit: 10, now: .after(9_000)).isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of many the longest due come first, and at most as many as are wanted`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(try entry(1, after: 30), try entry(2, after: 10), try entry(3, after: 20))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            #expect(try await store.nextFallback() == .after(10))
            #expect(try await store.claimFallbacks(limit: 2, now: .after(30)).map(\.id) == [ids[1], ids[2]])
            #expect(try await store.claimFallbacks(limit: 0, now: .after(30)).isEmpty)
            #expect(try await store.claimFallbacks(limit: .max, now: .after(30)).map(\.id) == [ids[0]])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of many that claim at once, one gets it`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await store.claimFallbacks(limit: 10, now: .after(60)).count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.reduce(0, +) == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was claimed does not fire in the next process, and what was armed does`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            _ = try await store.store(try entry(1, after: 10), try entry(2, after: 20))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            #expect(try await store.claimFallbacks(limit: 10, now: .after(10)).count == 1)
        } then: { store in
            #expect(try await store.nextFallback() == .after(20))
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(9_000))
            #expect(claimed.map(\.apnsID) == [StorePattern.apnsID(2)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `the receipt of what fired is still one`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            _ = try await store.claimFallbacks(limit: 10, now: .after(60))
            guard case .received = try await store.redeem([hash(1)], now: .after(70))[0] else { throw NotStored() }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `the copy of a dead letter has its fallback, and what was purged has none`(_ engine: StoreEngine) async throws
    {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let replay = Replay(id: id, apnsID: StorePattern.apnsID(99), deadline: .after(900))
            _ = try await store.replay([replay], tenant: tenant, now: .after(1))
            for one in try await store.sendAll(now: .after(1)) {
                _ = try await store.finish(one, .accepted, now: .after(1))
            }
            #expect(try await store.nextFallback() == .after(61))
            #expect(try await store.purge(endedBefore: .after(50), limit: 10) == 2)
            #expect(try await store.nextFallback() == nil)
        }
    }
}
