import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

struct OutboxEndTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    @Test(arguments: StoreEngine.all)
    func `a receipt makes what was accepted delivered, once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let early = Receipt(tenant: tenant, id: id, time: .after(1))
            #expect(try await store.record([early]) == [.implausible])
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            #expect(try await store.record([Receipt(tenant: tenant, id: id, time: .after(2))]) == [.recorded])
            #expect(try await store.record([Receipt(tenant: tenant, id: id, time: .after(3))]) == [.repeated])
            let found = try #require(try await store.entries([id], tenant: tenant)[0])
            #expect(found.state == .delivered && found.receipt == .after(2))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a device that is quicker than the answer loses no attempt`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let sent = try await store.sendAll()
            #expect(try await store.record([Receipt(tenant: tenant, id: id, time: .after(1))]) == [.recorded])
            #expect(try await store.finish(sent[0], .accepted) == .recorded(.delivered))
            #expect(try await store.attempts(id, tenant: tenant).count == 1)
            #expect(try await store.state(id) == .delivered)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a receipt spares what may have arrived its repetition`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let sent = try await store.sendAll()
            _ = try await store.finish(sent[0], .retry(at: .after(5)), connection: .ambiguous)
            #expect(try await store.record([Receipt(tenant: tenant, id: id, time: .after(1))]) == [.recorded])
            #expect(try await store.takeAll(now: .after(5)).isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `dead letters come in pages, the newest first`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var ids: [EntryID] = []
            for number in 1...25 { ids += try await store.store(try StorePattern.entry(UInt64(number))) }
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            var found: [EntryID] = []
            var cursor: Cursor?
            repeat {
                let page = try await store.deadLetters(tenant: tenant, after: cursor, limit: 10)
                found += page.elements.map(\.id)
                cursor = page.next
            } while cursor != nil
            #expect(found == ids.reversed())
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a cursor that nobody gave out is refused (abuse case 89)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            for number in 1...3 { _ = try await store.store(try StorePattern.entry(UInt64(number))) }
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            _ = try await store.put((1...3).map { try StorePattern.registration($0) }, now: .after(0))
            let dead = try #require(try await store.deadLetters(tenant: tenant, after: nil, limit: 2).next)
            let devices = try #require(try await store.devices(tenant: tenant, after: nil, limit: 2).next)
            var texts = ["", "x", "-1", "AAAA", dead.text + "A", String(dead.text.dropLast()), devices.text]
            texts.append(String(repeating: "A", count: 10_000))
            for index in dead.text.indices {
                let other: Character = dead.text[index] == "B" ? "C" : "B"
                texts.append(dead.text[..<index] + String(other) + dead.text[dead.text.index(after: index)...])
            }
            for text in texts {
                await #expect(throws: StoreError.invalidCursor, "\(text.prefix(80))") {
                    _ = try await store.deadLetters(tenant: tenant, after: Cursor(text: text), limit: 2)
                }
            }
            let other = try StorePattern.tenant(2)
            await #expect(throws: StoreError.invalidCursor) {
                _ = try await store.deadLetters(tenant: other, after: dead, limit: 2)
            }
            await #expect(throws: StoreError.invalidCursor) {
                _ = try await store.devices(tenant: tenant, after: dead, limit: 2)
            }
        }
    }

    @Test(arguments: StoreEngine.all, [Int.min, -1, 0, Int.max])
    func `a page's length is kept within bounds (abuse case 89)`(_ engine: StoreEngine, _ limit: Int) async throws {
        try await engine.with { store in
            for number in 1...3 { _ = try await store.store(try StorePattern.entry(UInt64(number))) }
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let count = try await store.deadLetters(tenant: tenant, after: nil, limit: limit).elements.count
            #expect(count == (limit < 1 ? 1 : 3))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a dead letter is sent again as another entry, once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let entry = try StorePattern.entry(3)
            let id = try await store.store(entry)[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let replay = Replay(id: id, apnsID: StorePattern.apnsID(99), deadline: .after(900))
            let result = try await store.replay([replay], tenant: tenant, now: .after(600))[0]
            guard case .replayed(let copy) = result else { throw NotStored() }
            #expect(copy != id)
            #expect(try await store.replay([replay], tenant: tenant, now: .after(601)) == [.replayed(copy)])
            #expect(try await store.state(id) == .dead(.rejected))
            let taken = try await store.takeAll(now: .after(600))
            #expect(taken.map(\.lease.id) == [copy])
            #expect(taken.first?.payload == entry.payload && taken.first?.entry.apnsID == StorePattern.apnsID(99))
            #expect(taken.first?.entry.attemptCount == 0 && taken.first?.entry.deadline == .after(900))
            #expect(try await store.entries([id], tenant: tenant)[0]?.replayedAs == copy)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `only what is dead can be sent again`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let replay = Replay(id: id, apnsID: APNSID(), deadline: .after(900))
            #expect(try await store.replay([replay], tenant: tenant, now: .after(0)) == [.notDead])
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            #expect(try await store.replay([replay], tenant: tenant, now: .after(0)) == [.notDead])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `counts follow every change`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(
                try StorePattern.entry(1),
                try StorePattern.entry(2),
                try StorePattern.entry(3),
                try StorePattern.entry(4),
                try StorePattern.entry(5, lane: .urgent),
                try StorePattern.entry(6, deadline: .after(10))
            )
            let sent = try await store.sendAll()
            let verdicts: [Verdict] = [.accepted, .park, .dead(.rejected), .retry(at: .after(9))]
            for (one, verdict) in zip(sent, verdicts) { _ = try await store.finish(one, verdict) }
            var normal = LaneCount(tenant: tenant, lane: .normal)
            (normal.queued, normal.parked, normal.accepted, normal.dead, normal.sending) = (1, 1, 1, 1, 1)
            var urgent = LaneCount(tenant: tenant, lane: .urgent)
            urgent.queued = 1
            #expect(try await store.counts() == [urgent, normal])
            #expect(try await store.oldestDue(.urgent) == .after(0))
            #expect(try await store.oldestDue(.normal) == .after(9))
            #expect(try await store.oldestDue(.background) == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what has ended is forgotten after its time, and nothing else`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(
                try StorePattern.entry(1),
                try StorePattern.entry(2),
                try StorePattern.entry(3)
            )
            let sent = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            _ = try await store.finish(sent[0], .accepted, now: .after(10))
            _ = try await store.finish(sent[1], .dead(.rejected), now: .after(20))
            #expect(try await store.purge(endedBefore: .after(20), limit: 100) == 1)
            #expect(try await store.state(ids[0]) == nil)
            #expect(try await store.state(ids[1]) == .dead(.rejected))
            #expect(try await store.purge(endedBefore: .after(900), limit: 100) == 1)
            #expect(try await store.state(ids[2]) == .sending)
            #expect(try await store.attempts(ids[0], tenant: tenant).isEmpty)
            let count = try #require(try await store.counts().first { $0.lane == .normal })
            #expect(count.accepted == 0 && count.dead == 0 && count.sending == 1)
        }
    }
}
