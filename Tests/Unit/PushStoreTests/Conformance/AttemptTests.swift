import Envelope
import PushStore
import PushStorePattern
import Testing

struct AttemptTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func attempt(_ second: Int, _ connection: Attempt.Connection, _ status: Int? = nil) -> Attempt {
        Attempt(time: .after(second), connection: connection, status: status, reason: "Because \(second)")
    }

    @Test(arguments: StoreEngine.all)
    func `attempts that a client made at once are written together and all count`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let rounds: [[Attempt]] = [
                [attempt(0, .answered, 503), attempt(1, .notProcessed)], [attempt(2, .answered, 429)],
                [attempt(3, .notProcessed), attempt(4, .notProcessed), attempt(5, .answered, 200)],
            ]
            for (index, attempts) in rounds.enumerated() {
                let lease = try #require(try await store.sendAll().first).lease
                let verdict: Verdict = index == 2 ? .accepted : .retry(at: .after(0))
                let outcome = Outcome(
                    lease: lease,
                    attempt: attempts.last,
                    earlier: Array(attempts.dropLast()),
                    verdict: verdict
                )
                let expected: EntryState = index == 2 ? .accepted : .queued
                #expect(try await store.finish([outcome], now: .after(0)) == [.recorded(expected)])
            }
            #expect(try await store.attempts(id, tenant: tenant) == rounds.flatMap(\.self))
            let entry = try #require(try await store.entries([id], tenant: tenant)[0])
            #expect(entry.attemptCount == 6 && !entry.maybeDuplicate)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `attempts that were made at once use up what an entry may have`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            _ = try await store.store(try StorePattern.entry(1, attemptLimit: 2))
            let lease = try #require(try await store.sendAll().first).lease
            let outcome = Outcome(
                lease: lease,
                attempt: attempt(1, .notProcessed),
                earlier: [attempt(0, .notProcessed)],
                verdict: .retry(at: .after(2))
            )
            #expect(try await store.finish([outcome], now: .after(1)) == [.recorded(.dead(.attemptsExhausted))])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a device that is quicker than the answer of the second of two loses neither`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let lease = try #require(try await store.sendAll().first).lease
            #expect(try await store.record([Receipt(tenant: tenant, id: id, time: .after(1))]) == [.recorded])
            let attempts = [attempt(0, .notProcessed), attempt(1, .answered, 200)]
            let outcome = Outcome(lease: lease, attempt: attempts[1], earlier: [attempts[0]], verdict: .accepted)
            #expect(try await store.finish([outcome], now: .after(2)) == [.recorded(.delivered)])
            #expect(try await store.attempts(id, tenant: tenant) == attempts)
            #expect(try await store.entries([id], tenant: tenant)[0]?.attemptCount == 2)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `of many attempts the first and the last are kept`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let all = (0..<50).map { attempt($0, .answered, 503) }
            // In steps of one, and then in steps of three.
            var left = all[...]
            while !left.isEmpty {
                let some = Array(left.prefix(left.count > 30 ? 1 : 3))
                left = left.dropFirst(some.count)
                let lease = try #require(try await store.sendAll().first).lease
                let outcome = Outcome(
                    lease: lease,
                    attempt: some.last,
                    earlier: Array(some.dropLast()),
                    verdict: .retry(at: .after(0))
                )
                _ = try await store.finish([outcome], now: .after(0))
            }
            let kept = try await store.attempts(id, tenant: tenant)
            #expect(kept == [all[0]] + all.suffix(Attempt.lastCountMax))
            #expect(try await store.entries([id], tenant: tenant)[0]?.attemptCount == 50)
        }
    }

    @Test(arguments: StoreEngine.all, WaitCause.allCases)
    func `why nothing was written is there while it waits, and not after`(_ engine: StoreEngine, _ cause: WaitCause)
        async throws
    {
        try await engine.with { store in
            let ids = try await store.store(try StorePattern.entry(1), try StorePattern.entry(2))
            let sent = try await store.sendAll()
            let verdicts: [Verdict] = [.retry(at: .after(5)), .park]
            let outcomes = zip(sent, verdicts).map {
                Outcome(lease: $0.lease, attempt: nil, verdict: $1, waitCause: cause)
            }
            _ = try await store.finish(outcomes, now: .after(1))
            #expect(try await store.entries(ids, tenant: tenant).map { $0?.waitCause } == [cause, cause])
            #expect(
                try await store.release(tenant: tenant, topic: try StorePattern.topic(), limit: 9, now: .after(2)) == 1
            )
            #expect(try await store.entries(ids, tenant: tenant).map { $0?.waitCause } == [cause, nil])
            let again = try await store.sendAll(now: .after(5))
            #expect(try await store.entries(ids, tenant: tenant).map { $0?.waitCause } == [nil, nil])
            for one in again { _ = try await store.finish(one, .retry(at: .after(9)), now: .after(5)) }
            #expect(try await store.entries(ids, tenant: tenant).map { $0?.waitCause } == [nil, nil])
        }
    }
}
