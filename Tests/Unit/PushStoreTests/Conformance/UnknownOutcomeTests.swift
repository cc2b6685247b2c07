import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Entries whose last attempt went out with an unknown outcome.
struct UnknownOutcomeTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func reported(_ number: UInt64, limit: Int? = nil, deadline: Timestamp = .after(60)) throws -> NewEntry {
        var entry = try StorePattern.entry(number, deadline: deadline, attemptLimit: limit)
        entry.isReported = true
        return entry
    }

    @Test(arguments: StoreEngine.all, [Attempt.Connection.ambiguous, .interrupted])
    func `the last that it may have: dead, and it is said that the outcome is unknown`(
        _ engine: StoreEngine,
        _ connection: Attempt.Connection
    ) async throws {
        try await engine.with { store in
            let id = try await store.store(try reported(1, limit: 1))[0]
            let sent = try await store.sendAll()
            let result = try await store.finish(sent[0], .retry(at: .after(1)), connection: connection)
            #expect(result == .recorded(.dead(.outcomeUnknown)))
            let letters = try await store.deadLetters(tenant: tenant, after: nil, limit: 9).elements
            #expect(letters.map(\.id) == [id] && letters.first?.state == .dead(.outcomeUnknown))
            let hooks = try await store.takeHooks(limit: 9, now: .after(1), leasedUntil: .after(60))
            #expect(hooks.map(\.kind) == [.dead] && hooks.first?.entry.state == .dead(.outcomeUnknown))
            let replay = Replay(id: id, apnsID: StorePattern.apnsID(9), deadline: .after(60))
            guard case .replayed = try await store.replay([replay], tenant: tenant, now: .after(1))[0] else {
                Issue.record("its tenant may send it again")
                return
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `no time is left for another`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try reported(1))
            let sent = try await store.sendAll()
            let result = try await store.finish(sent[0], .retry(at: .after(60)), connection: .ambiguous)
            #expect(result == .recorded(.dead(.outcomeUnknown)))
        }
    }

    @Test(arguments: StoreEngine.all, ["take", "mark", "expire"])
    func `its time is over while it waits for another, whoever finds that`(_ engine: StoreEngine, _ finder: String)
        async throws
    {
        try await engine.with { store in
            let id = try await store.store(try reported(1))[0]
            let sent = try await store.sendAll()
            _ = try await store.finish(sent[0], .retry(at: .after(5)), connection: .ambiguous)
            switch finder {
            case "take": #expect(try await store.takeAll(now: .after(60)).isEmpty)
            case "mark":
                let taken = try await store.takeAll(now: .after(5))
                #expect(try await store.markSending(taken.map(\.lease), now: .after(60)) == [.expired])
            default: #expect(try await store.expire(now: .after(60), limit: 9) == 1)
            }
            #expect(try await store.state(id) == .dead(.outcomeUnknown))
            let letters = try await store.deadLetters(tenant: tenant, after: nil, limit: 9).elements
            #expect(letters.map(\.id) == [id])
            let hooks = try await store.takeHooks(limit: 9, now: .after(60), leasedUntil: .after(90))
            #expect(hooks.map(\.kind) == [.dead])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an attempt of before, after which there was an answer, is no unknown outcome`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let ids = try await store.store(try reported(1, limit: 2), try reported(2))
            for leased in try await store.sendAll() {
                _ = try await store.finish(leased, .retry(at: .after(0)), connection: .ambiguous)
            }
            for leased in try await store.sendAll(.background) + store.sendAll() {
                _ = try await store.finish(leased, .retry(at: .after(5)), connection: .answered)
            }
            #expect(try await store.state(ids[0]) == .dead(.attemptsExhausted))
            _ = try await store.expire(now: .after(60), limit: 9)
            #expect(try await store.state(ids[1]) == .expired)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a crash during the last that it may have, or after its time`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            // The next process begins at the same time.
            _ = try await store.store(try reported(3, limit: 1), try reported(6, limit: 2))
            #expect(try await store.sendAll().count == 2)
        } then: { store in
            let letters = try await store.deadLetters(tenant: tenant, after: nil, limit: 9).elements
            #expect(letters.map(\.state) == [.dead(.outcomeUnknown)])
            #expect(try await store.sendAll(.background).count == 1)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a crash on the way: what has a collapse id goes again, what has none is dead and reported`(
        _ engine: StoreEngine
    ) async throws {
        let ids = Guarded<[EntryID]>([])
        let handed = try StorePattern.entry(2)
        try await engine.with { store in
            let stored = try await store.store(try reported(3), try reported(4))
            #expect(try await store.sendAll().count == 2)
            let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: [handed])
            guard case .sending(let leases) = try await store.enqueueSending([request], now: .after(0))[0] else {
                throw NotStored()
            }
            ids.withLock { $0 = stored + leases.map(\.id) }
        } then: { store in
            let ids = ids.withLock { $0 }
            let states = try await store.entries(ids, tenant: tenant).map { $0?.state }
            #expect(states == [.queued, .dead(.outcomeUnknown), .dead(.outcomeUnknown)])
            for id in ids { #expect(try await store.attempts(id, tenant: tenant).map(\.connection) == [.interrupted]) }
            let hooks = try await store.takeHooks(limit: 9, now: .after(0), leasedUntil: .after(60))
            #expect(hooks.map(\.entry.id) == [ids[1]])
            let again = try await store.takeAll()
            #expect(again.map(\.entry.apnsID) == [StorePattern.apnsID(3)])
            let collapseID = try StorePattern.entry(3).collapseID
            #expect(again.first?.entry.collapseID == collapseID && collapseID != nil)
        }
    }
}
