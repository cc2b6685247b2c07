import APNS
import Envelope
import Platform
import PushStore
import PushStorePattern
import TestSupport

/// A store that several relays share, and the clock of their leases, which tests move.
final class ShardStage: Sendable {
    static let term = Duration.seconds(30)

    let store: any RelayStore
    let tenant: TenantID
    /// Leases of the relay that opened it: all shards.
    let opener: ShardLeases
    private let clock: any StageClock

    /// - Parameter folder: SQLite's; nil for a new one.
    init(_ engine: ShardEngine, _ folder: TemporaryFolder? = nil) async throws {
        tenant = try StorePattern.tenant(1)
        (store, opener, clock) = try await engine.open(folder)
    }

    func advance(milliseconds: Int64) async throws { try await clock.advance(milliseconds: milliseconds) }

    /// Sentences about data that contradict each other; none while nothing writes.
    func contradictions() async throws -> [String] { try await clock.contradictions() }

    func close() async {
        await store.close()
        await clock.close()
    }

    static func relay(_ number: UInt8) -> RelayID { RelayID(high: UInt64(number), low: 0) }

    func acquire(_ shards: ShardSet, for number: UInt8) async throws -> ShardTakeover {
        try await store.acquire(shards, for: Self.relay(number), lasting: Self.term, now: StorePattern.start)
    }

    /// Ends the opener's leases and gives some of its shards to another relay.
    func takeOver(_ shards: ShardSet = .all, for number: UInt8 = 2) async throws -> ShardTakeover {
        _ = try await store.renew(opener, lasting: Self.term)
        try await advance(milliseconds: 30_000)
        return try await acquire(shards, for: number)
    }

    // MARK: Entries

    func enqueue(_ entries: [NewEntry]) async throws -> [EntryID] {
        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)
        guard case .stored(let ids) = try await store.enqueue([request], now: StorePattern.start)[0] else { return [] }
        return ids
    }

    func enqueueSending(_ entries: [NewEntry], by owned: ShardLeases) async throws -> SendingResult {
        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)
        return try await store.enqueueSending([request], by: owned, now: StorePattern.start)[0]
    }

    func take(
        by owned: ShardLeases,
        lane: Lane = .normal,
        limit: Int = 1_000,
        now: Timestamp = StorePattern.start
    ) async throws -> [LeasedEntry] {
        let until = now.advanced(by: .seconds(60))
        return try await store.take(TakeDemand(lane: lane, limit: limit, now: now, leasedUntil: until), by: owned)
    }

    /// Takes and marks.
    func send(by owned: ShardLeases, lane: Lane = .normal) async throws -> [LeasedEntry] {
        let taken = try await take(by: owned, lane: lane)
        let marks = try await store.markSending(taken.map(\.lease), now: StorePattern.start)
        return zip(taken, marks).filter { $0.1 == .sending }.map(\.0)
    }

    func finish(_ lease: Lease, _ verdict: Verdict) async throws -> FinishResult {
        let attempt = Attempt(time: StorePattern.start, connection: .answered, status: 200)
        let outcome = Outcome(lease: lease, attempt: attempt, verdict: verdict)
        return try await store.finish([outcome], now: StorePattern.start)[0]
    }

    func states(_ ids: [EntryID]) async throws -> [EntryState?] {
        try await store.entries(ids, tenant: tenant).map { $0?.state }
    }
}

extension Timestamp {
    static func after(_ seconds: Int) -> Timestamp { StorePattern.start.advanced(by: .seconds(seconds)) }
}

extension ShardSet {
    static let even = ShardSet(Shard.all.filter { $0.index.isMultiple(of: 2) })
    static let odd = ShardSet.all.subtracting(even)
}
