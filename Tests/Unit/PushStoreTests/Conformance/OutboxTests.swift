import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

struct OutboxTests {
    @Test(arguments: StoreEngine.all)
    func `what was stored is taken as it was, once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let entry = try StorePattern.entry(3)
            let id = try await store.store(entry)[0]
            let taken = try await store.takeAll()
            #expect(taken.map(\.lease.id) == [id])
            #expect(taken.first?.payload == entry.payload)
            let found = try #require(taken.first).entry
            #expect(found.device == entry.device && found.topic == entry.topic && found.apnsID == entry.apnsID)
            #expect(found.collapseID == entry.collapseID && found.pushType == .alert && found.priority == .immediate)
            #expect(found.expiration == entry.expiration && found.deadline == entry.deadline)
            #expect(found.trace == entry.trace && found.created == StorePattern.start && found.state == .queued)
            #expect(try await store.takeAll().isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a lane gives only its own`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(
                try StorePattern.entry(1, lane: .background),
                try StorePattern.entry(2, lane: .urgent)
            )
            #expect(try await store.takeAll(.urgent).map(\.lease.id) == [ids[1]])
            #expect(try await store.takeAll(.normal).isEmpty)
            #expect(try await store.takeAll(.background).map(\.lease.id) == [ids[0]])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `those of one device come in the order in which they were stored`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var ids: [EntryID] = []
            for number in 1...20 { ids += try await store.store(try StorePattern.entry(UInt64(number), device: 5)) }
            #expect(try await store.takeAll().map(\.lease.id) == ids)
            #expect(ids.map(\.value) == ids.map(\.value).sorted())
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was given back is taken again`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let taken = try await store.takeAll()
            await store.giveBack(taken.map(\.lease))
            #expect(try await store.takeAll().map(\.lease.id) == [id])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a lease that ran out is another's, and cannot be marked`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1))
            let first = try await store.takeAll()
            let second = try await store.takeAll(now: .after(61))
            #expect(second.count == 1)
            #expect(try await store.markSending(first.map(\.lease), now: .after(61)) == [.lost])
            #expect(try await store.markSending(second.map(\.lease), now: .after(61)) == [.sending])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is marked stays with its sender, however long it takes`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1))
            let sent = try await store.sendAll()
            #expect(try await store.takeAll(now: .after(3_600)).isEmpty)
            #expect(try await store.finish(sent[0], .accepted) == .recorded(.accepted))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an entry ends once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let sent = try await store.sendAll()
            #expect(try await store.finish(sent[0], .accepted) == .recorded(.accepted))
            #expect(try await store.finish(sent[0], .dead(.rejected)) == .notSending(.accepted))
            #expect(try await store.state(id) == .accepted)
            #expect(try await store.attempts(id, tenant: try StorePattern.tenant(1)).count == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was not marked cannot be finished`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1))
            let taken = try await store.takeAll()
            #expect(try await store.finish(taken[0], .accepted) == .notSending(.queued))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `every attempt is written down as it was`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let sent = try await store.sendAll()
            #expect(
                try await store.finish(sent[0], .retry(at: .after(5)), connection: .ambiguous) == .recorded(.queued)
            )
            let again = try await store.sendAll(now: .after(5))
            #expect(again[0].entry.maybeDuplicate && again[0].entry.attemptCount == 1)
            #expect(again[0].entry.apnsID == sent[0].entry.apnsID)
            #expect(again[0].entry.collapseID == sent[0].entry.collapseID)
            #expect(try await store.finish(again[0], .accepted, now: .after(6)) == .recorded(.accepted))
            let tenant = try StorePattern.tenant(1)
            let written = [
                Attempt(time: .after(0), connection: .ambiguous, status: 200, reason: "Because", uniqueID: "u-1"),
                Attempt(time: .after(6), connection: .answered, status: 200, reason: "Because", uniqueID: "u-1"),
            ]
            #expect(try await store.attempts(id, tenant: tenant) == written)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a retry waits for its time`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1))
            let sent = try await store.sendAll()
            _ = try await store.finish(sent[0], .retry(at: .after(30)), connection: .notProcessed)
            #expect(try await store.takeAll(now: .after(29)).isEmpty)
            let again = try await store.takeAll(now: .after(30))
            #expect(again.count == 1 && !again[0].entry.maybeDuplicate)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `after the last attempt that it may have it is dead`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1, attemptLimit: 2))
            let first = try await store.sendAll()
            #expect(try await store.finish(first[0], .retry(at: .after(0))) == .recorded(.queued))
            let second = try await store.sendAll(.background)
            try #require(second.count == 1)
            let result = try await store.finish(second[0], .retry(at: .after(0)))
            #expect(result == .recorded(.dead(.attemptsExhausted)))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what has few attempts repeats in the background lane, and is counted there`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let limited = try await store.store(try StorePattern.entry(1, lane: .normal, attemptLimit: 3))
            let unlimited = try await store.store(try StorePattern.entry(2, lane: .normal))
            for leased in try await store.sendAll() { _ = try await store.finish(leased, .retry(at: .after(0))) }
            let lanes = try await store.entries(limited + unlimited, tenant: StorePattern.tenant(1)).map { $0?.lane }
            #expect(lanes == [.background, .normal])
            let queued = try await store.counts().filter { $0.queued > 0 }
            #expect(Set(queued.map(\.lane)) == [.background, .normal] && queued.allSatisfy { $0.queued == 1 })
            let again = try await store.sendAll(.background) + store.sendAll(.normal)
            #expect(again.count == 2)
            for leased in again { #expect(try await store.finish(leased, .accepted) == .recorded(.accepted)) }
            #expect(try await store.counts().allSatisfy { $0.queued == 0 && $0.sending == 0 })
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a retry after its time is over is its end`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1, deadline: .after(60)))
            let sent = try await store.sendAll()
            #expect(try await store.finish(sent[0], .retry(at: .after(60))) == .recorded(.expired))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is over is not taken, and ends as expired`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1, deadline: .after(60)))[0]
            #expect(try await store.takeAll(now: .after(60)).isEmpty)
            #expect(try await store.state(id) == .expired)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is over by the time it would go out does not go out`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1, deadline: .after(30)))[0]
            let taken = try await store.takeAll()
            #expect(try await store.markSending(taken.map(\.lease), now: .after(30)) == [.expired])
            #expect(try await store.state(id) == .expired)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what waits for later, or is parked, expires too`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(
                try StorePattern.entry(1, deadline: .after(60)),
                try StorePattern.entry(2, deadline: .after(60)),
                try StorePattern.entry(3)
            )
            let sent = try await store.sendAll()
            for one in sent {
                let verdict: Verdict = one.lease.id == ids[0] ? .park : .retry(at: .after(50))
                _ = try await store.finish(one, verdict)
            }
            #expect(try await store.expire(now: .after(59), limit: 10) == 0)
            #expect(try await store.expire(now: .after(60), limit: 10) == 2)
            #expect(try await store.state(ids[0]) == .expired)
            #expect(try await store.state(ids[1]) == .expired)
            #expect(try await store.state(ids[2]) == .queued)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is parked comes back by its topic`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var other = try StorePattern.entry(2)
            other.topic = try Topic("com.example.other")
            let ids = try await store.store(try StorePattern.entry(1), other)
            for one in try await store.sendAll() { _ = try await store.finish(one, .park) }
            #expect(try await store.takeAll(now: .after(600)).isEmpty)
            let tenant = try StorePattern.tenant(1)
            let topic = try StorePattern.topic()
            #expect(try await store.release(tenant: tenant, topic: topic, limit: 10, now: .after(600)) == 1)
            #expect(try await store.takeAll(now: .after(600)).map(\.lease.id) == [ids[0]])
            #expect(try await store.state(ids[1]) == .parked)
        }
    }
}
