import APNS
import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct TraceIndexTests {
    private let folder: TemporaryFolder
    private let tenant: TenantID

    init() throws {
        folder = try TemporaryFolder()
        tenant = try StorePattern.tenant(1)
    }

    private func open() throws -> SQLiteStore {
        try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: StorePattern.start)
    }

    /// Stores entries with tiny payloads, whose traces follow from their numbers.
    private func fill(_ store: SQLiteStore, _ numbers: Range<Int>) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
            let entries = try (start..<min(start + 1_000, numbers.upperBound)).map { number in
                var entry = try StorePattern.entry(7, byteCount: 0)
                entry.trace = Self.trace(number)
                return entry
            }
            _ = try await store.enqueue(
                [try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)],
                now: .after(0)
            )
        }
    }

    private static func trace(_ number: Int) -> Trace {
        Trace(bytes: Array(repeating: UInt8(truncatingIfNeeded: number), count: 8) + StorePattern.tail(number))
    }

    @Test func `a trace is found in memory, in runs, and after a restart, the newest first`() async throws {
        let store = try open()
        let shared = try #require(try StorePattern.entry(1).trace)
        let first = try await store.store(try StorePattern.entry(1))
        try await fill(store, 0..<TraceMemory.pairCountMax)
        var again = try StorePattern.entry(2)
        again.trace = shared
        let second = try await store.store(again)
        let expected = second + first
        #expect(try await store.entries(trace: shared, tenant: tenant, limit: 9).map(\.id) == expected)
        #expect(try await store.entries(trace: shared, tenant: tenant, limit: 1).map(\.id) == second)
        for number in [0, 1, 59, 60, 999, 20_000, TraceMemory.pairCountMax - 1] {
            let found = try await store.entries(trace: Self.trace(number), tenant: tenant, limit: 9)
            #expect(found.map(\.trace) == [Self.trace(number)], "\(number)")
        }
        #expect(try await store.entries(trace: shared, tenant: try StorePattern.tenant(2), limit: 9).isEmpty)
        await store.close()
        let next = try open()
        #expect(try await next.entries(trace: shared, tenant: tenant, limit: 9).map(\.id) == expected)
        #expect(try await next.integrityReport() == [])
        await next.close()
    }

    @Test func `a run is forgotten with its entries`() async throws {
        let store = try open()
        try await fill(store, 0..<TraceMemory.pairCountMax)
        #expect(try await runCount(store) == 1)
        #expect(try await runCount(store, .apnsID) == 1)
        let last = try await store.store(try StorePattern.entry(1))
        #expect(try await store.expire(now: .after(90_000), limit: .max) == TraceMemory.pairCountMax + 1)
        #expect(try await store.purge(endedBefore: .after(90_001), limit: 100) == 100)
        #expect(try await runCount(store) == 1)
        #expect(try await store.purge(endedBefore: .after(90_001), limit: .max) == TraceMemory.pairCountMax - 99)
        #expect(try await runCount(store) == 0)
        #expect(try await runCount(store, .device) == 0)
        #expect(try await runCount(store, .apnsID) == 0)
        #expect(try await store.entries(last, tenant: tenant) == [nil])
        await store.close()
    }

    private func runCount(_ store: SQLiteStore, _ kind: TraceIndexKind = .trace) async throws -> Int64 {
        try await store.read { reader throws(StoreError) in
            try reader.sql("SELECT count(*) FROM \(kind.runs)").first([]) { $0.integer(0) } ?? 0
        }
    }

    @Test func `a device's entries are found in memory, in runs, and after a restart, the newest first`() async throws {
        let store = try open()
        let key = DeviceKey(tenant: tenant, device: try StorePattern.device(1))
        let first = try await store.store(try StorePattern.entry(1))
        try await fill(store, 0..<TraceIndexKind.device.pairCountMax)
        #expect(try await runCount(store, .device) == 1)
        let second = try await store.store(try StorePattern.entry(2, device: 1))
        #expect(try await store.entries(device: key, limit: 9).map(\.id) == second + first)
        #expect(try await store.entries(device: key, limit: 1).map(\.id) == second)
        let other = DeviceKey(tenant: tenant, device: try StorePattern.device(7))
        #expect(try await store.entries(device: other, limit: 1_000).count == 1_000)
        await store.close()
        let next = try open()
        #expect(try await next.entries(device: key, limit: 9).map(\.id) == second + first)
        await next.close()
    }

    @Test func `the writer finds what is newer in memory and in runs, and nothing older`() async throws {
        let store = try open()
        let newer = { (store: SQLiteStore, id: EntryID) async throws -> [Int64] in
            try await store.write { writer throws(StoreError) in
                let device = try writer.sql("SELECT header, tenant FROM entry WHERE id = ?").first([.integer(id.value)])
                {
                    (EntryHeader.decode($0.bytes(0))?.device.bytes ?? [], $0.integer(1))
                }
                let hash = device.map { TracePair.hash(device: $0.0, tenant: $0.1) } ?? 0
                return try writer.deviceEntries.numbers(hash, after: id.value, writer.sql)
            }
        }
        let first = try await store.store(try StorePattern.entry(1))
        let second = try await store.store(try StorePattern.entry(2, device: 1))
        try await fill(store, 0..<TraceIndexKind.device.pairCountMax)
        #expect(try await runCount(store, .device) == 1)
        let third = try await store.store(try StorePattern.entry(3, device: 1))
        #expect(try await newer(store, first[0]) == (third + second).map(\.value))
        #expect(try await newer(store, second[0]) == third.map(\.value))
        #expect(try await newer(store, third[0]) == [])
        await store.close()
    }

    @Test func `an apns-id is found in memory, in the run of its time, in another, and after a restart`() async throws {
        let store = try open()
        var random = SeededRandom(seed: 7)
        // The second claims the first one's age.
        var entries = try (1...3).map { try StorePattern.entry(UInt64($0)) }
        for index in 0..<2 { entries[index].apnsID = .timeOrdered(now: .after(0), random: &random) }
        var ids = try await store.store(entries[0])
        try await fill(store, 0..<TraceIndexKind.apnsID.pairCountMax)
        ids += try await store.store(entries[1])
        try await fill(store, 0..<TraceIndexKind.apnsID.pairCountMax)
        ids += try await store.store(entries[2])
        #expect(try await runCount(store, .apnsID) == 2)
        for (entry, id) in zip(entries, ids) {
            #expect(try await store.entry(apnsID: entry.apnsID, tenant: tenant)?.id == id)
            #expect(try await store.entry(apnsID: entry.apnsID, tenant: try StorePattern.tenant(2)) == nil)
        }
        #expect(try await store.entry(apnsID: .timeOrdered(now: .after(0), random: &random), tenant: tenant) == nil)
        await store.close()
        let next = try open()
        for (entry, id) in zip(entries, ids) {
            #expect(try await next.entry(apnsID: entry.apnsID, tenant: tenant)?.id == id)
        }
        await next.close()
    }

    @Test func `an apns-id of version 7 tells when it was made, and no other does`() {
        var random = SeededRandom(seed: 7)
        #expect(APNSID.timeOrdered(now: .after(5), random: &random).made == .after(5))
        #expect(APNSID().made == nil)
    }

    @Test func `many with one hash are found across the parts of a run`() {
        let pairs = (0..<150).map { TracePair(hash: $0 < 100 ? 5 : 9, entry: Int64($0)) }
        let bytes = TraceChunk.encode(pairs[20..<110])
        #expect(TraceChunk.entries(5, in: bytes) == (20..<100).map(Int64.init))
        #expect(TraceChunk.entries(9, in: bytes) == (100..<110).map(Int64.init))
        #expect(TraceChunk.entries(7, in: bytes).isEmpty)
        #expect(TraceChunk.entries(5, in: Array(bytes.dropLast())).isEmpty)
    }

    @Test func `one trace of hundreds of entries is found in a run`() async throws {
        let store = try open()
        let trace = try #require(try StorePattern.entry(1).trace)
        var ids: [EntryID] = []
        let entries = try (0..<300).map { _ in
            var entry = try StorePattern.entry(1, byteCount: 0)
            entry.trace = trace
            return entry
        }
        let request = try OutboxRequest(tenant: tenant, idempotency: nil, entries: entries)
        guard case .stored(let stored) = try await store.enqueue([request], now: .after(0))[0] else {
            throw NotStored()
        }
        ids += stored
        try await fill(store, 0..<TraceMemory.pairCountMax)
        #expect(try await store.entries(trace: trace, tenant: tenant, limit: 999).map(\.id) == ids.reversed())
        await store.close()
    }
}

extension StorePattern {
    fileprivate static func tail(_ number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: UInt64(number) >> (8 * $0)) }
    }
}
