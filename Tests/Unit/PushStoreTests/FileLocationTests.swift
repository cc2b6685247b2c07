import Glibc
import PushStore
import PushStorePattern
import TestSupport
import Testing

struct FileLocationTests {
    enum Deed: CaseIterable, Sendable {
        case removesFile, renamesFile, replacesFile, removesLog, renamesLog

        func perform(_ path: String) throws {
            switch self {
            case .removesFile: try #require(unsafe unlink(path) == 0)
            case .renamesFile: try #require(unsafe rename(path, path + ".away") == 0)
            case .replacesFile:
                try #require(unsafe rename(path, path + ".away") == 0)
                close(unsafe open(path, O_CREAT | O_WRONLY, 0o600))
            case .removesLog: try #require(unsafe unlink(path + "-wal") == 0)
            case .renamesLog: try #require(unsafe rename(path + "-wal", path + ".away") == 0)
            }
        }

        /// - Returns: false if it cannot be undone.
        func undo(_ path: String) throws -> Bool {
            switch self {
            case .removesFile, .removesLog: return false
            case .renamesFile, .replacesFile: try #require(unsafe rename(path + ".away", path) == 0)
            case .renamesLog: try #require(unsafe rename(path + ".away", path + "-wal") == 0)
            }
            return true
        }
    }

    @Test(arguments: Deed.allCases, [false, true])
    func `what is taken away is noticed before anything is acknowledged, and back after the next opening`(
        _ deed: Deed,
        isAskedFirst: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store")
        let tenant = try StorePattern.tenant(1)
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        let acknowledged = try await store.store(try StorePattern.entry(1))
        #expect(store.health == .writable)
        try deed.perform(path)
        if isAskedFirst { #expect(await store.isAnswering() && store.health == .moved) }
        // The write that finds out may be in the file.
        let error: StoreError = isAskedFirst ? .moved : .uncertain
        await #expect(throws: error) { try await store.store(try StorePattern.entry(2)) }
        #expect(store.health == .moved)
        #expect(await store.isAnswering(), "a start without the file would begin an empty one")
        #expect(try await !store.entries(acknowledged, tenant: tenant).contains(nil), "it can still be read")
        let isBack = try deed.undo(path)
        await #expect(throws: StoreError.moved) { try await store.store(try StorePattern.entry(3)) }
        await store.close()
        guard isBack || deed == .removesLog else { return }
        let next = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        #expect(try await !next.entries(acknowledged, tenant: tenant).contains(nil))
        #expect(try await next.integrityReport() == [])
        let more = try await next.store(try StorePattern.entry(4))
        #expect(try await !next.entries(more, tenant: tenant).contains(nil) && next.health == .writable)
        await next.close()
    }

    @Test func `a look that finds nothing to do notices it too`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store")
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        #expect(try await store.expire(now: StorePattern.start, limit: 1) == 0)
        try #require(unsafe unlink(path) == 0)
        await #expect(throws: StoreError.uncertain) { try await store.expire(now: StorePattern.start, limit: 1) }
        await store.close()
    }

    @Test func `what only another file does is none of it`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store")
        let store = try SQLiteStore(path: path, key: try StorePattern.key(), now: StorePattern.start)
        try await store.backup(to: folder.path("copy"))
        // Enough for the log to start again.
        for number in 1...20 as ClosedRange<UInt64> { _ = try await store.store(try StorePattern.entry(number)) }
        #expect(store.health == .writable)
        await store.close()
    }
}
