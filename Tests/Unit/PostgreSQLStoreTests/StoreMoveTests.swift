import APNS
import Envelope
import PostgreSQL
import PostgreSQLServers
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The way from a SQLite file to a database.
@Suite(.needsServer)
struct StoreMoveTests {
    private static func hash(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: PushEndpoint.hashByteCount) }

    private let folder: TemporaryFolder
    private let tenant: TenantID

    init() throws {
        folder = try TemporaryFolder()
        tenant = try StorePattern.tenant(1)
    }

    private func file() throws -> SQLiteStore {
        try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: .after(0))
    }

    /// Fills a file with all that a relay keeps, and leaves some in flight.
    private func fill() async throws -> [EntryID] {
        let store = try file()
        let devices = try (1...30).map { number in
            var registration = try StorePattern.registration(number)
            if number % 3 == 0 { registration.voIPToken = try StorePattern.token(1_000 + number) }
            return registration
        }
        _ = try await store.put(devices, now: .after(0))
        _ = try await store.quarantine(token: devices[4].token, environment: .production, tenant: tenant)
        let endpoint = PushEndpoint(hash: Self.hash(1), device: devices[0].key, created: .after(0))
        _ = try await store.add(endpoint)
        _ = try await store.setEndpointKey(Self.hash(9), of: devices[0].key)
        let record = KeptRecord(name: Self.hash(7), endpoint: Self.hash(1), expiry: .after(900), bytes: [1, 2, 3])
        try await store.keep(record, now: .after(0))
        let key = AttestedKey(id: Self.hash(5), publicKey: Self.hash(6), counter: 3, challenged: .after(0))
        let enrolment = Enrolment(
            try StorePattern.registration(31),
            keyHash: Self.hash(8),
            attestation: .first(key),
            deviceCountMax: 9
        )
        _ = try await store.enrol(enrolment, now: .after(0))
        _ = try await store.add(EndpointBlock(tenant: tenant, id: Self.hash(4)), now: .after(0))
        #expect(try await store.replace([NoteChange("quota", known: 0, bytes: [7])]) == nil)
        let entries = try (1...40 as ClosedRange<UInt64>).map { number in
            var entry = try StorePattern.entry(number)
            entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
            entry.isReported = true
            entry.fallbackAfter = .seconds(60)
            return entry
        }
        let request = try OutboxRequest(
            tenant: tenant,
            idempotency: try StorePattern.idempotency("key"),
            entries: entries
        )
        guard case .stored(let ids) = try await store.enqueue([request], now: .after(0))[0] else { return [] }
        let demand = TakeDemand(lane: .normal, limit: 30, now: .after(0), leasedUntil: .after(60))
        let taken = try await store.take(demand)
        _ = try await store.markSending(taken.map(\.lease), now: .after(0))
        let verdicts: [Verdict] = [.accepted, .dead(.rejected), .park, .retry(at: .after(5))]
        // A third stays in flight.
        let outcomes = taken.prefix(20).enumerated().map { index, sent in
            let attempt = Attempt(time: .after(1), connection: .ambiguous, reason: "Because", uniqueID: "u")
            return Outcome(lease: sent.lease, attempt: attempt, verdict: verdicts[index % 4])
        }
        _ = try await store.finish(outcomes, now: .after(1))
        await store.close()
        return ids
    }

    private func open(_ stage: DatabaseStage, isMoving: Bool) async throws -> PostgreSQLStore {
        try await PostgreSQLStore.open(
            try stage.pool(connections: 3),
            key: try StorePattern.key(),
            relay: RelayID(high: 1, low: 1),
            isMoving: isMoving,
            now: .after(0)
        )
    }

    private func database() async throws -> DatabaseStage {
        let stage = try await DatabaseStage()
        let pool = try stage.pool(connections: 1)
        _ = try await SchemaMigration.run(pool)
        await pool.close()
        return stage
    }

    @Test func `all of a file is in the database afterwards, each once, and a repetition adds nothing`() async throws {
        let ids = try await fill()
        let stage = try await database()
        let (source, target) = (try file(), try await open(stage, isMoving: true))
        let counts = try await StoreMove(from: source, to: target).run()
        #expect(counts[.entries] == 40 && counts[.devices] == 31 && counts[.requests] == 1)
        #expect(try await StoreMove(from: source, to: target).run() == [:])
        let keys = try (1...31).map { try StorePattern.registration($0).key }
        #expect(try await target.devices(keys) == (try await source.devices(keys)))
        #expect(try await target.bundles(of: keys) == (try await source.bundles(of: keys)))
        let before = try await source.entries(ids, tenant: tenant)
        #expect(try await target.entries(ids, tenant: tenant) == before)
        let states = Set(before.compactMap { $0?.state })
        #expect(states.isSuperset(of: [.queued, .parked, .accepted, .dead(.rejected)]))
        for id in ids {
            #expect(try await target.attempts(id, tenant: tenant) == (try await source.attempts(id, tenant: tenant)))
        }
        #expect(try await target.counts(of: .all) == (try await source.counts(of: .all)))
        #expect(try await target.hookCounts() == (try await source.hookCounts()))
        #expect(try await target.endpoints(of: keys[0]) == (try await source.endpoints(of: keys[0])))
        #expect(try await target.record(Self.hash(7), now: .after(1)) == [1, 2, 3])
        #expect(try await target.device(endpointKey: Self.hash(9)) == keys[0])
        #expect(try await target.attestedKey(of: keys[30])?.counter == 3)
        #expect(try await target.endpointBlocks() == (try await source.endpointBlocks()))
        #expect(try await target.notes(["quota"]) == [[7]])
        let unlimited = ClaimRoom.unlimited
        #expect(
            try await target.nextFallback(unlimited, of: .all) == (try await source.nextFallback(unlimited, of: .all))
        )
        await source.close()
        await target.close()

        // It works: what waits goes out, receipts count, and the request is known.
        let store = try await open(stage, isMoving: false)
        let owned = try await store.acquire(.all, for: store.relay, lasting: .seconds(600), now: .after(9)).leases
        let demand = TakeDemand(lane: .normal, limit: 100, now: .after(9), leasedUntil: .after(60))
        let taken = try await store.take(demand, by: owned)
        #expect(Set(taken.map(\.entry.id)) == Set(before.compactMap { $0?.state == .queued ? $0?.id : nil }))
        let accepted = try #require(before.compactMap { $0 }.first { $0.state == .accepted })
        let receipt = StorePattern.receiptHash(of: accepted.apnsID)
        guard case .received = try await store.redeem([receipt], now: .after(9))[0] else {
            Issue.record("its receipt is not known")
            return
        }
        let hooks = try await store.takeHooks(unlimited, by: owned, now: .after(9), leasedUntil: .after(60))
        #expect(hooks.contains { $0.kind == .dead } && hooks.contains { $0.kind == .delivered })
        await store.close()
    }

    @Test func `what was cut off is refused by relays, and completed by the next run`() async throws {
        let ids = try await fill()
        let stage = try await database()
        let (source, target) = (try file(), try await open(stage, isMoving: true))
        // The server refuses a row in the middle.
        let pool = try stage.pool(connections: 1)
        try await pool.run(
            Statement(once: "ALTER TABLE sealedpush.request ADD CONSTRAINT refusal CHECK (length(key) > 1000)")
        )
        await #expect(throws: StoreMove.Failure.self) { try await StoreMove(from: source, to: target).run() }
        #expect(try await target.entries(ids, tenant: tenant).allSatisfy { $0 != nil })
        await #expect(throws: StoreError.inUse) { try await open(stage, isMoving: false) }
        try await pool.run(Statement(once: "ALTER TABLE sealedpush.request DROP CONSTRAINT refusal"))
        let counts = try await StoreMove(from: source, to: target).run()
        #expect(counts[.requests] == 1 && counts[.entries] == nil)
        await source.close()
        await target.close()
        let store = try await open(stage, isMoving: false)
        let idempotency = try StorePattern.idempotency("key")
        #expect(try await store.known(idempotency, tenant: tenant) == .duplicate(ids))
        await store.close()
        await pool.close()
    }

    @Test func `a database with other contents is refused, and one that another file has been copied to`() async throws
    {
        _ = try await fill()
        let stage = try await database()
        let (source, target) = (try file(), try await open(stage, isMoving: true))
        _ = try await target.put([try StorePattern.registration(99)], now: .after(0))
        await #expect(throws: StoreMove.Failure.otherContents) {
            try await StoreMove(from: source, to: target).run()
        }
        #expect(try await target.delete([try StorePattern.registration(99).key]) == [true])
        _ = try await StoreMove(from: source, to: target).run()
        let other = try SQLiteStore(path: folder.path("other"), key: try StorePattern.key(), now: .after(0))
        await #expect(throws: StoreMove.Failure.otherContents) {
            try await StoreMove(from: other, to: target).run()
        }
        for store in [source, other] { await store.close() }
        await target.close()
    }
}
