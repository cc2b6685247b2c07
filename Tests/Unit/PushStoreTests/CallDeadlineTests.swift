import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Calls whose time is over, or whose task is cancelled, while a thread of the store is held up.
struct CallDeadlineTests {
    /// Holds a thread of the store up.
    private final class Hold: Sendable {
        private let isReleased = Monitored(false)
        private let (held, holding) = AsyncStream<Void>.makeStream()

        func stand() {
            holding.yield()
            isReleased.wait { $0 ? () : nil }
        }

        func begun() async { for await _ in held { return } }

        func release() { isReleased.change { $0 = true } }
    }

    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let clock: Guarded<Int64>

    init() throws {
        let clock = Guarded<Int64>(1_000)
        var settings = StoreSettings()
        settings.callTime = .seconds(30)
        settings.callClock = { clock.withLock { $0 } }
        self.clock = clock
        folder = try TemporaryFolder()
        store = try SQLiteStore(
            path: folder.path("store"),
            key: try StorePattern.key(),
            settings: settings,
            now: StorePattern.start
        )
    }

    private func advance(milliseconds: Int64) {
        clock.withLock { $0 += milliseconds }
        store.endOverdue()
    }

    private func request(_ number: UInt64) throws -> OutboxRequest {
        var entry = try StorePattern.entry(number)
        entry.fallbackAfter = .seconds(60)
        entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
        return try OutboxRequest(tenant: try StorePattern.tenant(1), idempotency: nil, entries: [entry])
    }

    /// Runs a call in a transaction that is held up until the call's time is over.
    ///
    /// - Returns: its error.
    private func late<Value: Sendable>(_ call: (@escaping StoreCompletion<Value>) -> StoreCall) async -> StoreError? {
        let (first, second) = (Hold(), Hold())
        store.write({ _ throws(StoreError) in first.stand() }) { _ in }
        await first.begun()
        // Both wait, and so share the next transaction.
        store.write({ _ throws(StoreError) in second.stand() }) { _ in }
        let answer = Guarded<StoreError?>(nil)
        _ = call { result in
            if case .failure(let error) = result { answer.withLock { $0 = error } }
        }
        first.release()
        await second.begun()
        advance(milliseconds: 30_000)
        let error = answer.withLock { $0 }
        second.release()
        // Behind what the store does when the call takes effect after all.
        for _ in 0..<2 { try? await store.write { _ throws(StoreError) in } }
        return error
    }

    @Test func `a call that has not begun in its time does nothing, and no millisecond earlier ends`() async throws {
        let hold = Hold()
        let held = Guarded<StoreError?>(nil)
        store.write({ _ throws(StoreError) in hold.stand() }) { result in
            if case .failure(let error) = result { held.withLock { $0 = error } }
        }
        await hold.begun()
        let waiting = Guarded<StoreError?>(nil)
        store.enqueue([try request(1)], from: nil, now: .after(0)) { result in
            if case .failure(let error) = result { waiting.withLock { $0 = error } }
        }
        advance(milliseconds: 29_999)
        #expect(waiting.withLock { $0 } == nil)
        advance(milliseconds: 1)
        #expect(waiting.withLock { $0 } == .timedOut && StoreError.timedOut.effect == .overloaded)
        #expect(held.withLock { $0 } == .uncertain)
        hold.release()
        #expect(try await store.store(try StorePattern.entry(2)).count == 1)
        #expect(try await store.counts().map(\.queued) == [1])
        await store.close()
    }

    @Test func `a read ends in its time`() async throws {
        let hold = Hold()
        let held = Guarded<StoreError?>(nil)
        store.read({ _ throws(StoreError) in hold.stand() }) { result in
            if case .failure(let error) = result { held.withLock { $0 = error } }
        }
        await hold.begun()
        advance(milliseconds: 30_000)
        #expect(held.withLock { $0 } == .timedOut)
        hold.release()
        await store.close()
    }

    @Test func `what is stored as in flight after its call has ended is queued again, and goes out`() async throws {
        let request = try request(1)
        let error = await late { store.enqueueSending([request], now: .after(0), completion: $0) }
        #expect(error == .uncertain)
        let taken = try await store.takeAll()
        #expect(taken.map(\.payload) == [StorePattern.payload(1)] && taken.first?.entry.maybeDuplicate == false)
        #expect(try await store.counts().map(\.queued) == [1])
        await store.close()
    }

    @Test func `an entry that is marked after its call has ended is queued again, and goes out`() async throws {
        _ = try await store.store(try StorePattern.entry(1))
        let leases = try await store.takeAll().map(\.lease)
        let error = await late { store.markSending(leases, now: .after(0), completion: $0) }
        #expect(error == .uncertain)
        #expect(try await store.sendAll().map(\.lease.id) == leases.map(\.id))
        await store.close()
    }

    @Test func `a fallback that is claimed after its call has ended is armed again`() async throws {
        _ = try await store.enqueue([try request(1)], now: .after(0))
        for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
        let (store, opener) = (store, store.opener)
        let ids = try await store.read { reader throws(StoreError) in
            try reader.dueFallbacks(.unlimited, of: .all, now: .after(60), turn: 0)
        }
        #expect(ids.count == 1)
        let error = await late { store.claim(ids, by: opener, now: .after(60), completion: $0) }
        #expect(error == .uncertain)
        #expect(try await store.claimFallbacks(.unlimited, now: .after(60)).count == 1)
        await store.close()
    }

    @Test func `a cancelled task's call does nothing if it has not begun, and ends as ever if it has`() async throws {
        let (store, hold) = (store, Hold())
        let begun = Task { try await store.write { _ throws(StoreError) in hold.stand() } }
        await hold.begun()
        let request = try request(1)
        let waiting = Task { try await store.enqueue([request], now: .after(0)) }
        waiting.cancel()
        begun.cancel()
        await #expect(throws: StoreError.cancelled) { _ = try await waiting.value }
        hold.release()
        try await begun.value
        #expect(try await store.counts().isEmpty)
        await store.close()
    }
}
