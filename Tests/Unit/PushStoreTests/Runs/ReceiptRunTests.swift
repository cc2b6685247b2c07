import Envelope
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Runs of receipts in a store, so small that they are merged many times in a second.
struct ReceiptRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let small: ReceiptRunSizes = {
        var sizes = ReceiptRunSizes()
        sizes.pairCountMax = 16
        sizes.fanIn = 3
        sizes.chunkPairCount = 3
        sizes.stepChunkCount = 4
        sizes.stepPairCount = 4
        sizes.stepCommitCount = 1
        sizes.forgottenChunkCount = 2
        return sizes
    }()

    private func open(_ name: String = "store", _ sizes: ReceiptRunSizes = small) throws -> SQLiteStore {
        var settings = StoreSettings(synchronous: .off)
        settings.receiptRuns = sizes
        settings.restoredQueue = .send
        return try SQLiteStore(
            path: folder.path(name),
            key: try StorePattern.key(),
            settings: settings,
            now: StorePattern.start
        )
    }

    @Test func `whatever is stored, merged, purged and opened anew, a receipt is the newest entry's`() async throws {
        let seed = RunSeed.here()
        var model = ReceiptRunModel(seed: seed)
        var store = try open()
        var copyCount = 0
        var name = "store"
        for round in 0..<300 {
            switch model.random.next() % 20 {
            case 0..<11: try await model.store(store, count: Int(model.random.next() % 24) + 1)
            case 11..<15: try await model.commit(store, count: Int(model.random.next() % 40))
            case 15..<17: try await model.expire(store)
            case 17: try await model.purge(store)
            case 18:
                await store.close()
                store = try open(name)
            default:
                // The file as a crash between two transactions leaves it.
                copyCount += 1
                name = "copy \(copyCount)"
                try await store.backup(to: folder.path(name))
                await store.close()
                store = try open(name)
            }
            guard try await model.holds(store, all: round % 20 == 0) else {
                Issue.record("seed \(seed), round \(round)")
                break
            }
        }
        try await model.commit(store, count: 2_000)
        #expect(try await model.holds(store, all: true), "seed \(seed)")
        let runs = try await store.runs()
        for level in Set(runs.map(\.level)) { #expect(runs.count { $0.level == level } < 3, "seed \(seed)") }
        #expect(model.highestLevel >= 3, "seed \(seed)")
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    @Test func `a look misses nothing while runs are merged`() async throws {
        var lazy = Self.small
        lazy.stepPairCount = .max
        lazy.stepCommitCount = .max
        let seed = RunSeed.here()
        var model = ReceiptRunModel(seed: seed)
        let idle = try open("store", lazy)
        for _ in 0..<40 { try await model.store(idle, count: 20) }
        #expect(try await idle.runs().count > 20)
        await idle.close()
        let store = try open()
        let looks = model
        async let areAllFound = looks.holdsUntilMerged(store)
        try await model.commit(store, count: 3_000)
        #expect(try await areAllFound, "seed \(seed)")
        #expect(try await store.runs().count < 12)
        await store.close()
    }

    @Test func `runs go with their entries, in small steps`() async throws {
        let store = try open()
        var model = ReceiptRunModel(seed: 7)
        for _ in 0..<20 { try await model.store(store, count: 20) }
        #expect(try await store.expire(now: .after(900_000), limit: .max) == 400)
        #expect(try await store.purge(endedBefore: .after(900_001), limit: .max) == 400)
        try await model.commit(store, count: 400)
        #expect(try await store.runs().isEmpty)
        #expect(try await store.chunks().isEmpty)
        await store.close()
    }

    @Test func `of one hash the newest 64 are looked at, in memory, in runs and when they are merged`() async throws {
        let store = try open()
        let tenant = try StorePattern.tenant(1)
        let hash = [UInt8](repeating: 5, count: 32)
        var ids: [EntryID] = []
        for number in 0..<200 {
            var entry = try StorePattern.entry(7, deadline: .after(number < 100 ? 900 : 10), byteCount: 0)
            entry.receiptHash = hash
            guard
                case .stored(let stored) = try await store.enqueue(
                    [try OutboxRequest(tenant: tenant, idempotency: nil, entries: [entry])],
                    now: .after(0)
                )[0]
            else { throw NotStored() }
            ids += stored
        }
        #expect(try await store.claim(hash) == ids[199].value)
        // The newest hundred are gone: the older ones are behind too many of them.
        #expect(try await store.expire(now: .after(20), limit: .max) == 100)
        #expect(try await store.claim(hash) == nil)
        #expect(try await store.purge(endedBefore: .after(30), limit: .max) == 100)
        #expect(try await store.claim(hash) == nil)
        for _ in 0..<300 { try await store.write { _ throws(StoreError) in } }
        let chunks = try await store.chunks()
        #expect(chunks.map(\.count).max() ?? 0 <= 64)
        await store.close()
    }
}

extension SQLiteStore {
    func runs() async throws -> [ReceiptRun] {
        try await read { reader throws(StoreError) in
            try reader.sql("SELECT number, place, level, last FROM receipt_run").all([]) { row in
                ReceiptRun(number: row.integer(0), place: row.integer(1), level: row.integer(2), last: row.integer(3))
            }
        }
    }

    func chunks() async throws -> [[TracePair]] {
        try await read { reader throws(StoreError) in
            try reader.sql("SELECT id, pairs FROM receipt_chunk ORDER BY id").all([]) { row in
                ReceiptChunk.pairs(row.bytes(1), id: row.integer(0))
            }
        }
    }

    /// - Returns: the entry that a receipt may count for.
    func claim(_ hash: [UInt8]) async throws -> Int64? {
        let findings = try await read { reader throws(StoreError) in try reader.claims([hash]) }
        if case .claim(let claim) = findings[0] { return claim.entry }
        return nil
    }
}
