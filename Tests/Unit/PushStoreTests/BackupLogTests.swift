import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

struct BackupLogTests {
    private static let batchCount: UInt64 = 512
    private static let payloadByteCount = 8_000

    private let file: StoreAtRest

    init() throws { file = try StoreAtRest() }

    /// One transaction of 4 MB.
    private func write(_ batch: UInt64, to store: SQLiteStore) async throws {
        let entries = try (1...Self.batchCount).map {
            try StorePattern.entry(batch * Self.batchCount + $0, byteCount: Self.payloadByteCount)
        }
        let request = try OutboxRequest(tenant: try StorePattern.tenant(1), idempotency: nil, entries: entries)
        _ = try await store.enqueue([request], now: StorePattern.start)
    }

    private func logByteCount() -> Int {
        var status = stat()
        return unsafe stat(file.path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    @Test func `the log stays as short as ever while a busy store is copied, and the copy is whole`() async throws {
        let store = try file.open(StoreSettings(synchronous: .off))
        for batch in 0..<40 as Range<UInt64> { try await write(batch, to: store) }
        let copy = file.folder.path("copy")
        try await store.write { writer throws(StoreError) in try writer.beginCopy(to: try CopyFile(copy)) }
        var batch: UInt64 = 40
        var logMax = 0
        // A step follows each write: the store grows as fast as it can while it is copied.
        while try await store.write({ writer throws(StoreError) in try writer.isCopying() }) {
            try await write(batch, to: store)
            batch += 1
            logMax = max(logMax, logByteCount())
        }
        let writtenByteCount = Int(batch - 40) * Int(Self.batchCount) * Self.payloadByteCount
        // The log restarts from 32 MiB on, and then has one transaction more.
        let boundByteCount = 56 << 20
        #expect(writtenByteCount > boundByteCount, "enough for a log that nothing shortens to be longer")
        #expect(logMax < boundByteCount, "\(logMax)")
        #expect(try await store.counts().map(\.queued).reduce(0, +) == Int(batch * Self.batchCount))
        await store.close()
    }

    @Test func `a copy of a store that is written to has all that was acknowledged before its end began`() async throws
    {
        let store = try file.open(StoreSettings(synchronous: .off))
        for batch in 0..<3 as Range<UInt64> { try await write(batch, to: store) }
        let copy = file.folder.path("copy")
        async let copying: Void = store.backup(to: copy)
        for batch in 3..<6 as Range<UInt64> { try await write(batch, to: store) }
        try await copying
        let storedCount = Int(6 * Self.batchCount)
        await store.close()
        let restored = try StoreAtRest.open(copy)
        #expect(try await restored.integrityReport() == [])
        let count = try await restored.counts().map(\.queued).reduce(0, +)
        #expect(count.isMultiple(of: Int(Self.batchCount)) && (storedCount / 2...storedCount).contains(count))
        await restored.close()
    }
}
