import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// Purging in the order of ids, which is that of time where clocks are right.
struct PurgeTests {
    private let file: StoreAtRest

    init() throws { file = try StoreAtRest() }

    /// Takes what is due, and ends these entries of it.
    private func accept(_ ids: [EntryID], in store: SQLiteStore, now: Timestamp) async throws {
        for one in try await store.sendAll(now: now) where ids.contains(one.lease.id) {
            _ = try await store.finish(one, .accepted, now: now)
        }
    }

    @Test func `a purge passes by what is not over, and goes on where it had to end`() async throws {
        let store = try file.open()
        let ids = try await store.store(
            try StorePattern.entry(1),
            try StorePattern.entry(2),
            try StorePattern.entry(3),
            try StorePattern.entry(4),
            try StorePattern.entry(5)
        )
        try await accept([ids[0], ids[2], ids[4]], in: store, now: .after(1))
        for _ in 0..<3 { #expect(try await store.purge(endedBefore: .after(2), limit: 1) == 1) }
        for _ in 0..<2 { #expect(try await store.purge(endedBefore: .after(2), limit: 1) == 0) }
        #expect(try await store.state(ids[1]) == .sending)
        #expect(try await store.state(ids[3]) == .sending)
        // From the beginning again.
        let second = try #require(try await store.entries([ids[1]], tenant: try StorePattern.tenant(1))[0])
        #expect(try await store.record([Receipt(tenant: second.tenant, id: ids[1], time: .after(3))]) == [.recorded])
        #expect(try await store.purge(endedBefore: .after(4), limit: 9) == 1)
        #expect(try await store.state(ids[1]) == nil)
        await store.close()
    }

    @Test func `a dead letter is off its list when it is forgotten`() async throws {
        let store = try file.open()
        let ids = try await store.store(try StorePattern.entry(1), try StorePattern.entry(2))
        for (one, second) in zip(try await store.sendAll(), [1, 5]) {
            _ = try await store.finish(one, .dead(.rejected), now: .after(second))
        }
        #expect(try await store.purge(endedBefore: .after(3), limit: 9) == 1)
        let page = try await store.deadLetters(tenant: try StorePattern.tenant(1), after: nil, limit: 9)
        #expect(page.elements.map(\.id) == [ids[1]])
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    @Test func `what has ended is found behind more that waits than one look takes in`() async throws {
        let store = try file.open()
        for start in stride(from: 0, to: 5_000, by: 1_000) {
            let entries = try (start..<start + 1_000).map { try StorePattern.entry(UInt64($0), byteCount: 0) }
            let request = try OutboxRequest(tenant: try StorePattern.tenant(1), idempotency: nil, entries: entries)
            _ = try await store.enqueue([request], now: .after(0))
        }
        let last = try await store.store(try StorePattern.entry(9_999, lane: .urgent))
        for one in try await store.sendAll(.urgent) { _ = try await store.finish(one, .accepted, now: .after(1)) }
        #expect(try await store.purge(endedBefore: .after(2), limit: 10) == 1)
        #expect(try await store.state(last[0]) == nil)
        #expect(try await store.purge(endedBefore: .after(2), limit: 10) == 0)
        await store.close()
    }

    @Test func `what ended is forgotten also where the clock had been ahead`() async throws {
        let store = try file.open()
        let ahead = try await store.store(try StorePattern.entry(1), now: .after(1_000_000))
        let behind = try await store.store(try StorePattern.entry(2), now: .after(0))
        #expect(behind[0].value > ahead[0].value)
        try await accept(behind, in: store, now: .after(1))
        #expect(try await store.purge(endedBefore: .after(2), limit: 10) == 1)
        #expect(try await store.state(behind[0]) == nil)
        #expect(try await store.state(ahead[0]) == .queued)
        await store.close()
    }
}
