import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

struct ShardLeaseTests {
    @Test func `the relay that opens a file has all shards, each opening under a later epoch`() async throws {
        let folder = try TemporaryFolder()
        let stage = try await ShardStage(.sqlite, folder)
        #expect(stage.opener.shards == .all && stage.opener.all.allSatisfy { $0.epoch == 1 })
        let taken = try await stage.takeOver(.even)
        #expect(taken.leases.all.allSatisfy { $0.epoch == 2 })
        await stage.close()
        let next = try await ShardStage(.sqlite, folder)
        #expect(next.opener.relay != stage.opener.relay)
        for lease in next.opener.all { #expect(lease.epoch == (ShardSet.even.contains(lease.shard) ? 3 : 2)) }
        await next.store.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a shard is taken over when its lease has ended, and no millisecond before`(_ engine: ShardEngine) async throws
    {
        let stage = try await ShardStage(engine)
        #expect(try await stage.acquire(.all, for: 2).leases.isEmpty, "an opening's lease has no end")
        #expect(try await stage.store.renew(stage.opener, lasting: ShardStage.term).isEmpty)
        try await stage.advance(milliseconds: 29_999)
        #expect(try await stage.acquire(.all, for: 2).leases.isEmpty)
        try await stage.advance(milliseconds: 1)
        #expect(try await stage.acquire(.even, for: 2).leases.shards == .even)
        #expect(try await stage.store.renew(stage.opener, lasting: ShardStage.term) == .even)
        #expect(try await stage.acquire(.all, for: 3).leases.isEmpty, "both have renewed or taken them just now")
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a lease that ended is renewed where no other relay took the shard`(_ engine: ShardEngine) async throws {
        let stage = try await ShardStage(engine)
        _ = try await stage.store.renew(stage.opener, lasting: ShardStage.term)
        try await stage.advance(milliseconds: 500_000)
        #expect(try await stage.store.renew(stage.opener, lasting: ShardStage.term).isEmpty)
        #expect(try await stage.acquire(.all, for: 2).leases.isEmpty)
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `what is given back is free at once, and no longer renewed`(_ engine: ShardEngine) async throws {
        let stage = try await ShardStage(engine)
        try await stage.store.giveBack(stage.opener.only(.odd))
        #expect(try await stage.store.renew(stage.opener, lasting: ShardStage.term) == .odd)
        let taken = try await stage.acquire(.all, for: 2)
        #expect(taken.leases.shards == .odd)
        // A late return frees nothing of the next owner's.
        try await stage.store.giveBack(stage.opener.only(.odd))
        #expect(try await stage.acquire(.all, for: 3).leases.isEmpty)
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a relay that asks for its own shards gets a later epoch, and its earlier lease is void`(_ engine: ShardEngine)
        async throws
    {
        let stage = try await ShardStage(engine)
        let first = try await stage.takeOver(.even)
        let second = try await stage.acquire(.even, for: 2)
        #expect(second.leases.shards == .even && second.leases != first.leases)
        #expect(try await stage.store.renew(first.leases, lasting: ShardStage.term) == .even)
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a call of a late owner does not fail the calls that share its transaction`(_ engine: ShardEngine) async throws
    {
        let stage = try await ShardStage(engine)
        let (store, opener) = (stage.store, stage.opener)
        try await store.giveBack(opener.only(.even))
        let late = Task { try await store.expire(by: opener, now: .after(0), limit: 1) }
        let taken = Task { try await stage.acquire(.even, for: 2).leases }
        await #expect(throws: StoreError.lateOwner) { _ = try await late.value }
        #expect(try await taken.value.shards == .even)
        #expect(try await stage.acquire(.all, for: 3).leases.isEmpty)
        await store.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a takeover settles what was in flight in its shards, and nothing of a shard that is owned`(
        _ engine: ShardEngine
    )
        async throws
    {
        let stage = try await ShardStage(engine)
        // By both ways into flight: one keeps payloads in parcels.
        let ids = try await stage.enqueue(try (1...40).map { try StorePattern.entry(UInt64($0)) })
        #expect(try await stage.send(by: stage.opener).count == 40)
        let handed = try (41...80).map { try StorePattern.entry(UInt64($0)) }
        guard case .sending(let leases) = try await stage.enqueueSending(handed, by: stage.opener) else {
            Issue.record("the owner of all shards may send at once")
            return
        }
        let all = ids + leases.map(\.id)
        let taken = try await stage.takeOver(.even)
        #expect(taken.interruptedCount == all.count { ShardSet.even.contains($0.shard) })
        for (offset, (id, state)) in zip(all, try await stage.states(all)).enumerated() {
            let isCollapsible = (offset + 1).isMultiple(of: 3)
            let expected: EntryState =
                ShardSet.odd.contains(id.shard)
                ? .sending : isCollapsible ? .queued : .dead(.outcomeUnknown)
            #expect(state == expected, "\(offset + 1)")
            let attempts = try await stage.store.attempts(id, tenant: stage.tenant).map(\.connection)
            #expect(attempts == (expected == .sending ? [] : [.interrupted]))
        }
        let again = try await stage.send(by: taken.leases)
        let collapsible = all.enumerated().filter { ($0.offset + 1).isMultiple(of: 3) }.map(\.element)
        #expect(Set(again.map(\.lease.id)) == Set(collapsible.filter { ShardSet.even.contains($0.shard) }))
        for one in again {
            let number = UInt64(1 + (all.firstIndex(of: one.lease.id) ?? 0))
            #expect(one.payload == StorePattern.payload(number) && one.entry.maybeDuplicate)
        }
        #expect(try await stage.contradictions() == [])
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a relay counts and purges what is in its own shards, and no other`(_ engine: ShardEngine) async throws {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue(try (1...40).map { try StorePattern.entry(UInt64($0)) })
        _ = try await stage.takeOver(.even)
        let own = ids.filter { ShardSet.odd.contains($0.shard) }
        #expect(try await stage.store.counts(of: .odd).map(\.queued) == [own.count])
        #expect(try await stage.store.counts(of: .all).map(\.queued) == [40])
        #expect(try await stage.store.oldestDue(.normal, in: .odd) == .after(0))
        for one in try await stage.send(by: stage.opener.only(.odd)) {
            _ = try await stage.finish(one.lease, .accepted)
        }
        #expect(try await stage.store.counts(of: .odd).map(\.accepted) == [own.count])
        #expect(try await stage.store.oldestDue(.normal, in: .odd) == nil)
        #expect(try await stage.store.oldestDue(.normal, in: .even) == .after(0))
        #expect(try await stage.store.purge(.even, endedBefore: .after(9), limit: 99) == 0)
        #expect(try await stage.store.purge(.odd, endedBefore: .after(9), limit: 7) == 7)
        #expect(try await stage.store.purge(.odd, endedBefore: .after(9), limit: 99) == own.count - 7)
        #expect(try await stage.states(ids).compactMap { $0 } == ids.dropLast(own.count).map { _ in .queued })
        await stage.close()
    }

    @Test(arguments: ShardEngine.all)
    func `a relay takes, expires and releases what is in its own shards, and no other`(_ engine: ShardEngine)
        async throws
    {
        let stage = try await ShardStage(engine)
        let ids = try await stage.enqueue(try (1...60).map { try StorePattern.entry(UInt64($0), deadline: .after(60)) })
        let other = try await stage.takeOver(.even).leases
        let own = stage.opener.only(.odd)
        let parked = try await stage.send(by: own)
        #expect(Set(parked.map(\.lease.id)) == Set(ids.filter { ShardSet.odd.contains($0.shard) }))
        for one in parked { #expect(try await stage.finish(one.lease, .park) == .recorded(.parked)) }
        let topic = try StorePattern.topic()
        func release(by owned: ShardLeases) async throws -> Int {
            try await stage.store.release(tenant: stage.tenant, topic: topic, limit: 99, by: owned, now: .after(1))
        }
        #expect(try await release(by: other) == 0)
        #expect(try await release(by: own) == parked.count)
        #expect(try await stage.store.expire(by: other, now: .after(60), limit: 99).count == ids.count - parked.count)
        #expect(try await stage.store.expire(by: other, now: .after(60), limit: 99).count == 0)
        #expect(try await stage.store.expire(by: own, now: .after(60), limit: 99).count == parked.count)
        await stage.close()
    }
}
