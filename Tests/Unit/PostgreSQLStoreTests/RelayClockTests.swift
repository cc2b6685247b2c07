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

    private static func open(_ stage: StoreStage, _ clock: Clock) async throws -> PostgreSQLStore {
        let relay = RelayID(high: 9, low: 9)
        var settings = PostgreSQLStoreSettings()
        settings.callTime = DatabaseStage.patience
        settings.requiresStandby = false
        settings.clock = { clock.now() }
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
        try await store.probe(byteCount: 8)
        _ = try await store.enqueue([request], now: StorePattern.start)
        #expect(try await store.renew(taken.leases, lasting: Self.term) == .none)
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
}
