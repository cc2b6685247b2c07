import Envelope
import Platform
import PushStorePattern
import TestSupport
import Testing

@testable import PushStore

/// Files put in a database's place, as the next opening sees them.
struct RestoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private let tenant: TenantID

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store")
        tenant = try StorePattern.tenant(1)
    }

    private func open(_ path: String? = nil, _ queue: RestoredQueue? = nil) throws -> SQLiteStore {
        var settings = StoreSettings()
        settings.restoredQueue = queue
        let key = try StorePattern.key()
        return try SQLiteStore(path: path ?? self.path, key: key, settings: settings, now: StorePattern.start)
    }

    /// - Returns: the reason why an opening takes the file for a restored one.
    private func cause(_ path: String? = nil) async throws -> RestoreCause? {
        let store = try open(path)
        await store.close()
        return store.openingReport.restoreCause
    }

    private func copy(_ source: String, to target: String) throws {
        let bytes = try StoreAtRest.read(source)
        let file = try StoreFile.open(target, O_CREAT | O_TRUNC)
        #expect(unsafe write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    @Test func `a back-up of this opening that is put back after it is noticed (abuse case 97)`() async throws {
        let store = try open()
        _ = try await store.store(try StorePattern.entry(1))
        try await store.backup(to: folder.path("copy"))
        await store.close()
        #expect(try await cause() == nil)
        #expect(unsafe rename(folder.path("copy"), path) == 0)
        #expect(try await cause() == .backup)
        #expect(try await cause() == .backup, "until it is acknowledged")
    }

    @Test func `a back-up is noticed on a new machine, and with the mark of its source beside it`() async throws {
        let store = try open()
        try await store.backup(to: folder.path("copy"))
        try await store.backup(to: folder.path("other"))
        try copy(path + "-lock", to: folder.path("other-lock"))
        await store.close()
        #expect(try await cause(folder.path("copy")) == .backup)
        #expect(try await cause(folder.path("other")) == .backup)
    }

    @Test func `a copy of the file is noticed after each opening, each minute and each end`() async throws {
        func isNoticed(_ later: (SQLiteStore) async throws -> Void) async throws -> Bool {
            let folder = try TemporaryFolder()
            let path = folder.path("store")
            let first = try open(path)
            // Everything is in the file, as in a copy of the disk at that moment.
            #expect(try await first.emptyLog())
            try copy(path, to: folder.path("copy"))
            try await later(first)
            let mark = try StoreAtRest.read(path + "-lock")
            await first.close()
            // The part of the mark that a crash at that moment leaves.
            try copy(folder.path("copy"), to: path)
            let file = try StoreFile.open(path + "-lock")
            #expect(unsafe pwrite(file, mark, mark.count, 0) == mark.count)
            close(file)
            return try await cause(path) == .otherFile
        }
        #expect(try await isNoticed { try await $0.write { writer in writer.renewStamp() } })
        #expect(try await isNoticed { await $0.close() })
        #expect(try await !isNoticed { _ in }, "of the same minute")
    }

    @Test func `a file without its mark, and a mark without its file, are noticed`() async throws {
        await (try open()).close()
        try copy(path, to: folder.path("moved"))
        #expect(try await cause(folder.path("moved")) == .otherFile)
        unsafe unlink(path)
        #expect(try await cause() == .otherFile)
        // A copy of the whole folder has both, and cannot be told from the first.
        await (try open(folder.path("new"))).close()
        try copy(folder.path("new"), to: folder.path("whole"))
        try copy(folder.path("new-lock"), to: folder.path("whole-lock"))
        #expect(try await cause(folder.path("whole")) == nil)
    }

    @Test func `a crash between the mark and the database is no restore`() async throws {
        let store = try open()
        await store.close()
        let mark = try #require(StoreMark(Array(try StoreAtRest.read(path + "-lock").prefix(StoreMark.byteCount))))
        let file = try StoreFile(path: path)
        let other = [UInt8](repeating: 9, count: StoreMark.stampByteCount)
        try file.note(StoreMark(stamps: [mark.stamps[0], other], isClosed: true))
        file.release()
        #expect(try await cause() == nil)
        let next = try StoreFile(path: path)
        try next.note(StoreMark(stamps: [other], isClosed: true))
        next.release()
        #expect(try await cause() == .otherFile)
    }

    @Test func `a restored store is read and takes nothing, until its restore is acknowledged`() async throws {
        let store = try open()
        let ids = try await store.store(try StorePattern.entry(1))
        try await store.backup(to: folder.path("copy"))
        await store.close()
        let held = try open(folder.path("copy"))
        #expect(held.health == .restored)
        #expect(await held.isAnswering())
        #expect(try await held.entries(ids, tenant: tenant)[0]?.state == .queued)
        await #expect(throws: StoreError.restored) { try await held.store(try StorePattern.entry(2)) }
        await #expect(throws: StoreError.restored) { try await held.sendAll() }
        await #expect(throws: StoreError.restored) { try await held.expire(now: .after(1), limit: 1) }
        await held.close()
        let acknowledged = try open(folder.path("copy"), .send)
        #expect(acknowledged.openingReport.restoreCause == .backup)
        #expect(acknowledged.openingReport.waitingCount == 1)
        #expect(try await acknowledged.sendAll().map(\.entry.id) == ids)
        await acknowledged.close()
        #expect(try await cause(folder.path("copy")) == nil)
    }

    /// Two waiting entries, the first of them reported, and one whose fallback is armed.
    private struct Restored {
        let store: SQLiteStore
        let waiting: [EntryID]
        let sent: EntryID
    }

    private func restored(_ queue: RestoredQueue) async throws -> Restored {
        let store = try open()
        var accepted = try StorePattern.entry(1)
        accepted.receiptHash = StorePattern.receiptHash(of: accepted.apnsID)
        accepted.fallbackAfter = .seconds(60)
        let sent = try await store.store(accepted)[0]
        #expect(try await store.finish(try await store.sendAll()[0], .accepted) == .recorded(.accepted))
        var waiting = try StorePattern.entry(2)
        waiting.isReported = true
        waiting.receiptHash = StorePattern.receiptHash(of: waiting.apnsID)
        let ids = try await store.store(waiting, try StorePattern.entry(3))
        try await store.backup(to: folder.path("copy"))
        await store.close()
        return Restored(store: try open(folder.path("copy"), queue), waiting: ids, sent: sent)
    }

    @Test func `what is dropped is dead with an unknown outcome, is told, and no fallback fires`() async throws {
        let restored = try await restored(.drop)
        let (store, ids, sent) = (restored.store, restored.waiting, restored.sent)
        #expect(store.openingReport.waitingCount == 2)
        for id in ids { #expect(try await store.state(id) == .dead(.outcomeUnknown)) }
        #expect(try await store.state(sent) == .accepted)
        let hooks = try await store.takeHooks(limit: 9, now: .after(1), leasedUntil: .after(60))
        #expect(hooks.map(\.entry.id) == [ids[0]])
        #expect(try await store.nextFallback() == nil)
        #expect(try await store.counts().map(\.queued).reduce(0, +) == 0)
        #expect(try await store.integrityReport() == [])
        await store.close()
    }

    @Test func `what is to be sent again is not when its first receipt comes before`() async throws {
        let restored = try await restored(.send)
        let (store, ids) = (restored.store, restored.waiting)
        #expect(try await store.nextFallback() != nil)
        let redeemed = try await store.redeem([StorePattern.receiptHash(of: StorePattern.apnsID(2))], now: .after(1))
        guard case .received(let entry) = redeemed[0] else { throw NotStored() }
        #expect(entry.id == ids[0])
        #expect(try await store.sendAll().map(\.entry.id) == [ids[1]])
        await store.close()
    }

    @Test func `numbers of two openings are never equal, also where both go on from one number`() {
        for (first, second) in [(0, 1), (255, 0), (7, 200)] as [(UInt8, UInt8)] {
            var numbers: Set<Int64> = []
            for incarnation in [first, second] {
                var sequence = EntrySequence(last: 1_793_491_200_000 << 13 | 77, incarnation: incarnation)
                for milliseconds in [1_793_491_199_000, 1_793_491_200_000, 1_793_491_200_001] as [UInt64] {
                    for _ in 0..<100 { numbers.insert(sequence.next(milliseconds: milliseconds)) }
                }
            }
            #expect(numbers.count == 600)
        }
    }

    @Test(arguments: [0, 60, 3_600, 86_400])
    func `a back-up that is put back under a clock set back uses no id twice, though it draws the same number`(
        _ seconds: Int
    ) async throws {
        var settings = StoreSettings()
        settings.incarnation = 77
        settings.restoredQueue = .send
        func life(from second: Int, _ body: (SQLiteStore) async throws -> Void) async throws {
            let store = try SQLiteStore(
                path: path,
                key: try StorePattern.key(),
                settings: settings,
                now: .after(1_000_000 + second)
            )
            try await body(store)
            await store.close()
        }
        var ids: [EntryID] = []
        func work(_ store: SQLiteStore, from second: Int) async throws {
            for step in 0..<40 {
                let now = Timestamp.after(1_000_000 + second + 60 * step)
                ids += try await store.store(try StorePattern.entry(1), try StorePattern.entry(2), now: now)
                _ = try await store.report([NewHook(tenant: tenant, entry: ids[0], kind: .dead)], now: now)
            }
        }
        try await life(from: 0) { store in
            _ = try await store.store(try StorePattern.entry(9), now: .after(1_000_000))
            try await store.backup(to: folder.path("copy"))
            try await work(store, from: 0)
        }
        #expect(unsafe rename(folder.path("copy"), path) == 0)
        try await life(from: -seconds) { store in
            #expect(store.openingReport.restoreCause == .backup)
            try await work(store, from: -seconds)
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `each opening draws its own numbers`() async throws {
        var incarnations: Set<Int64> = []
        for number in 1...8 as ClosedRange<UInt64> {
            let store = try open()
            incarnations.insert(try await store.store(try StorePattern.entry(number))[0].sequence & 0xFF)
            await store.close()
        }
        // All equal once in 2^56 runs.
        #expect(incarnations.count > 1)
    }
}
