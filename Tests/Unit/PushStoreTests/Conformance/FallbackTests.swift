import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// Fallbacks: armed by APNs' answer, cancelled by a receipt, claimed, sent once.
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
            #expect(claimed.map(\.entry.id) == [id] && claimed[0].entry.state == .accepted)
            #expect(claimed[0].due == .after(65) && claimed[0].tried == nil)
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
            let first = try await store.claimFallbacks(limit: 2, now: .after(30))
            #expect(first.map(\.entry.id) == [ids[1], ids[2]])
            #expect(try await store.claimFallbacks(limit: 0, now: .after(30)).isEmpty)
            #expect(try await store.claimFallbacks(limit: .max, now: .after(30)).map(\.entry.id) == [ids[0]])
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
    func `the next process sends what was claimed, and says what may have been sent`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            _ = try await store.store(try entry(1, after: 10), try entry(2, after: 20), try entry(3, after: 30))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(20))
            #expect(claimed.count == 2)
            #expect(try await store.beginFallback(claimed[0].entry.id))
        } then: { store in
            #expect(try await store.nextFallback() == .after(20))
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(9_000))
            #expect(claimed.map(\.entry.apnsID) == [StorePattern.apnsID(2), StorePattern.apnsID(3)])
            let hooks = try await store.takeHooks(limit: 10, now: .after(9_000), leasedUntil: .after(9_999))
            #expect(hooks.map(\.kind) == [.fallbackUncertain] && hooks[0].entry.apnsID == StorePattern.apnsID(1))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was sent is over, and its tenant is told in the same step`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            _ = try await store.claimFallbacks(limit: 10, now: .after(60))
            #expect(try await store.beginFallback(id))
            #expect(try await store.beginFallback(id) == false)
            for _ in 0..<2 { try await store.endFallback(id, telling: .fallback, now: .after(61)) }
        } then: { store in
            #expect(try await store.nextFallback() == nil)
            let hooks = try await store.takeHooks(limit: 10, now: .after(70), leasedUntil: .after(99))
            #expect(hooks.map(\.kind) == [.fallback])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is given back is armed as it says, whether it had begun or not`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(try entry(1), try entry(2))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(60))
            #expect(try await store.beginFallback(ids[1]))
            let outcomes = [
                FallbackOutcome(claimed[0], .givenBack(due: claimed[0].due, tried: nil)),
                FallbackOutcome(claimed[1], .givenBack(due: .after(90), tried: .after(61))),
            ]
            try await store.finishFallbacks(outcomes, now: .after(61))
        } then: { store in
            #expect(try await store.nextFallback() == .after(60))
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(90))
            #expect(claimed.map(\.due) == [.after(60), .after(90)])
            #expect(claimed.map(\.tried) == [nil, .after(61)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a receipt calls off what was claimed, and not what is being sent`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(try entry(1), try entry(2), try entry(3))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            let claimed = try await store.claimFallbacks(limit: 10, now: .after(60))
            #expect(try await store.beginFallback(ids[1]))
            #expect(try await store.beginFallback(ids[2]))
            _ = try await store.redeem([hash(1), hash(2), hash(3)], now: .after(60))
            #expect(try await store.beginFallback(ids[0]) == false)
            // The second turned out unsent: there is nothing to send any more.
            let outcome = FallbackOutcome(claimed[1], .givenBack(due: .after(60), tried: nil))
            try await store.finishFallbacks([outcome], now: .after(61))
            #expect(try await store.nextFallback() == nil)
            try await store.endFallback(ids[2], telling: .fallback, now: .after(61))
            let hooks = try await store.takeHooks(limit: 10, now: .after(61), leasedUntil: .after(99))
            #expect(hooks.map(\.entry.id) == [ids[2]])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of each tenant as much is claimed as there is room for`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            for number in 1...30 { _ = try await store.store(try entry(UInt64(number))) }
            _ = try await store.store(try entry(31), try entry(32), try entry(33), tenant: 2)
            _ = try await store.store(try entry(34), tenant: 3)
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            let other = try StorePattern.tenant(3)
            let room = ClaimRoom(whole: 9, ofEach: 4, ofTenants: [tenant: 0])
            #expect(try await store.claimFallbacks(room, now: .after(60)).count == 4)
            #expect(try await store.nextFallback(ClaimRoom(whole: 9, ofEach: 0, ofTenants: [other: 9])) == nil)
            let rest = try await store.claimFallbacks(ClaimRoom(whole: 9, ofEach: 4), now: .after(60))
            #expect(rest.count == 4 && rest.allSatisfy { $0.entry.tenant == tenant })
            #expect(try await store.claimFallbacks(ClaimRoom(whole: 0, ofEach: 4), now: .after(60)).isEmpty)
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
