import APNS
import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Entries stored as in flight, and calls with a callback.
struct SendingTests {
    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private func request(_ numbers: UInt64..., key: String? = nil) throws -> OutboxRequest {
        try OutboxRequest(
            tenant: tenant,
            idempotency: try key.map { try StorePattern.idempotency($0, body: numbers[0]) },
            entries: try numbers.map { try StorePattern.entry($0, attemptLimit: 2) }
        )
    }

    private func send(_ request: OutboxRequest, to store: any RelayStore) async throws -> [Lease] {
        guard case .sending(let leases) = try await store.enqueueSending([request], now: .after(0))[0] else {
            throw NotStored()
        }
        return leases
    }

    private func outcome(_ lease: Lease, _ verdict: Verdict) -> Outcome {
        let attempt = Attempt(time: .after(1), connection: .answered, status: 200, uniqueID: "u-1")
        return Outcome(lease: lease, attempt: attempt, verdict: verdict)
    }

    @Test(arguments: StoreEngine.all)
    func `what is sent at once is on its way, and nobody takes it`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let leases = try await send(try request(1, 2), to: store)
            #expect(leases.map(\.attemptCount) == [0, 0])
            #expect(try await store.takeAll(now: .after(3_600)).isEmpty)
            #expect(try await store.markSending(leases, now: .after(0)) == [.lost, .lost])
            let found = try await store.entries(leases.map(\.id), tenant: tenant)
            #expect(found.map { $0?.state } == [.sending, .sending])
            #expect(found.map { $0?.apnsID } == [StorePattern.apnsID(1), StorePattern.apnsID(2)])
            #expect(try await store.counts().map(\.sending) == [2])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was sent at once ends like any other, once`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let leases = try await send(try request(1, 2), to: store)
            let outcomes = [outcome(leases[0], .accepted), outcome(leases[1], .dead(.rejected))]
            let results = try await store.finish(outcomes, now: .after(1))
            #expect(results == [.recorded(.accepted), .recorded(.dead(.rejected))])
            let again = try await store.finish([outcome(leases[0], .dead(.rejected))], now: .after(2))
            #expect(again == [.notSending(.accepted)])
            #expect(try await store.attempts(leases[0].id, tenant: tenant) == [outcomes[0].attempt])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was sent at once can be sent again, as often as it may`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let entry = try StorePattern.entry(1)
            let lease = try await send(try request(1), to: store)[0]
            #expect(
                try await store.finish([outcome(lease, .retry(at: .after(5)))], now: .after(1)) == [.recorded(.queued)]
            )
            #expect(try await store.takeAll(now: .after(4)).isEmpty)
            let again = try await store.sendAll(.background, now: .after(5))
            #expect(again.map(\.lease.id) == [lease.id] && again.first?.payload == entry.payload)
            #expect(again.first?.entry.apnsID == entry.apnsID)
            let result = try await store.finish(try #require(again.first), .retry(at: .after(6)), now: .after(6))
            #expect(result == .recorded(.dead(.attemptsExhausted)))
            #expect(try await store.attempts(lease.id, tenant: tenant).map(\.time) == [.after(1), .after(6)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a request that comes again is not sent again (abuse case 87)`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let ids = try await send(try request(1, 2, key: "k"), to: store).map(\.id)
            let again = try request(1, 2, key: "k")
            #expect(try await store.enqueueSending([again], now: .after(1)) == [.enqueued(.duplicate(ids))])
            #expect(try await store.enqueue([again], now: .after(1)) == [.duplicate(ids)])
            let other = try request(3, key: "k")
            #expect(try await store.enqueueSending([other], now: .after(1)) == [.enqueued(.conflict)])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `what was on its way is queued again by the next one to open the store`(_ engine: StoreEngine) async throws {
        let folder = try TemporaryFolder()
        let store = try await engine.open(folder.path, 1_000)
        let lease = try await send(try request(3), to: store)[0]
        await engine.close(store)
        let next = try await engine.open(folder.path, 1_000)
        let taken = try await next.takeAll(.background)
        #expect(taken.map(\.lease.id) == [lease.id])
        #expect(taken.first?.entry.maybeDuplicate == true && taken.first?.entry.apnsID == StorePattern.apnsID(3))
        #expect(try await next.attempts(lease.id, tenant: tenant).map(\.connection) == [.interrupted])
        // A lease of the previous process is void.
        let late = try await next.finish([outcome(lease, .accepted)], now: .after(1))
        #expect(late == [.lateOwner])
        await engine.close(next)
    }

    @Test(arguments: StoreEngine.all)
    func `a payload that is too long is refused here too`(_ engine: StoreEngine) async throws {
        try await engine.with { (store) async throws in
            let limits = NewEntry.payloadByteCounts
            let long = try StorePattern.entry(1, byteCount: limits.upperBound + 1)
            let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: [long])
            await #expect(throws: StoreError.byteCount(field: .payload, of: limits)) {
                _ = try await store.enqueueSending([request], now: .after(0))
            }
            #expect(try await store.counts().isEmpty)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a look at some shards finds nothing of the others`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            var ids: [EntryID] = []
            for number in 1...60 { ids += try await store.store(try StorePattern.entry(UInt64(number))) }
            let some = ShardSet(Shard.all.filter { $0.index % 3 == 0 })
            for shards in [some, ShardSet([]), .all] {
                let demand = TakeDemand(
                    lane: .normal,
                    shards: shards,
                    limit: 100,
                    now: .after(0),
                    leasedUntil: .after(60)
                )
                let taken = try await store.take(demand).map(\.lease.id)
                // Entries taken before are leased.
                let rest = ids.filter { shards.contains($0.shard) && !(shards == .all && some.contains($0.shard)) }
                #expect(taken == rest)
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a call with a callback does what the other one does`(_ engine: StoreEngine) async throws {
        try await engine.with { store in
            let queued = try request(1)
            let stored = await result { store.enqueue([queued], from: nil, now: .after(0), completion: $0) }
            guard case .success(let results) = stored, case .stored(let ids) = results[0] else { throw NotStored() }
            let taken = try await store.takeAll()
            #expect(taken.map(\.lease.id) == ids)
            let marked = await result { store.markSending(taken.map(\.lease), now: .after(0), completion: $0) }
            #expect(marked == .success([.sending]))
            let sent = try request(2)
            let sending = await result { store.enqueueSending([sent], now: .after(0), completion: $0) }
            guard case .success(let more) = sending, case .sending(let leases) = more[0] else { throw NotStored() }
            let outcomes = (taken.map(\.lease) + leases).map { outcome($0, .accepted) }
            let finished = await result { store.finish(outcomes, now: .after(1), completion: $0) }
            #expect(finished == .success([.recorded(.accepted), .recorded(.accepted)]))
        }
    }

    private func result<Value: Sendable>(
        _ call: (@escaping StoreCompletion<Value>) -> Void
    ) async -> Result<Value, StoreError> {
        await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
    }
}
