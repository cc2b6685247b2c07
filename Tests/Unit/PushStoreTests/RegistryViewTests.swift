import APNS
import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// The device lookup's read transaction, which lasts while the outbox is written.
struct RegistryViewTests {
    private static func open(_ folder: TemporaryFolder) throws -> SQLiteStore {
        try SQLiteStore(path: folder.path("store"), key: try StorePattern.key(), now: StorePattern.start)
    }

    /// 4,096 frames of 8,192 bytes and the writes until the next checkpoint attempt, four times over.
    private static let logByteCountMax: Int64 = 4 * 32 << 20

    private static func logByteCount(_ folder: TemporaryFolder) -> Int64 {
        var status = stat()
        return unsafe stat(folder.path("store-wal"), &status) == 0 ? Int64(status.st_size) : 0
    }

    @Test func `it sees each registration that was acknowledged, whatever was written in between`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        let key = DeviceKey(tenant: try StorePattern.tenant(1), device: try StorePattern.device(1))
        #expect(try await store.devices([key]).first?.isFound == false)
        for version in 1...20 as ClosedRange<UInt64> {
            let registration = try StorePattern.registration(1, version: version)
            _ = try await store.put([registration], now: StorePattern.start)
            for number in 0..<3 as Range<UInt64> {
                _ = try await store.store(try StorePattern.entry(version * 10 + number))
                guard case .found(let device) = try await store.devices([key])[0] else {
                    Issue.record("gone in version \(version)")
                    return
                }
                #expect(device.token == registration.token, "version \(version)")
            }
        }
        #expect(try await store.delete([key]) == [true])
        #expect(try await store.devices([key]).first?.isFound == false)
        await store.close()
    }

    @Test(arguments: [true, false])
    func `SQLite can use its log again, with looks all the time and with one that nobody follows`(
        isLooking: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        let registration = try StorePattern.registration(1)
        _ = try await store.put([registration], now: StorePattern.start)
        _ = try await store.devices([registration.key])
        var number: UInt64 = 1
        // Some 250 MB in all, a tenth of a log in each transaction.
        for _ in 0..<100 {
            var requests: [OutboxRequest] = []
            for _ in 0..<400 {
                number += 1
                let entry = try StorePattern.entry(number, byteCount: 4_000)
                requests.append(
                    try OutboxRequest(tenant: registration.key.tenant, idempotency: nil, entries: [entry])
                )
            }
            _ = try await store.enqueue(requests, now: StorePattern.start)
            if isLooking {
                _ = try await store.devices([registration.key])
            } else {
                // No lookup: once this returns, the reader thread has done its earlier jobs.
                try await store.read { _ in }
            }
            guard Self.logByteCount(folder) <= Self.logByteCountMax else {
                Issue.record("the log has \(Self.logByteCount(folder)) bytes")
                break
            }
        }
        await store.close()
    }

    @Test func `looks may last until three quarters of a log, and again when it is short`() {
        let news = RegistryNews()
        let calls = Guarded(0)
        news.listen { calls.withLock { $0 += 1 } }
        let limit = RegistryNews.lastingFrameCountMax
        #expect(limit == 3_072)
        news.didWrite(hasChanges: false, logFrameCount: limit - 1)
        #expect(news.state == RegistryNews.State(changeCount: 0, mayLast: true))
        news.didWrite(hasChanges: true, logFrameCount: limit)
        news.didWrite(hasChanges: false, logFrameCount: limit + 1)
        #expect(news.state == RegistryNews.State(changeCount: 1, mayLast: false))
        #expect(calls.withLock { $0 } == 1, "once, when it begins")
        news.didWrite(hasChanges: false, logFrameCount: 20)
        #expect(news.state.mayLast)
        // A full disk has room in the log at best.
        news.didWrite(hasChanges: true, logFrameCount: nil)
        #expect(news.state == RegistryNews.State(changeCount: 2, mayLast: false))
        #expect(calls.withLock { $0 } == 2)
    }
}

extension DeviceLookup {
    fileprivate var isFound: Bool { if case .found = self { true } else { false } }
}
