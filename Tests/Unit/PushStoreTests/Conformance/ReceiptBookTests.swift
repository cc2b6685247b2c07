import APNS
import Envelope
import PushStore
import PushStorePattern
import Testing

/// Capabilities: valid once, and only for what may have arrived.
struct ReceiptBookTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func entry(_ number: UInt64, deadline: Timestamp = .after(86_400)) throws -> NewEntry {
        var entry = try StorePattern.entry(number, deadline: deadline)
        entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
        return entry
    }

    private func hash(_ number: UInt64) -> [UInt8] { StorePattern.receiptHash(of: StorePattern.apnsID(number)) }

    @Test(arguments: StoreEngine.all)
    func `a capability makes what was accepted delivered, once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            guard case .received(let found) = try await store.redeem([hash(1)], now: .after(2))[0] else {
                throw NotStored()
            }
            #expect(found.id == id && found.state == .delivered && found.receipt == .after(2))
            #expect(try await store.redeem([hash(1)], now: .after(3)) == [.repeated])
            #expect(try await store.entries([id], tenant: tenant)[0] == found)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `twice in one batch it is good once, and others keep their places`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(try entry(1), try entry(2))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            let batch = [hash(9), hash(2), hash(2), [], hash(1)]
            let results = try await store.redeem(batch, now: .after(2))
            #expect(results[0] == .unknown && results[2] == .repeated && results[3] == .unknown)
            guard case .received(let second) = results[1], case .received(let first) = results[4] else {
                throw NotStored()
            }
            #expect([first.id, second.id] == ids)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is certainly not there cannot be received, and nothing is used up`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            #expect(try await store.redeem([hash(1)], now: .after(1)) == [.unknown])
            #expect(try await store.state(id) == .queued)
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            guard case .received = try await store.redeem([hash(1)], now: .after(2))[0] else { throw NotStored() }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a capability that is quicker than the answer is good`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            let sent = try await store.sendAll()
            guard case .received = try await store.redeem([hash(1)], now: .after(2))[0] else { throw NotStored() }
            #expect(try await store.finish(sent[0], .accepted) == .recorded(.delivered))
            #expect(try await store.attempts(id, tenant: tenant).count == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a capability spares what may have arrived its repetition`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            let sent = try await store.sendAll()
            _ = try await store.finish(sent[0], .retry(at: .after(5)), connection: .ambiguous)
            guard case .received = try await store.redeem([hash(1)], now: .after(2))[0] else { throw NotStored() }
            #expect(try await store.takeAll(now: .after(5)).isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what is dead or expired stays so`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await store.store(
                try entry(1),
                try entry(2, deadline: .after(10)),
                try entry(3, deadline: .after(10))
            )
            for one in try await store.sendAll() {
                let verdict: Verdict = one.lease.id == ids[0] ? .dead(.rejected) : .retry(at: .after(20))
                let connection: Attempt.Connection = one.lease.id == ids[1] ? .notProcessed : .ambiguous
                _ = try await store.finish(one, verdict, connection: connection)
            }
            let redemptions = try await store.redeem([hash(1), hash(2), hash(3)], now: .after(20))
            #expect(redemptions == [.unknown, .unknown, .unknown])
            #expect(try await store.state(ids[0]) == .dead(.rejected))
            #expect(try await store.state(ids[1]) == .expired)
            #expect(try await store.state(ids[2]) == .dead(.outcomeUnknown))
        }
    }

    @Test(arguments: StoreEngine.all, [1, 2])
    func `of two with one hash, of one tenant or of two, the newest has the receipt (abuse case 85)`(
        _ engine: StoreEngine,
        _ tenant: Int
    ) async throws {
        try await engine.with { store in
            let first = try await store.store(try entry(1))[0]
            var other = try entry(2)
            other.receiptHash = hash(1)
            let second = try await store.store(other, tenant: tenant)[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            guard case .received(let found) = try await store.redeem([hash(1)], now: .after(2))[0] else {
                throw NotStored()
            }
            #expect(found.id == second)
            #expect(try await store.redeem([hash(1)], now: .after(3)) == [.repeated])
            #expect(try await store.state(first) == .accepted)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was purged is unknown`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            _ = try await store.redeem([hash(1)], now: .after(2))
            #expect(try await store.purge(endedBefore: .after(900), limit: 10) == 1)
            #expect(try await store.redeem([hash(1)], now: .after(901)) == [.unknown])
            // The hash is free again.
            _ = try await store.store(try entry(1), now: .after(902))
            for one in try await store.sendAll(now: .after(902)) { _ = try await store.finish(one, .accepted) }
            guard case .received = try await store.redeem([hash(1)], now: .after(903))[0] else { throw NotStored() }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `the copy of a dead letter has its capability`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try entry(1))[0]
            for one in try await store.sendAll() { _ = try await store.finish(one, .dead(.rejected)) }
            let replay = Replay(id: id, apnsID: StorePattern.apnsID(99), deadline: .after(900))
            guard case .replayed(let copy) = try await store.replay([replay], tenant: tenant, now: .after(1))[0] else {
                throw NotStored()
            }
            for one in try await store.sendAll(now: .after(1)) { _ = try await store.finish(one, .accepted) }
            guard case .received(let found) = try await store.redeem([hash(1)], now: .after(2))[0] else {
                throw NotStored()
            }
            #expect(found.id == copy)
            #expect(try await store.state(id) == .dead(.rejected))
        }
    }

    @Test(arguments: StoreEngine.all, [0, 31, 33])
    func `a hash of another length is refused, and nothing is stored`(_ engine: StoreEngine, _ count: Int) async throws
    {
        try await engine.with { store in
            var bad = try entry(2)
            bad.receiptHash = [UInt8](repeating: 1, count: count)
            let good = try entry(1)
            let limits = NewEntry.receiptHashByteCounts
            await #expect(throws: StoreError.byteCount(field: .receiptHash, of: limits)) {
                try await store.store(good, bad)
            }
            #expect(try await store.takeAll().isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a used capability stays used when the store is opened anew`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try entry(1), try entry(2))
            for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
            _ = try await store.redeem([hash(1)], now: .after(2))
        } then: { store in
            #expect(try await store.redeem([hash(1)], now: .after(3)) == [.repeated])
            guard case .received = try await store.redeem([hash(2)], now: .after(3))[0] else { throw NotStored() }
        }
    }
}
