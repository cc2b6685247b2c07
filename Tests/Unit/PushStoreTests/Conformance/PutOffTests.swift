import Envelope
import PushStore
import PushStorePattern
import Testing

/// Entries taken for sending of which nothing was written to APNs.
struct PutOffTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func putOff(_ lease: Lease, _ verdict: Verdict) -> Outcome {
        Outcome(lease: lease, attempt: nil, verdict: verdict)
    }

    @Test(arguments: StoreEngine.all)
    func `what is put off has not been tried, however often`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1, attemptLimit: 1))[0]
            for second in stride(from: 0, to: 50, by: 10) {
                #expect(try await store.sendAll(now: .after(second - 1)).isEmpty)
                let sent = try await store.sendAll(now: .after(second))
                try #require(sent.count == 1)
                let outcome = putOff(sent[0].lease, .retry(at: .after(second + 10)))
                #expect(try await store.finish([outcome], now: .after(second)) == [.recorded(.queued)])
            }
            #expect(try await store.attempts(id, tenant: tenant) == [])
            let found = try #require(try await store.entries([id], tenant: tenant)[0])
            #expect(found.attemptCount == 0 && !found.maybeDuplicate && found.lane == .normal && !found.isUntouched)
            #expect(found.due == .after(50) && found.wait == .seconds(10))
            let last = try await store.sendAll(now: .after(50))
            #expect(try await store.finish(try #require(last.first), .accepted) == .recorded(.accepted))
            #expect(try await store.counts().allSatisfy { $0.queued == 0 && $0.sending == 0 })
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was only taken is put off, parked and ended without a mark, and by one who holds it`(
        _ engine: StoreEngine
    ) async throws {
        try await engine.with { store in
            let ids = try await store.store(
                try StorePattern.entry(1),
                try StorePattern.entry(2),
                try StorePattern.entry(3),
                try StorePattern.entry(4)
            )
            func take(_ second: Int) async throws -> [LeasedEntry] {
                try await store.take(
                    TakeDemand(
                        lane: .normal,
                        limit: 9,
                        retryLimit: 9,
                        now: .after(second),
                        leasedUntil: .after(second + 5)
                    )
                )
            }
            let taken = try await take(0)
            try #require(taken.map(\.lease.id) == ids)
            let attempt = Attempt(time: .after(0), connection: .notProcessed, reason: "DeviceUnknown")
            let outcomes = [
                Outcome(
                    lease: taken[0].lease,
                    attempt: nil,
                    verdict: .retry(at: .after(3)),
                    waitCause: .device,
                    isMarked: false
                ),
                Outcome(lease: taken[1].lease, attempt: nil, verdict: .park, waitCause: .credential, isMarked: false),
                Outcome(lease: taken[2].lease, attempt: attempt, verdict: .dead(.undeliverable), isMarked: false),
            ]
            let results = try await store.finish(outcomes, now: .after(0))
            #expect(results == [.recorded(.queued), .recorded(.parked), .recorded(.dead(.undeliverable))])
            let found = try await store.entries(ids, tenant: tenant).compactMap(\.self)
            #expect(found.map(\.waitCause) == [.device, .credential, nil, nil])
            #expect(found.map(\.attemptCount) == [0, 0, 1, 0])
            let counts = try await store.counts()
            #expect(counts.reduce(0) { $0 + $1.queued } == 2 && counts.reduce(0) { $0 + $1.parked } == 1)
            #expect(counts.reduce(0) { $0 + $1.sending } == 0)
            // Its lease is over, another worker has it, and the first one's report is too late.
            let again = try await take(6)
            #expect(Set(again.map(\.lease.id)) == [ids[0], ids[3]])
            let late = Outcome(lease: taken[3].lease, attempt: nil, verdict: .park, isMarked: false)
            #expect(try await store.finish([late], now: .after(6)) == [.unknown])
            #expect(try await store.entries(ids, tenant: tenant)[3]?.state == .queued)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was tried and is put off then comes behind what is fresh`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let tried = try await store.store(try StorePattern.entry(1))
            let first = try await store.sendAll(now: .after(0))
            _ = try await store.finish(try #require(first.first), .retry(at: .after(1)), now: .after(0))
            let second = try #require(try await store.sendAll(now: .after(1)).first)
            let outcome = putOff(second.lease, .retry(at: .after(2)))
            #expect(try await store.finish([outcome], now: .after(1)) == [.recorded(.queued)])
            // Due after the other one.
            let fresh = try await store.store(try StorePattern.entry(2), now: .after(5))
            func take(_ limit: Int) async throws -> [EntryID] {
                let demand = TakeDemand(
                    lane: .normal,
                    limit: limit,
                    retryLimit: 0,
                    now: .after(9),
                    leasedUntil: .after(10)
                )
                let taken = try await store.take(demand)
                await store.giveBack(taken.map(\.lease))
                return taken.map(\.lease.id)
            }
            #expect(try await take(1) == fresh)
            #expect(try await Set(take(2)) == Set(tried + fresh))
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was sent at once and is parked without a byte can be released`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let request = try OutboxRequest(
                tenant: tenant,
                idempotency: nil,
                entries: [try StorePattern.entry(1, attemptLimit: 1)]
            )
            guard case .sending(let leases) = try await store.enqueueSending([request], now: .after(0))[0] else {
                throw NotStored()
            }
            #expect(try await store.finish([putOff(leases[0], .park)], now: .after(1)) == [.recorded(.parked)])
            #expect(try await store.counts().map(\.parked) == [1])
            let topic = try StorePattern.topic()
            #expect(try await store.release(tenant: tenant, topic: topic, limit: 9, now: .after(2)) == 1)
            let sent = try await store.sendAll(now: .after(2))
            #expect(sent.map(\.entry.attemptCount) == [0])
            #expect(try await store.attempts(leases[0].id, tenant: tenant) == [])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was tried before keeps its attempts, its lane and that it may be there twice`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1, attemptLimit: 2))[0]
            let first = try await store.sendAll()
            _ = try await store.finish(first[0], .retry(at: .after(1)), connection: .ambiguous)
            let second = try await store.sendAll(.background, now: .after(1))
            _ = try await store.finish(
                [putOff(try #require(second.first).lease, .retry(at: .after(2)))],
                now: .after(1)
            )
            let third = try await store.sendAll(.background, now: .after(2))
            #expect(third.map(\.entry.attemptCount) == [1] && third.first?.entry.maybeDuplicate == true)
            #expect(try await store.attempts(id, tenant: tenant).map(\.connection) == [.ambiguous])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `put off beyond its time it ends, and what may be there does not end as expired`(_ engine: StoreEngine)
        async throws
    {
        try await engine.with { store in
            let ids = try await store.store(
                try StorePattern.entry(1, deadline: .after(60)),
                try StorePattern.entry(2, deadline: .after(60))
            )
            let first = try await store.sendAll().sorted { $0.lease.id.value < $1.lease.id.value }
            let outcome = putOff(first[0].lease, .retry(at: .after(60)))
            #expect(try await store.finish([outcome], now: .after(0)) == [.recorded(.expired)])
            _ = try await store.finish(first[1], .retry(at: .after(1)), connection: .ambiguous)
            let second = try await store.sendAll(now: .after(1))
            let late = putOff(try #require(second.first).lease, .retry(at: .after(61)))
            #expect(try await store.finish([late], now: .after(1)) == [.recorded(.dead(.outcomeUnknown))])
            #expect(try await store.state(ids[0]) == .expired)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `only what is on its way can be put off, and only once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let taken = try await store.takeAll()
            let outcome = putOff(taken[0].lease, .retry(at: .after(5)))
            #expect(try await store.finish([outcome], now: .after(0)) == [.notSending(.queued)])
            let sent = try await store.sendAll()
            let again = putOff(try #require(sent.first).lease, .park)
            #expect(try await store.finish([again], now: .after(0)) == [.recorded(.parked)])
            #expect(try await store.finish([again], now: .after(0)) == [.notSending(.parked)])
            #expect(try await store.state(id) == .parked)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a device that was quicker stays delivered`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let id = try await store.store(try StorePattern.entry(1))[0]
            let sent = try await store.sendAll()
            _ = try await store.record([Receipt(tenant: tenant, id: id, time: .after(1))])
            let outcome = putOff(sent[0].lease, .retry(at: .after(5)))
            #expect(try await store.finish([outcome], now: .after(2)) == [.notSending(.delivered)])
        }
    }
}
