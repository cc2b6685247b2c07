import Envelope
import Foundation
import Keys
import Platform
import ReplayWindowProbe
import TestSupport
import Testing

@testable import Opening

struct StoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ ifMissing: ReplayWindow.IfMissing, seed: UInt64 = 1) throws(ReplayWindowError) -> ReplayWindow {
        var random = SeededRandom(seed: seed)
        return try ReplayWindow(folder: folder.path, ifMissing: ifMissing, random: &random, uptime: TestUptime.read)
    }

    @Test func `only the app makes a window, and then it has a random id and generation 1 (protocol v1, rule 15)`()
        throws
    {
        #expect(throws: ReplayWindowError.missing) { try open(.refuse) }
        #expect(try folder.names() == [])
        let store = try open(.create).store
        #expect(store.id.count == 16 && store.generation == 1)
        #expect(try open(.create, seed: 2).store == store)
        #expect(try open(.refuse, seed: 3).store == store)
        #expect(try folder.names() == ["replay-window-1"])
        let other = try TemporaryFolder()
        var random = SeededRandom(seed: 2)
        #expect(
            try ReplayWindow(folder: other.path, ifMissing: .create, random: &random, uptime: TestUptime.read).store.id
                != store.id
        )
    }

    @Test func `the process's window is opened once, and again when another file has its place`() throws {
        #expect(throws: ReplayWindowError.missing) { try ReplayWindow.ofProcess(folder: folder.path) }
        let made = try open(.create)
        let first = try ReplayWindow.ofProcess(folder: folder.path)
        #expect(try first === ReplayWindow.ofProcess(folder: folder.path))
        #expect(first.store == made.store)
        let raised = try made.advanceGeneration()
        #expect(try ReplayWindow.ofProcess(folder: folder.path).store == raised)
        var random = SeededRandom(seed: 2)
        let replaced = try ReplayWindow.replace(folder: folder.path, random: &random)
        #expect(try ReplayWindow.ofProcess(folder: folder.path).store == replaced.store)
        let other = try TemporaryFolder()
        let elsewhere = try ReplayWindow(
            folder: other.path,
            ifMissing: .create,
            random: &random,
            uptime: TestUptime.read
        )
        #expect(try ReplayWindow.ofProcess(folder: other.path).store == elsewhere.store)
        #expect(try ReplayWindow.ofProcess(folder: folder.path).store == replaced.store)
    }

    @Test func `the generation goes up, and another process sees it (protocol v1, rule 15)`() throws {
        let (one, other) = (try open(.create), try open(.refuse))
        let raised = try one.advanceGeneration()
        #expect(raised == StoreID(id: one.store.id, generation: 2))
        #expect(one.store == raised)
        _ = try other.lowerBound()
        #expect(other.store == raised)
        #expect(try open(.refuse).store == raised)
    }

    @Test func `a restored older file has an older generation (protocol v1, rule 15)`() throws {
        _ = try open(.create)
        let path = folder.path(WindowLayout.name)
        let backup = try WholeFile.read(path, byteCountMax: 1 << 22)
        let current = try open(.refuse).advanceGeneration()
        try WholeFile.write(backup, to: path, access: .ownerOnly)
        let restored = try open(.refuse).store
        #expect(restored.id == current.id && restored.generation < current.generation)
    }

    @Test func `a replaced window has a new id, knows nothing, and the old one says so (protocol v1, rule 15)`() throws
    {
        let old = try open(.create)
        _ = try old.claim(MessageStamp(1), now: now)
        var random = SeededRandom(seed: 9)
        let new = try ReplayWindow.replace(folder: folder.path, random: &random)
        #expect(new.store.id != old.store.id)
        #expect(throws: ReplayWindowError.missing) { try old.claim(MessageStamp(2), now: now) }
        #expect(throws: ReplayWindowError.missing) { try old.lowerBound() }
        #expect(try new.claim(MessageStamp(1), now: now).isNew)
        #expect(try folder.names() == ["replay-window-1"])
    }

    @Test func `the file is its owner's, of constant size, and below 4,000,000 bytes`() throws {
        let window = try open(.create)
        for number: UInt64 in 1...1_000 { _ = try window.claim(MessageStamp(number), now: now) }
        var status = stat()
        let path = folder.path(WindowLayout.name)
        let code = unsafe stat(path, &status)
        #expect(code == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(status.st_size == 3_997_696)
        #expect(status.st_blocks * 512 <= 4_000_000)
    }

    @Test func `windows made at the same time by many threads are one window`() throws {
        for round in 0..<20 {
            let folder = try TemporaryFolder()
            let path = folder.path
            let stores = Guarded<[StoreID]>([])
            let newCount = Guarded(0)
            ProbeThreads.run(4) { number in
                var random = SeededRandom(seed: UInt64(round * 10 + number))
                do throws(ReplayWindowError) {
                    let window = try ReplayWindow(
                        folder: path,
                        ifMissing: .create,
                        random: &random,
                        uptime: TestUptime.read
                    )
                    let isNew = try window.claim(MessageStamp(1), now: now).isNew
                    stores.withLock { $0.append(window.store) }
                    if isNew { newCount.withLock { $0 += 1 } }
                } catch {
                    Issue.record("\(error)")
                }
            }
            #expect(stores.withLock { $0.count == 4 && Set($0).count == 1 })
            #expect(newCount.withLock { $0 } == 1)
        }
    }

    @Test func `what a killed creation left behind is cleared away`() throws {
        _ = try folder.makeFile("replay-window.tmp", "half")
        #expect(throws: ReplayWindowError.missing) { try open(.refuse) }
        _ = try open(.create)
        #expect(try folder.names() == ["replay-window-1"])
    }

    @Test(arguments: [false, true])
    func `a folder in the window's place makes way, with whatever is in it (protocol v1, rule 15)`(_ hasFile: Bool)
        throws
    {
        let path = folder.path(WindowLayout.name)
        for round: UInt64 in 1...2 {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            if hasFile { _ = try folder.makeFile(WindowLayout.name + "/somebody's", "text") }
            #expect(throws: ReplayWindowError.damaged) { try open(.refuse) }
            let window = try open(.create, seed: round)
            #expect(try window.claim(MessageStamp(1), now: now).isNew)
            #expect(try !open(.refuse).claim(MessageStamp(1), now: now).isNew)
            // No other file is deleted.
            let others = try folder.names().filter { $0 != WindowLayout.name }
            #expect(others.count == (hasFile ? Int(round) : 0))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `what was written can be forced to disk`() throws {
        let window = try open(.create)
        _ = try window.claim(MessageStamp(1), now: now)
        #expect(throws: Never.self) { try window.synchronize() }
    }

    @Test func `sender keys and message ids are not in the file`() throws {
        let window = try open(.create)
        for number: UInt64 in 1...100 { _ = try window.claim(MessageStamp(number), now: now) }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(WindowLayout.name)))
        #expect(bytes.range(of: Data(alice.rawRepresentation)) == nil)
        #expect(bytes.range(of: Data(ProbeMessages.id(77))) == nil)
        #expect(bytes.range(of: Data("SealedPushReplay".utf8)) != nil)
    }
}
