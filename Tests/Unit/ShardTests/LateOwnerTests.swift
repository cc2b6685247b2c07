import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Writes of a relay that stood still while another took its shards over.
struct LateOwnerTests {
    private func entry(_ number: UInt64) throws -> NewEntry {
        var entry = try StorePattern.entry(number, lane: .urgent, deadline: .after(600))
        entry.fallbackAfter = .seconds(60)
        entry.isReported = true
        return entry
    }

    @Test(arguments: ShardEngine.all)
    func `an entry that a late owner had taken is the next owner's, and is not marked`(_ engine: ShardEngine)
        async throws
    {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue([try entry(1), try entry(2)])
        let held = try await stage.take(by: stage.opener, lane: .urgent)
        let next = try await stage.takeOver().leases
        #expect(try await stage.store.markSending([held[0].lease], now: .after(1)) == [.lateOwner])
        let taken = try await stage.take(by: next, lane: .urgent)
        #expect(taken.map(\.lease.id) == ids && held.map(\.lease.id) == ids)
        #expect(try await stage.store.markSending([held[1].lease], now: .after(1)) == [.lost], "another has it")
        #expect(try await stage.states(ids) == [.queued, .queued])
        #expect(try await stage.store.markSending(taken.map(\.lease), now: .after(1)) == [.sending, .sending])
        // Its look at the queue finds none that it could mark.
        let late = try await stage.take(by: stage.opener, lane: .urgent)
        #expect(try await stage.store.markSending(late.map(\.lease), now: .after(1)).allSatisfy { $0 == .lateOwner })
        await stage.close()
    }

    @Test(arguments: ShardEngine.all, [Verdict.accepted, .retry(at: .after(5)), .park, .dead(.rejected)])
    func `an outcome of a late owner changes nothing`(_ engine: ShardEngine, _ verdict: Verdict) async throws {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue([try entry(1), try entry(3)])
        let sent = try await stage.send(by: stage.opener, lane: .urgent)
        let next = try await stage.takeOver().leases
        let before = try await stage.store.entries(ids, tenant: stage.tenant)
        for one in sent { #expect(try await stage.finish(one.lease, verdict) == .lateOwner) }
        #expect(try await stage.store.entries(ids, tenant: stage.tenant) == before)
        // The second has a collapse id. In flight again, it is the next owner's alone.
        let again = try await stage.send(by: next, lane: .urgent)
        #expect(again.map(\.lease.id) == [ids[1]])
        #expect(try await stage.finish(sent[1].lease, verdict) == .lateOwner)
        #expect(try await stage.states(ids) == [.dead(.outcomeUnknown), .sending])
        #expect(try await stage.finish(again[0].lease, .accepted) == .recorded(.accepted))
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `an outcome without an attempt, of an entry that was not marked, changes nothing either`(_ engine: ShardEngine)
        async throws
    {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue([try entry(1)])
        let held = try await stage.take(by: stage.opener, lane: .urgent)
        let next = try await stage.takeOver().leases
        let outcome = Outcome(lease: held[0].lease, attempt: nil, verdict: .park, isMarked: false)
        #expect(try await stage.store.finish([outcome], now: .after(1)) == [.lateOwner])
        #expect(try await stage.states(ids) == [.queued])
        #expect(try await stage.send(by: next, lane: .urgent).map(\.lease.id) == ids)
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `what a late owner would send at once is queued for the owner`(_ engine: ShardEngine) async throws {
        let stage = try await ShardStage(engine)
        let next = try await stage.takeOver(.even).leases
        let entries = try (1...40).map { try entry($0) }
        // One foreign shard queues the whole request.
        guard case .enqueued(.stored(let ids)) = try await stage.enqueueSending(entries, by: stage.opener) else {
            Issue.record("it sends what another relay owns")
            return
        }
        #expect(try await stage.states(ids).allSatisfy { $0 == .queued })
        let sent = try await stage.send(by: next, lane: .urgent).map(\.lease.id)
        #expect(Set(sent) == Set(ids.filter(isEven)) && Set(sent).count == sent.count)
        let own = entries.filter { !isEven(Shard(tenant: stage.tenant, device: $0.device)) }
        guard case .sending = try await stage.enqueueSending(own, by: stage.opener.only(.odd)) else {
            Issue.record("its own shards are still its own")
            return
        }
        await stage.close()
    }

    private func isEven(_ id: EntryID) -> Bool { isEven(id.shard) }
    private func isEven(_ shard: Shard) -> Bool { ShardSet.even.contains(shard) }

    @Test(arguments: ShardEngine.all)
    func `a late owner expires and releases nothing, and learns why`(_ engine: ShardEngine) async throws {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue([try entry(1), try entry(2)])
        let sent = try await stage.send(by: stage.opener, lane: .urgent)
        #expect(try await stage.finish(sent[0].lease, .park) == .recorded(.parked))
        #expect(try await stage.finish(sent[1].lease, .retry(at: .after(5))) == .recorded(.queued))
        _ = try await stage.takeOver()
        await #expect(throws: StoreError.lateOwner) {
            _ = try await stage.store.expire(by: stage.opener, now: .after(900), limit: 9)
        }
        let (topic, tenant) = (try StorePattern.topic(), stage.tenant)
        await #expect(throws: StoreError.lateOwner) {
            _ = try await stage.store.release(tenant: tenant, topic: topic, limit: 9, by: stage.opener, now: .after(1))
        }
        // A read that meets expired entries ends none.
        _ = try await stage.take(by: stage.opener, lane: .urgent, now: .after(900))
        #expect(try await stage.states(ids) == [.parked, .queued])
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a late owner's fallbacks are the next owner's: unsent ones armed, begun ones uncertain`(_ engine: ShardEngine)
        async throws
    {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue([try entry(1), try entry(2)])
        for one in try await stage.send(by: stage.opener, lane: .urgent) {
            _ = try await stage.finish(one.lease, .accepted)
        }
        let room = ClaimRoom.unlimited
        let claimed = try await stage.store.claimFallbacks(room, by: stage.opener, now: .after(60))
        #expect(claimed.map(\.entry.id) == ids)
        #expect(try await stage.store.beginFallback(ids[1]))
        let taken = try await stage.takeOver()
        #expect(taken.uncertainFallbacks.map(\.id) == [ids[1]])
        #expect(try await stage.store.beginFallback(ids[0]) == false)
        await #expect(throws: StoreError.lateOwner) {
            _ = try await stage.store.claimFallbacks(room, by: stage.opener, now: .after(60))
        }
        let late = claimed.map { FallbackOutcome($0, .ended(telling: .fallback)) }
        #expect(try await stage.store.finishFallbacks(late, now: .after(61)) == 2)
        let again = try await stage.store.claimFallbacks(room, by: taken.leases, now: .after(61))
        #expect(again.map(\.entry.id) == [ids[0]])
        let hooks = try await stage.store.takeHooks(room, by: taken.leases, now: .after(61), leasedUntil: .after(99))
        #expect(hooks.map(\.kind) == [.fallbackUncertain])
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a late owner's hooks stay for the next owner`(_ engine: ShardEngine) async throws {
        let stage = try await ShardStage(engine)
        _ = try await stage.enqueue([try entry(1)])
        for one in try await stage.send(by: stage.opener, lane: .urgent) {
            _ = try await stage.finish(one.lease, .dead(.rejected))
        }
        let room = ClaimRoom.unlimited
        let held = try await stage.store.takeHooks(room, by: stage.opener, now: .after(0), leasedUntil: .after(60))
        let next = try await stage.takeOver().leases
        await #expect(throws: StoreError.lateOwner) {
            _ = try await stage.store.takeHooks(room, by: stage.opener, now: .after(60), leasedUntil: .after(99))
        }
        let late = held.map { HookOutcome($0, .done) }
        #expect(try await stage.store.finishHooks(late) == 1)
        // Long before the late owner's time with them is over.
        let again = try await stage.store.takeHooks(room, by: next, now: .after(1), leasedUntil: .after(99))
        #expect(again.map(\.id) == held.map(\.id) && !held.isEmpty)
        #expect(try await stage.store.takeHooks(room, by: next, now: .after(98), leasedUntil: .after(99)).isEmpty)
        try await stage.store.finishHooks(again.map { HookOutcome($0, .done) })
        #expect(try await stage.store.hookCounts().map(\.waiting) == [0])
        await stage.close()
    }
}
