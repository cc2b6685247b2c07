import APNS
import Envelope
import PostgreSQL
import PostgreSQLServers
import PostgreSQLStore
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Receipts, fallbacks, hooks and notes that several relays change at the same time.
@Suite(.needsServer)
struct HookRaceTests {
    private static let term = Duration.seconds(30)
    private static let lockEntries: Statement = "SELECT FROM sealedpush.entry FOR UPDATE"

    private let tenant: TenantID

    init() throws { tenant = try StorePattern.tenant(1) }

    private static func entry(_ number: UInt64) throws -> NewEntry {
        var entry = try StorePattern.entry(number)
        entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
        entry.fallbackAfter = .seconds(60)
        entry.isReported = true
        return entry
    }

    private static func hash(_ number: UInt64) -> [UInt8] {
        StorePattern.receiptHash(of: StorePattern.apnsID(number))
    }

    /// Stores an entry for each number at a relay, and sends them.
    private func send(
        _ numbers: ClosedRange<UInt64>,
        at store: PostgreSQLStore,
        by owned: ShardLeases
    ) async throws -> [LeasedEntry] {
        let entries = try numbers.map(Self.entry)
        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)
        _ = try await store.enqueue([request], from: store.relay, now: .after(0))
        let demand = TakeDemand(lane: .normal, limit: 100, now: .after(0), leasedUntil: .after(60))
        let taken = try await store.take(demand, by: owned)
        let marks = try await store.markSending(taken.map(\.lease), now: .after(0))
        #expect(marks.allSatisfy { $0 == .sending } && marks.count == entries.count)
        return taken
    }

    private func finish(
        _ sent: [LeasedEntry],
        _ verdict: Verdict,
        at store: PostgreSQLStore
    ) async throws -> [FinishResult] {
        let attempt = Attempt(time: .after(1), connection: .answered, status: 200)
        return try await store.finish(
            sent.map { Outcome(lease: $0.lease, attempt: attempt, verdict: verdict) },
            now: .after(1)
        )
    }

    private func begin(_ fallback: ClaimedFallback, at store: PostgreSQLStore) async throws -> Bool {
        try await awaited { store.beginFallback(fallback.entry.id, fallback.lease, completion: $0) }
    }

    @Test func `of two relays that redeem one receipt at once one has the first use`() async throws {
        let stage = try await StoreStage()
        let (first, second) = (stage.stores[0], stage.stores[1])
        let owned = try await first.acquire(.all, for: first.relay, lasting: Self.term, now: .after(0)).leases
        let sent = try await send(1...2, at: first, by: owned)
        _ = try await finish(sent, .accepted, at: first)
        try await stage.race(Self.lockEntries, waiting: 2) {
            async let one = first.redeem([Self.hash(1), Self.hash(2)], now: .after(2))
            async let other = second.redeem([Self.hash(2), Self.hash(1)], now: .after(2))
            let results = try await [one[0], one[1], other[0], other[1]]
            #expect(results.count { $0 == .repeated } == 2 && results.count { $0 != .unknown } == 4)
        }
        #expect(try await first.nextFallback(.unlimited, of: .all) == nil)
        let hooks = try await first.takeHooks(.unlimited, by: owned, now: .after(3), leasedUntil: .after(60))
        #expect(hooks.map(\.kind) == [.delivered, .delivered])
        await stage.close()
    }

    @Test(arguments: [false, true])
    func `a receipt that another relay takes during the answer leaves no fallback and no repetition (retry)`(
        _ isRetried: Bool
    ) async throws {
        let stage = try await StoreStage()
        let (first, second) = (stage.stores[0], stage.stores[1])
        let owned = try await first.acquire(.all, for: first.relay, lasting: Self.term, now: .after(0)).leases
        for number in 1...6 as ClosedRange<UInt64> {
            let sent = try await send(number...number, at: first, by: owned)
            let attempt = Attempt(time: .after(1), connection: .ambiguous)
            let outcome = Outcome(
                lease: sent[0].lease,
                attempt: attempt,
                verdict: isRetried ? .retry(at: .after(5)) : .accepted
            )
            try await stage.race(Self.lockEntries, waiting: 2) {
                async let redeemed = second.redeem([Self.hash(number)], now: .after(2))
                async let finished = first.finish([outcome], now: .after(2))
                guard case .received = try await redeemed[0] else {
                    Issue.record("it was not received")
                    return
                }
                _ = try await finished
            }
        }
        #expect(try await first.nextFallback(.unlimited, of: .all) == nil)
        for table in ["waiting", "flight", "fallback"] { #expect(try await stage.rowCount(table) == 0, "\(table)") }
        await stage.close()
    }

    @Test func `a hook is its shard's new owner's, and the late owner ends nothing`() async throws {
        let stage = try await StoreStage()
        let (first, second) = (stage.stores[0], stage.stores[1])
        let before = try await first.acquire(.all, for: first.relay, lasting: Self.term, now: .after(0)).leases
        let sent = try await send(1...3, at: first, by: before)
        _ = try await finish(sent, .dead(.rejected), at: first)
        let taken = try await first.takeHooks(.unlimited, by: before, now: .after(2), leasedUntil: .after(900))
        #expect(taken.count == 3)
        try await first.giveBack(before)
        let after = try await second.acquire(.all, for: second.relay, lasting: Self.term, now: .after(3)).leases
        let again = try await second.takeHooks(.unlimited, by: after, now: .after(3), leasedUntil: .after(900))
        #expect(Set(again.map(\.id)) == Set(taken.map(\.id)) && again.allSatisfy { $0.attemptCount == 1 })
        await #expect(throws: StoreError.lateOwner) {
            try await first.takeHooks(.unlimited, by: before, now: .after(901), leasedUntil: .after(999))
        }
        let late = [HookOutcome(taken[0], .done), HookOutcome(taken[1], .retry(at: .after(4)))]
        #expect(try await first.finishHooks(late) == 2)
        #expect(try await second.nextHook(.unlimited, of: .all) == .after(900))
        #expect(try await second.finishHooks(again.map { HookOutcome($0, .done) }) == 0)
        let counts = try await first.hookCounts()
        #expect(counts == [HookCount(tenant: tenant, waiting: 0, dropped: 0)])
        await stage.close()
    }

    @Test func `a fallback is begun by one relay, and what a late owner claims or ends changes nothing`() async throws {
        let stage = try await StoreStage()
        let (first, second) = (stage.stores[0], stage.stores[1])
        let before = try await first.acquire(.all, for: first.relay, lasting: Self.term, now: .after(0)).leases
        let sent = try await send(1...3, at: first, by: before)
        _ = try await finish(sent, .accepted, at: first)
        let claimed = try await first.claimFallbacks(.unlimited, by: before, now: .after(100))
        #expect(claimed.count == 3)
        #expect(try await begin(claimed[0], at: first))
        try await first.giveBack(before)
        let takeover = try await second.acquire(.all, for: second.relay, lasting: Self.term, now: .after(101))
        #expect(takeover.uncertainFallbacks.map(\.id) == [claimed[0].entry.id])
        let again = try await second.claimFallbacks(.unlimited, by: takeover.leases, now: .after(102))
        #expect(Set(again.map(\.entry.id)) == Set(claimed.dropFirst().map(\.entry.id)))
        #expect(try await begin(claimed[1], at: first) == false)
        let late = [
            FallbackOutcome(claimed[1], .ended(telling: .fallback)),
            FallbackOutcome(claimed[2], .givenBack(due: .after(104), tried: nil)),
        ]
        #expect(try await first.finishFallbacks(late, now: .after(104)) == 2)
        #expect(try await second.nextFallback(.unlimited, of: .all) == nil)
        for fallback in again { #expect(try await begin(fallback, at: second)) }
        await stage.close()
    }

    @Test func `what relays add to a note at the same time is all in it`() async throws {
        let stage = try await StoreStage(relays: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stage.stores {
                group.addTask {
                    for _ in 0..<20 {
                        var known = try await store.notes(["quota"])[0]
                        while true {
                            let change = NoteChange("quota", known: NoteChange.sum(known), bytes: known + [7])
                            guard let present = try await store.replace([change]) else { break }
                            known = present[0]
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stage.stores[0].notes(["quota", "none"]) == [[UInt8](repeating: 7, count: 60), []])
        await stage.close()
    }

    @Test func `two notes are replaced together or not at all`() async throws {
        let stage = try await StoreStage()
        let store = stage.stores[0]
        #expect(try await store.replace([NoteChange("a", known: 0, bytes: [1])]) == nil)
        let stale = [NoteChange("b", known: 0, bytes: [2]), NoteChange("a", known: 0, bytes: [3])]
        #expect(try await stage.stores[1].replace(stale) == [[], [1]])
        #expect(try await store.notes(["a", "b"]) == [[1], []])
        await stage.close()
    }

    @Test func `a tenant's hooks stay within their bound, whichever relays report, and each is counted`() async throws {
        let stage = try await StoreStage(hookCountMax: 10)
        let first = stage.stores[0]
        let owned = try await first.acquire(.all, for: first.relay, lasting: Self.term, now: .after(0)).leases
        let sent = try await send(1...40, at: first, by: owned)
        let found = try await withThrowingTaskGroup(of: [Bool].self) { group in
            for (index, one) in sent.enumerated() {
                let store = stage.stores[index % 2]
                let report = NewHook(tenant: tenant, entry: one.lease.id, kind: .fallback)
                group.addTask { try await store.report([report], now: .after(2)) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(found.count == 40 && found.allSatisfy { $0 })
        let counts = try await first.hookCounts()
        #expect(counts.map(\.waiting) == [10] && counts.map(\.dropped) == [30])
        #expect(try await stage.rowCount("hook") == 10)
        await stage.close()
    }
}
