import Envelope
import Platform
import PushStore
import PushStorePattern
import PushStoreProbe
import TestSupport
import Testing

struct StoreFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store")
    }

    private func open(_ settings: StoreSettings = StoreSettings(), key: UInt8 = 7) throws -> SQLiteStore {
        try SQLiteStore(path: path, key: try StorePattern.key(key), settings: settings, now: StorePattern.start)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `all of its files are only their owner's`() async throws {
        _ = try folder.makeFile("store", "", mode: 0o644)
        let store = try open()
        _ = try await store.store(try StorePattern.entry(1))
        #expect(try folder.names() == ["store", "store-lock", "store-shm", "store-wal"])
        for name in try folder.names() { #expect(mode(folder.path(name)) == 0o600, "\(name)") }
        await store.close()
    }

    @Test func `two in one process cannot have one store (abuse case 102)`() async throws {
        let store = try open()
        #expect(throws: StoreError.inUse) { _ = try open() }
        await store.close()
        await (try open()).close()
    }

    @Test func `another process cannot have it, and its death gives it back (abuse case 102)`() async throws {
        let probe = try LineProcess(LineProcess.path(of: "PushStoreProbe"), ["work", path, "1"])
        #expect(probe.line() == "opened 0")
        #expect(throws: StoreError.inUse) { _ = try open() }
        probe.kill()
        await (try open()).close()
    }

    @Test func `a second name of the file does not pass the lock (abuse case 102)`() async throws {
        await (try open()).close()
        let store = try open()
        #expect(unsafe link(path, folder.path("other")) == 0)
        #expect(throws: StoreError.otherName) {
            _ = try SQLiteStore(path: folder.path("other"), key: try StorePattern.key(), now: StorePattern.start)
        }
        await store.close()
        #expect(throws: StoreError.otherName) { _ = try open() }
        unsafe unlink(folder.path("other"))
        await (try open()).close()
    }

    @Test func `another key opens nothing`() async throws {
        await (try open()).close()
        #expect(throws: StoreError.wrongKey) { _ = try open(key: 8) }
        await (try open()).close()
    }

    @Test func `a closed store says so`() async throws {
        let store = try open()
        await store.close()
        await #expect(throws: StoreError.closed) { try await store.store(try StorePattern.entry(1)) }
        await #expect(throws: StoreError.closed) { _ = try await store.counts() }
    }

    @Test func `a file of somebody else's is left alone (abuse case 97)`() throws {
        let text = String(repeating: "not a database. ", count: 500)
        _ = try folder.makeFile("store", text)
        #expect(throws: StoreError.notAStore) { _ = try open() }
    }

    @Test func `a file that was cut is refused or reported (abuse case 97)`() async throws {
        let store = try open()
        for number in 1...200 as ClosedRange<UInt64> { _ = try await store.store(try StorePattern.entry(number)) }
        await store.close()
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        #expect(unsafe truncate(path, status.st_size / 2 / 4_096 * 4_096) == 0)
        do {
            let cut = try open()
            await #expect(throws: StoreError.self) {
                let report = try await cut.integrityReport()
                if !report.isEmpty { throw StoreError.damaged }
            }
            await cut.close()
        } catch let error as StoreError {
            #expect(error == .damaged)
        }
    }

    @Test func `what a process left on its way is found once, at the first opening after it`() async throws {
        let probe = try LineProcess(LineProcess.path(of: "PushStoreProbe"), ["work", path, "5"])
        var marked: Set<String> = []
        while marked.count < 3, let line = probe.line() { if line.hasPrefix("marked") { marked.insert(line) } }
        probe.kill()
        let store = try open()
        let report = store.openingReport
        #expect(report.restoreCause == nil && report.versionBefore == report.version)
        await store.close()
        let again = try open()
        #expect(again.openingReport.interruptedCount == 0)
        await again.close()
    }

    @Test func `an id that was given out while opening is not given out again`() async throws {
        let store = try open()
        var entry = try StorePattern.entry(1, attemptLimit: 1)
        entry.isReported = true
        _ = try await store.store(entry)
        _ = try await store.sendAll()
        await store.close()
        // It writes the hook of the entry in flight, and nothing else.
        let second = try open()
        #expect(second.openingReport.interruptedCount == 1)
        await second.close()
        let third = try open()
        let hooks = try await third.takeHooks(limit: 9, now: .after(1), leasedUntil: .after(60))
        let id = try await third.store(try StorePattern.entry(98, device: 1))[0]
        #expect(hooks.count == 1 && hooks.allSatisfy { $0.id < id.value })
        await third.close()
    }

    @Test func `a log that somebody took away is noticed (abuse case 97)`() async throws {
        let probe = try LineProcess(LineProcess.path(of: "PushStoreProbe"), ["work", path, "5"])
        for _ in 0..<50 { _ = probe.line() }
        probe.kill()
        unsafe unlink(path + "-wal")
        // Without the log the file may be of any moment, or unusable: it is never silently taken for whole.
        do {
            let store = try open()
            #expect(store.openingReport.restoreCause != nil)
            await store.close()
        } catch let error as StoreError {
            #expect(error == .damaged || error == .notAStore)
        }
    }

    @Test func `a backup is whole while others write, and opens with the same key`() async throws {
        let store = try open()
        let before = try await store.store(try StorePattern.entry(1))
        let registration = try StorePattern.registration(1)
        _ = try await store.put([registration], now: .after(0))
        async let writing: Void = {
            for number in 2...100 as ClosedRange<UInt64> { _ = try await store.store(try StorePattern.entry(number)) }
        }()
        try await store.backup(to: folder.path("copy"))
        try await writing
        await #expect(throws: StoreError.failed(operation: .open, code: EEXIST)) {
            try await store.backup(to: folder.path("copy"))
        }
        await store.close()
        #expect(mode(folder.path("copy")) == 0o600)
        let copy = try SQLiteStore(path: folder.path("copy"), key: try StorePattern.key(), now: StorePattern.start)
        #expect(try await copy.integrityReport() == [])
        #expect(try await copy.entries(before, tenant: try StorePattern.tenant(1)) != [nil])
        guard case .found(let device) = try await copy.devices([registration.key])[0] else { throw NotStored() }
        #expect(device.holds(registration))
        await copy.close()
    }

    @Test func `too much that waits is refused, and what ends work is not`() async throws {
        let store = try open(StoreSettings(waitingMax: 1))
        _ = try await store.store(try StorePattern.entry(1))
        let sent = try await store.sendAll()
        let results = await withTaskGroup(of: StoreError?.self) { group in
            for number in 2...200 as ClosedRange<UInt64> {
                group.addTask {
                    do {
                        _ = try await store.store(try StorePattern.entry(number))
                        return nil
                    } catch {
                        return error as? StoreError
                    }
                }
            }
            return await group.reduce(into: [StoreError?]()) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0 == nil || $0 == .overloaded })
        #expect(try await store.finish(sent[0], .accepted) == .recorded(.accepted))
        let storedCount = results.count { $0 == nil }
        #expect(try await store.counts()[0].queued == storedCount)
        await store.close()
    }
}
