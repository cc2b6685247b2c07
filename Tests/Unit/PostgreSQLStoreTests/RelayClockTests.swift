import Envelope
import Platform
import PostgreSQLServers
import Primitives
import PushStore
import PushStorePattern
import Testing

@testable import PostgreSQLStore

/// A relay whose clock and the database's move apart; the database's is the system's.
@Suite(.needsServer)
struct RelayClockTests {
    private final class Clock: Sendable {
        private let seconds = Guarded<Int64>(0)

        func set(ahead seconds: Int64) { self.seconds.withLock { $0 = seconds } }
        func now() -> Timestamp {
            let now = Timestamp(milliseconds: SystemClock.millisecondsSince1970)
            return now.advanced(by: .seconds(seconds.withLock { $0 }))
        }
    }

    private static let term = Duration.seconds(1_000)

    private static func open(
        _ stage: StoreStage,
        _ clock: Clock,
        didCompare: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws -> PostgreSQLStore {
        let relay = RelayID(high: 9, low: 9)
        var settings = PostgreSQLStoreSettings()
        settings.callTime = DatabaseStage.patience
        settings.requiresStandby = false
        settings.clock = { clock.now() }
        settings.didCompareClocks = didCompare
        return try await PostgreSQLStore.open(
            try stage.stage.pool(as: relay, connections: 4),
            key: try StorePattern.key(),
            relay: relay,
            settings: settings,
            now: StorePattern.start
        )
    }

    private static func isWrong(_ error: StoreError?, ahead range: ClosedRange<Int>) -> Bool {
        if case .wrongClock(let seconds)? = error { range.contains(seconds) } else { false }
    }

    @Test(arguments: [(3_600 as Int64, 3_000...3_600), (-3_600, -3_600 ... -3_000)])
    func `with a wrong clock a store neither opens nor accepts, and no lease of its is renewed`(
        _ example: (shift: Int64, seconds: ClosedRange<Int>)
    ) async throws {
        let (stage, clock) = (try await StoreStage(relays: 1), Clock())
        let store = try await Self.open(stage, clock)
        let taken = try await store.acquire(.all, for: store.relay, lasting: Self.term, now: StorePattern.start)
        #expect(try await store.renew(taken.leases, lasting: Self.term) == .none)
        let request = try OutboxRequest(
            tenant: try StorePattern.tenant(1),
            idempotency: nil,
            entries: [try StorePattern.entry(1)]
        )
        clock.set(ahead: example.shift)
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) {
                try await store.renew(taken.leases, lasting: Self.term)
            }
            #expect(Self.isWrong(error, ahead: example.seconds))
        }
        let refusal = await #expect(throws: StoreError.self) {
            try await store.enqueue([request], now: StorePattern.start)
        }
        #expect(Self.isWrong(refusal, ahead: example.seconds))
        let probe = await #expect(throws: StoreError.self) { try await store.probe(byteCount: 8) }
        #expect(Self.isWrong(probe, ahead: example.seconds))
        let opening = await #expect(throws: StoreError.self) { _ = try await Self.open(stage, clock) }
        #expect(Self.isWrong(opening, ahead: example.seconds))
        clock.set(ahead: 0)
        #expect(try await store.renew(taken.leases, lasting: Self.term) == .none)
        try await store.probe(byteCount: 8)
        _ = try await store.enqueue([request], now: StorePattern.start)
        await store.close()
        await stage.close()
    }

    @Test(arguments: [8, -8] as [Int64])
    func `a clock that is a little wrong is good enough`(_ shift: Int64) async throws {
        let (stage, clock) = (try await StoreStage(relays: 1), Clock())
        clock.set(ahead: shift)
        let store = try await Self.open(stage, clock)
        #expect(try await store.renew(ShardLeases(relay: store.relay), lasting: Self.term) == .none)
        await store.close()
        await stage.close()
    }

    @Test(arguments: [8, 0, -8] as [Int64])
    func `a relay is told its clock's lead, but for half a round trip`(_ ahead: Int64) async throws {
        let (stage, clock, told) = (try await StoreStage(relays: 1), Clock(), Guarded<Int64?>(nil))
        clock.set(ahead: ahead)
        let store = try await Self.open(stage, clock) { lead in told.withLock { $0 = lead } }
        let lead = try #require(told.withLock { $0 })
        #expect(abs(lead - ahead * 1_000) <= store.lead.withLock { $0.roundTrip } / 2 + 2)
        await store.close()
        await stage.close()
    }
}

struct ClockLeadTests {
    private static func time(_ milliseconds: UInt64) -> Timestamp { Timestamp(milliseconds: 1_000_000 + milliseconds) }

    @Test func `the shortest round trip of the last eight decides`() {
        var lead = ClockLead()
        lead.note(before: Self.time(5_000), theirs: Self.time(20), after: Self.time(5_100))
        #expect(lead.milliseconds == 5_030)
        lead.note(before: Self.time(5_200), theirs: Self.time(201), after: Self.time(5_202))
        #expect(lead.milliseconds == 5_000)
        for number in 0..<7 as Range<UInt64> {
            let begin = 6_000 + number * 100
            lead.note(before: Self.time(begin), theirs: Self.time(begin - 5_000), after: Self.time(begin + 60))
            #expect(lead.milliseconds == 5_000)
        }
        lead.note(before: Self.time(7_000), theirs: Self.time(2_000), after: Self.time(7_060))
        #expect(lead.milliseconds == 5_030)
    }

    @Test func `a clock that is set back during the call says nothing`() {
        var lead = ClockLead()
        lead.note(before: Self.time(100), theirs: Self.time(100), after: Self.time(102))
        lead.note(before: Self.time(200), theirs: Self.time(200), after: Self.time(150))
        #expect(lead.milliseconds == 1)
    }

    @Test func `a clock that was set counts from its first sample on`() {
        var lead = ClockLead()
        lead.note(before: Self.time(100), theirs: Self.time(100), after: Self.time(102))
        lead.note(before: Self.time(9_100), theirs: Self.time(1_100), after: Self.time(9_140))
        #expect(lead.milliseconds == 8_020)
    }
}
