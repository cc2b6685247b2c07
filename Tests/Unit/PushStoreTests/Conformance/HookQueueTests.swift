import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// Hooks for tenants: every end that they asked for, at least once.
struct HookQueueTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func entry(_ number: UInt64, deadline: Timestamp = .after(86_400)) throws -> NewEntry {
        var entry = try StorePattern.entry(number, deadline: deadline)
        entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
        entry.isReported = true
        return entry
    }

    private func hash(_ number: UInt64) -> [UInt8] { StorePattern.receiptHash(of: StorePattern.apnsID(number)) }

    @Test(arguments: StoreEngine.all)
    func `every way to an end writes its hook`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(
                try entry(1),
                try entry(2),
                try entry(3),
                try entry(4),
                try entry(5, deadline: .after(10)),
                try entry(6, deadline: .after(5))
            )
            let sent = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            let verdicts: [Verdict] = [.dead(.rejected), .accepted, .accepted, .retry(at: .after(90_000)), .park]
            for (one, verdict) in zip(sent, verdicts) { _ = try await store.finish(one, verdict) }
            _ = try await store.finish(sent[5], .retry(at: .after(1)))
            _ = try await store.redeem([hash(2)], now: .after(1))
            _ = try await store.record([Receipt(tenant: tenant, id: ids[2], time: .after(1))])
            #expect(try await store.expire(now: .after(10), limit: 1) == 1)
            #expect(try await store.expire(now: .after(10), limit: 1) == 1)
            let hooks = try await store.takeAllHooks()
            let told = Dictionary(uniqueKeysWithValues: hooks.map { ($0.entry.id, $0.kind) })
            let kinds: [HookKind] = [.dead, .delivered, .delivered, .expired, .expired, .expired]
            #expect(told == Dictionary(uniqueKeysWithValues: zip(ids, kinds)))
            for hook in hooks { #expect(hook.entry.state.isFinal && hook.detail == [] && hook.attemptCount == 0) }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an end that a look at the queue finds, or a mark, is told`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1, deadline: .after(10)), try entry(2, deadline: .after(20)))
            let taken = try await store.takeAll(now: .after(10))
            #expect(try await store.markSending(taken.map(\.lease), now: .after(20)) == [.expired])
            let hooks = try await store.takeAllHooks()
            #expect(hooks.map(\.kind) == [.expired, .expired])
            #expect(hooks.map(\.created) == [.after(10), .after(20)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was on its way for the last time is told after a crash`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var last = try entry(1)
            last.attemptLimit = 1
            _ = try await store.store(last)
            _ = try await store.sendAll()
        } then: { store in
            let hooks = try await store.takeAllHooks()
            #expect(hooks.map(\.kind) == [.dead] && hooks.first?.entry.state == .dead(.outcomeUnknown))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `nobody is told what nobody asked for, nor that APNs took it`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1), try entry(2))
            let sent = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            _ = try await store.finish(sent[0], .dead(.rejected))
            _ = try await store.finish(sent[1], .accepted)
            #expect(try await store.nextHook() == nil)
            #expect(try await store.takeAllHooks().isEmpty)
            #expect(try await store.hookCounts() == [])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was delivered twice is told once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            let sent = try await store.sendAll()
            _ = try await store.redeem([hash(1), hash(1)], now: .after(1))
            _ = try await store.finish(sent[0], .accepted)
            _ = try await store.record([Receipt(tenant: tenant, id: id, time: .after(2))])
            let hooks = try await store.takeAllHooks()
            #expect(hooks.map(\.kind) == [.delivered])
            try await store.finishHooks(hooks.map { HookOutcome($0, .done) })
            _ = try await store.redeem([hash(1)], now: .after(3))
            #expect(try await store.nextHook() == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was taken is nobody else's until its lease ends, and then due again`(_ engine: StoreEngine) async throws
    {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            #expect(try await store.nextHook() == .after(0))
            let first = try await store.takeHooks(limit: 9, now: .after(1), leasedUntil: .after(61))
            #expect(first.count == 1 && first[0].attemptCount == 0 && first[0].created == .after(0))
            #expect(try await store.nextHook() == .after(61))
            #expect(try await store.takeHooks(limit: 9, now: .after(60), leasedUntil: .after(120)).isEmpty)
            let second = try await store.takeHooks(limit: 9, now: .after(61), leasedUntil: .after(120))
            #expect(second.map(\.id) == first.map(\.id) && second[0].attemptCount == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what failed waits for its time, and what is done is gone`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let hook = try await store.takeHooks(limit: 9, now: .after(0), leasedUntil: .after(60))[0]
            try await store.finishHooks([HookOutcome(hook, .retry(at: .after(300)))])
            #expect(try await store.nextHook() == .after(300))
            #expect(try await store.takeHooks(limit: 9, now: .after(299), leasedUntil: .after(400)).isEmpty)
            let again = try await store.takeHooks(limit: 9, now: .after(300), leasedUntil: .after(400))
            #expect(again.map(\.id) == [hook.id] && again[0].attemptCount == 1)
            try await store.finishHooks([HookOutcome(hook, .done), HookOutcome(hook, .done)])
            try await store.finishHooks([HookOutcome(hook, .retry(at: .after(1)))])
            #expect(try await store.nextHook() == nil)
            #expect(try await store.hookCounts() == [HookCount(tenant: tenant, waiting: 0, dropped: 0)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of many that take at once, each hook is one's`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            for number in 1...20 { _ = try await store.store(try entry(UInt64(number))) }
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let taken = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await store.takeHooks(limit: 15, now: .after(0), leasedUntil: .after(60)).map(\.id)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(taken.count == Set(taken).count)
            let rest = try await store.takeHooks(limit: 99, now: .after(0), leasedUntil: .after(60))
            #expect(taken.count + rest.count == 20)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a tenant with many holds up nobody`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            for number in 1...30 { _ = try await store.store(try entry(UInt64(number))) }
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            _ = try await store.store(try entry(31), try entry(32), tenant: 2)
            for one in try await store.sendAll() {
                _ = try await store.finish(one, .dead(.rejected), now: .after(5))
            }
            let taken = try await store.takeHooks(limit: 6, now: .after(9), leasedUntil: .after(60))
            #expect(taken.count { $0.entry.tenant != tenant } == 2)
            #expect(taken.map(\.created) == taken.map(\.created).sorted() && taken.count == 6)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a tenant's oldest make room for its newest, and are counted`(_ engine: StoreEngine) async throws {
        try await engine.with(hookCountMax: 3) { store in
            _ = try await store.store(try entry(90), tenant: 2)
            for number in 1...5 { _ = try await store.store(try entry(UInt64(number))) }
            let sent = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            for one in sent { _ = try await store.finish(one, .dead(.rejected)) }
            let hooks = try await store.takeAllHooks()
            let mine = hooks.filter { $0.entry.tenant == tenant }
            #expect(mine.map(\.entry.apnsID) == (3...5).map { StorePattern.apnsID($0) })
            #expect(hooks.count == 4)
            let counts = [
                HookCount(tenant: tenant, waiting: 3, dropped: 2),
                HookCount(tenant: try StorePattern.tenant(2), waiting: 1, dropped: 0),
            ]
            #expect(try await store.hookCounts().sorted { $0.dropped > $1.dropped } == counts)
            // Hooks dropped while they are leased are skipped.
            try await store.finishHooks(hooks.map { HookOutcome($0, .done) })
            #expect(try await store.hookCounts().allSatisfy { $0.waiting == 0 })
        }
    }

    @Test(arguments: StoreEngine.all)
    func `they go with their entries, and are counted`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1), try entry(2))
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            #expect(try await store.purge(endedBefore: .after(900), limit: 1) == 1)
            #expect(try await store.takeAllHooks().count == 1)
            #expect(try await store.hookCounts() == [HookCount(tenant: tenant, waiting: 1, dropped: 1)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is reported waits once, and only for its tenant's entries`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let other = try StorePattern.tenant(2)
            _ = try await store.store(try StorePattern.entry(2), tenant: 2)
            let reports = [
                NewHook(tenant: tenant, entry: id, kind: .resendRequested, detail: [1, 2]),
                NewHook(tenant: other, entry: id, kind: .resendRequested),
                NewHook(tenant: tenant, entry: id, kind: .resendRequested, detail: [3]),
                NewHook(tenant: tenant, entry: id, kind: .fallback),
                NewHook(tenant: try StorePattern.tenant(3), entry: id, kind: .fallback),
            ]
            #expect(try await store.report(reports, now: .after(4)) == [true, false, true, true, false])
            let hooks = try await store.takeAllHooks()
            #expect(hooks.map(\.kind) == [.resendRequested, .fallback])
            #expect(hooks.map(\.detail) == [[1, 2], []] && hooks.allSatisfy { $0.entry.id == id })
            // Once sent it can be requested again.
            try await store.finishHooks(hooks.map { HookOutcome($0, .done) })
            #expect(try await store.report([reports[2]], now: .after(5)) == [true])
            #expect(try await store.takeAllHooks().map(\.detail) == [[3]])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `the copy of a dead letter is told of as well`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let replay = Replay(id: id, apnsID: StorePattern.apnsID(99), deadline: .after(900))
            guard case .replayed(let copy) = try await store.replay([replay], tenant: tenant, now: .after(1))[0] else {
                throw NotStored()
            }
            #expect(try await store.expire(now: .after(900), limit: 10) == 1)
            let hooks = try await store.takeAllHooks()
            #expect(hooks.map(\.entry.id) == [id, copy] && hooks.map(\.kind) == [.dead, .expired])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a detail that is too long is refused, and nothing is written`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let limits = NewHook.detailByteCounts
            let long = [UInt8](repeating: 1, count: limits.upperBound + 1)
            let reports = [
                NewHook(tenant: tenant, entry: id, kind: .fallback),
                NewHook(tenant: tenant, entry: id, kind: .resendRequested, detail: long),
            ]
            await #expect(throws: StoreError.byteCount(field: .hookDetail, of: limits)) {
                _ = try await store.report(reports, now: .after(0))
            }
            #expect(try await store.nextHook() == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `hooks outlive the process, and no id is given out twice`(_ engine: StoreEngine) async throws {
        var ids: [Int64] = []
        try await engine.with { store in
            var last = try entry(1)
            last.attemptLimit = 1
            _ = try await store.store(last, try entry(2))
            let sent = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            _ = try await store.finish(sent[1], .dead(.rejected))
            ids += try await store.takeAllHooks().map(\.id)
        } then: { store in
            // One of before, and one of an entry in flight.
            let hooks = try await store.takeAllHooks()
            #expect(hooks.count == 2 && ids.allSatisfy(hooks.map(\.id).contains))
            let id = try await store.store(try entry(3), now: .after(0))[0]
            #expect(hooks.allSatisfy { $0.id < id.value })
        }
    }
}

extension RelayStore {
    /// Takes every hook, due or not, in the order of their ids, without another reader meanwhile.
    fileprivate func takeAllHooks() async throws -> [Hook] {
        let end = Timestamp.after(900_000)
        return try await takeHooks(limit: 1_000, now: end, leasedUntil: end).sorted { $0.id < $1.id }
    }
}
