import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

/// A disk that is full, or whose sync fails.
struct DiskFullTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `whichever write finds no space, nothing acknowledged is lost (abuse case 96)`() async throws {
        for step in 0..<24 {
            let path = folder.path("store-\(step)")
            let disk = try FaultyDisk()
            let store = try disk.open(path)
            let before = try await store.store(try StorePattern.entry(1))
            disk.fill(from: disk.operationCount + 1 + step)
            var acknowledged = before
            var isFull = false
            for number in 2...30 as ClosedRange<UInt64> where !isFull {
                do {
                    acknowledged += try await store.store(try StorePattern.entry(number))
                } catch StoreError.full {
                    isFull = true
                }
            }
            #expect(isFull && store.health == .full, "step \(step)")
            // Read-only, and still there.
            let tenant = try StorePattern.tenant(1)
            #expect(try await !store.entries(acknowledged, tenant: tenant).contains(nil), "step \(step)")
            await #expect(throws: StoreError.full) { try await store.store(try StorePattern.entry(98)) }
            // The next write finds the free space by itself.
            disk.fill(from: 0)
            acknowledged += try await store.store(try StorePattern.entry(99))
            #expect(store.health == .writable)
            await store.close()
            let next = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
            #expect(try await !next.entries(acknowledged, tenant: tenant).contains(nil), "step \(step)")
            #expect(try await next.counts().map(\.queued) == [acknowledged.count], "step \(step)")
            #expect(try await next.integrityReport() == [], "step \(step)")
            await next.close()
        }
    }

    @Test func `a disk that takes no writes is told apart, read, and tried again (abuse case 96)`() async throws {
        for step in 0..<8 {
            let path = folder.path("store-\(step)")
            let disk = try FaultyDisk()
            let store = try disk.open(path)
            let tenant = try StorePattern.tenant(1)
            let before = try await store.store(try StorePattern.entry(1))
            disk.failWrites(from: disk.operationCount + 1 + step)
            var acknowledged = before
            var isRefused = false
            for number in 2...30 as ClosedRange<UInt64> where !isRefused {
                do {
                    acknowledged += try await store.store(try StorePattern.entry(number))
                } catch StoreError.unwritable {
                    isRefused = true
                }
            }
            #expect(isRefused && store.health == .unwritable, "step \(step)")
            #expect(await store.isAnswering(), "opening it anew would not help")
            #expect(try await !store.entries(acknowledged, tenant: tenant).contains(nil), "step \(step)")
            disk.failWrites(from: 0)
            acknowledged += try await store.store(try StorePattern.entry(99))
            #expect(store.health == .writable)
            await store.close()
            let next = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
            #expect(try await next.counts().map(\.queued) == [acknowledged.count], "step \(step)")
            #expect(try await next.integrityReport() == [], "step \(step)")
            await next.close()
        }
    }

    @Test func `an outcome that found no space can be handed in again`() async throws {
        let disk = try FaultyDisk()
        let store = try disk.open(folder.path("store"))
        let id = try await store.store(try StorePattern.entry(1))[0]
        let sent = try await store.sendAll()
        disk.fill(from: 1)
        await #expect(throws: StoreError.full) { _ = try await store.finish(sent[0], .accepted) }
        #expect(try await store.takeAll(now: .after(900)).isEmpty)
        disk.fill(from: 0)
        #expect(try await store.finish(sent[0], .accepted) == .recorded(.accepted))
        #expect(try await store.state(id) == .accepted)
        await store.close()
    }

    @Test func `a mark that found no space is not sent, and is taken again`() async throws {
        let disk = try FaultyDisk()
        let store = try disk.open(folder.path("store"))
        _ = try await store.store(try StorePattern.entry(1))
        let taken = try await store.takeAll()
        disk.fill(from: 1)
        await #expect(throws: StoreError.full) {
            _ = try await store.markSending(taken.map(\.lease), now: .after(0))
        }
        disk.fill(from: 0)
        #expect(try await store.takeAll().count == 1)
        await store.close()
    }

    @Test func `a fallback that found no space is not claimed, and a receipt is not used up`() async throws {
        let disk = try FaultyDisk()
        let store = try disk.open(folder.path("store"))
        var entry = try StorePattern.entry(1)
        entry.receiptHash = StorePattern.receiptHash(of: entry.apnsID)
        entry.fallbackAfter = .seconds(60)
        let hash = StorePattern.receiptHash(of: entry.apnsID)
        _ = try await store.store(entry)
        for one in try await store.sendAll() { _ = try await store.finish(one, .accepted) }
        disk.fill(from: 1)
        await #expect(throws: StoreError.full) { _ = try await store.claimFallbacks(limit: 9, now: .after(60)) }
        await #expect(throws: StoreError.full) { _ = try await store.redeem([hash], now: .after(60)) }
        disk.fill(from: 0)
        #expect(try await store.claimFallbacks(limit: 9, now: .after(60)).count == 1)
        guard case .received = try await store.redeem([hash], now: .after(60))[0] else { throw NotStored() }
        await store.close()
    }

    @Test func `neither an empty transaction nor an outcome says that a full disk has room, and a probe does`()
        async throws
    {
        let disk = try FaultyDisk()
        let store = try disk.open(folder.path("store"))
        _ = try await store.store(try StorePattern.entry(1))
        let sent = try await store.sendAll()
        disk.fill(from: 1)
        await #expect(throws: StoreError.full) { try await store.store(try StorePattern.entry(2)) }
        await #expect(throws: StoreError.full) { try await store.probe(byteCount: 32_768) }
        #expect(await store.isAnswering())
        disk.fill(from: 0)
        #expect(try await store.expire(now: StorePattern.start, limit: 9) == 0)
        #expect(store.health == .full)
        #expect(try await store.finish(sent[0], .accepted) == .recorded(.accepted))
        #expect(store.health == .full, "an outcome is less than a notification")
        try await store.probe(byteCount: 32_768)
        #expect(store.health == .writable)
        await store.close()
    }

    @Test func `after a sync that failed nothing is written until the store is opened anew (abuse case 96)`()
        async throws
    {
        let path = folder.path("store")
        let disk = try FaultyDisk()
        let store = try disk.open(path)
        let id = try await store.store(try StorePattern.entry(1))
        disk.failNextSync()
        await #expect(throws: StoreError.uncertain) { try await store.store(try StorePattern.entry(2)) }
        // The disk works again; what it lost is unknown.
        await #expect(throws: StoreError.broken) { try await store.store(try StorePattern.entry(3)) }
        #expect(store.health == .broken)
        let tenant = try StorePattern.tenant(1)
        #expect(try await store.entries(id, tenant: tenant) != [nil])
        await store.close()
        let next = try disk.open(path)
        #expect(try await next.entries(id, tenant: tenant) != [nil])
        _ = try await next.store(try StorePattern.entry(3))
        await next.close()
    }
}
