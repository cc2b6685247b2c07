import Envelope
import Foundation
import Keys
import Primitives
import TestSupport
import Testing

@testable import Sealing

/// Pins in files: private, whole, and one change at a time, in any process.
struct FileBundlePinStoreTests {
    private let temporary: TemporaryFolder
    private let folder: String
    private let device = BundleMaker(seed: 330)
    private let slot: BundlePinSlot

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.path("pins")
        slot = BundlePinSlot(identity: device.identity, topic: try BundleID(BundleMaker.topic))
    }

    private var path: String { folder + "/" + slot.name.prefix(2) + "/" + slot.name.dropFirst(2) }

    @Test func `a pin outlives the process that made it (protocol v1, rule 16)`() throws {
        #expect(device.refusal(of: try device.bundle(epoch: 8), pins: try FileBundlePinStore(folder: folder)) == nil)
        let later = try FileBundlePinStore(folder: folder)
        #expect(try device.pin(in: later)?.epoch == 8)
        let refusal = device.refusal(of: try device.bundle(epoch: 7), pins: later)
        #expect(refusal == .bundle(.rolledBack(epoch: 7, pinnedEpoch: 8)))
    }

    @Test func `a pin comes back as it was, to the last bit`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        let store = try FileBundlePinStore(folder: folder)
        for _ in 0..<50 {
            let pin = BundlePin.random(using: &random)
            try store.update(slot) { _ in .store(pin) }
            #expect(try device.pin(in: store) == pin, "seed \(seed)")
        }
    }

    @Test func `files and folders are the owner's only, and their names show no identity`() throws {
        let store = try FileBundlePinStore(folder: folder)
        try store.update(slot) { _ in .store(.example(epoch: 7)) }
        #expect(try mode(folder) == 0o700)
        #expect(try mode((path as NSString).deletingLastPathComponent) == 0o700)
        #expect(try mode(path) == 0o600)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).joined().lowercased()
        #expect(!names.contains(Hex.encode(device.identity.rawRepresentation)))
        #expect(!names.contains("example"))
    }

    @Test func `what is forgotten is gone from the disk`() throws {
        let store = try FileBundlePinStore(folder: folder)
        try store.update(slot) { _ in .store(.example(epoch: 7)) }
        try store.forget(device.identity, topic: slot.topic)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try device.pin(in: store) == nil)
        try store.forget(device.identity, topic: slot.topic)
    }

    @Test(arguments: [0o770, 0o707, 0o777, 0o720])
    func `a folder where others may write is refused`(_ mode: Int) throws {
        _ = try FileBundlePinStore(folder: folder)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        #expect(throws: BundlePinStoreError.writableByOthers(path: folder)) { try FileBundlePinStore(folder: folder) }
    }

    @Test func `a folder whose parent is missing is an error, and so is one that went away`() throws {
        let nowhere = temporary.path("a/b")
        #expect(throws: BundlePinStoreError.system(call: "mkdir", path: nowhere, code: ENOENT)) {
            try FileBundlePinStore(folder: nowhere)
        }
        let store = try FileBundlePinStore(folder: folder)
        try FileManager.default.removeItem(atPath: folder)
        let subfolder = folder + "/" + slot.name.prefix(2)
        #expect(throws: BundlePinStoreError.system(call: "mkdir", path: subfolder, code: ENOENT)) {
            try store.update(slot) { _ in .store(.example(epoch: 7)) }
        }
    }

    @Test func `a file with any byte changed is damaged, and never taken for none`() throws {
        let store = try FileBundlePinStore(folder: folder)
        try store.update(slot) { _ in .store(.example(epoch: 7)) }
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(good.count == 103 + BundleMaker.topic.utf8.count)
        for offset in good.indices {
            var bad = good
            bad[offset] ^= 1 << UInt8(offset % 8)
            #expect(try isDamaged(bad, in: store), "byte \(offset)")
        }
        for count in 0..<good.count { #expect(try isDamaged(good.prefix(count), in: store), "\(count) bytes") }
        #expect(try isDamaged(good + [0], in: store))
        #expect(try isDamaged(good + Data(repeating: 0, count: 1_000), in: store))
        try good.write(to: URL(fileURLWithPath: path))
        #expect(try device.pin(in: store)?.epoch == 7)
    }

    @Test func `a damaged pin gives no recipient`() throws {
        let store = try FileBundlePinStore(folder: folder)
        try store.update(slot) { _ in .store(.example(epoch: 7)) }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(device.refusal(of: try device.bundle(epoch: 9), pins: store) == .pins(.damaged(place: path)))
    }

    @Test func `a pin in another's place is damaged: two identities never share one (protocol v1, rule 13)`() throws {
        let store = try FileBundlePinStore(folder: folder)
        let other = BundlePinSlot(identity: BundleMaker(seed: 331).identity, topic: slot.topic)
        let otherTopic = BundlePinSlot(identity: slot.identity, topic: try BundleID("com.example.other"))
        for stranger in [other, otherTopic] {
            let bytes = BundlePin.example(epoch: 1).encoded(for: stranger)
            try store.update(slot) { _ in .store(.example(epoch: 7)) }
            #expect(try isDamaged(Data(bytes), in: store))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `something else in a pin's place is an error, and is left alone`() throws {
        let store = try FileBundlePinStore(folder: folder)
        try store.update(slot) { _ in .store(.example(epoch: 7)) }
        try FileManager.default.removeItem(atPath: path)
        let target = try temporary.makeFile("target", "mine")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(throws: BundlePinStoreError.self) { try store.update(slot) { _ in .store(.example(epoch: 8)) } }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
    }

    @Test func `what a killed writer left behind hinders nobody and is not taken for a pin`() throws {
        let store = try FileBundlePinStore(folder: folder)
        try store.update(slot) { _ in .store(.example(epoch: 7)) }
        let subfolder = (path as NSString).deletingLastPathComponent
        let record = BundlePin.example(epoch: 9).encoded(for: slot)
        for count in [0, 1, record.count / 2, record.count] {
            try Data(record.prefix(count)).write(to: URL(fileURLWithPath: subfolder + "/new"))
            #expect(try device.pin(in: store)?.epoch == 7)
        }
        try store.update(slot) { _ in .store(.example(epoch: 8)) }
        #expect(try device.pin(in: store)?.epoch == 8)
        let names = try FileManager.default.contentsOfDirectory(atPath: subfolder).sorted()
        #expect(names == [String(slot.name.dropFirst(2)), "lock"].sorted())
    }

    @Test func `of many writers at the same time none is lost`() async throws {
        let (writerCount, updateCount) = (8, 25)
        let (folder, slot) = (folder, slot)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<writerCount {
                group.addTask {
                    // As in processes of their own: they share only the folder.
                    let store = try FileBundlePinStore(folder: folder)
                    for _ in 0..<updateCount {
                        try store.update(slot) { .store(.example(epoch: ($0?.epoch ?? 0) + 1)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try FileBundlePinStore(folder: folder)
        #expect(try device.pin(in: store)?.epoch == UInt64(writerCount * updateCount))
    }

    #if os(Linux)
    @Test func `a pin that was read is good until another process writes the next (protocol v1, rule 16)`() throws {
        // Its files have been there for a while.
        let first = try FileBundlePinStore(folder: folder) { Int(Date.now.timeIntervalSince1970) + 60 }
        let second = try FileBundlePinStore(folder: folder)
        let lock = folder + "/" + slot.name.prefix(2) + "/lock"
        for epoch in UInt64(1)...5 {
            try second.update(slot) { _ in .store(.example(epoch: epoch)) }
            for isKnown in [false, true] {
                var exitCode: Int32?
                var found: UInt64?
                try first.update(slot) { pin in
                    found = pin?.epoch
                    exitCode = try? lockFromAnotherProcess(lock)
                    return .keep
                }
                #expect(found == epoch)
                #expect(exitCode == (isKnown ? 0 : 1), "a known pin needs no lock, any other does")
            }
        }
        try second.forget(slot.identity, topic: slot.topic)
        #expect(try device.pin(in: first) == nil)
    }

    @Test func `a file that was just written is read each time`() throws {
        let now = Int(Date.now.timeIntervalSince1970)
        let store = try FileBundlePinStore(folder: folder) { now }
        let lock = folder + "/" + slot.name.prefix(2) + "/lock"
        try store.update(slot) { _ in .store(.example(epoch: 1)) }
        for _ in 0..<3 {
            var exitCode: Int32?
            try store.update(slot) { _ in
                exitCode = try? lockFromAnotherProcess(lock)
                return .keep
            }
            #expect(exitCode == 1)
        }
    }

    @Test func `while a pin is changed no other process gets at it (protocol v1, rule 16)`() throws {
        let store = try FileBundlePinStore(folder: folder)
        let lock = folder + "/" + slot.name.prefix(2) + "/lock"
        var during: Result<Int32?, any Error>?
        try store.update(slot) { _ in
            during = Result { try lockFromAnotherProcess(lock) }
            return .keep
        }
        #expect(try during?.get() == 1)
        #expect(try lockFromAnotherProcess(lock) == 0)
    }

    /// The exit code of util-linux's `flock`: 0 had the lock, 1 did not get it.
    private func lockFromAnotherProcess(_ path: String) throws -> Int32? {
        try LineProcess("/usr/bin/flock", ["--nonblock", path, "true"]).wait()
    }
    #endif

    private func isDamaged(_ bytes: Data, in store: FileBundlePinStore) throws -> Bool {
        try bytes.write(to: URL(fileURLWithPath: path))
        do {
            _ = try store.pin(of: slot.identity, topic: slot.topic)
            return false
        } catch {
            return error == .damaged(place: path)
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
}

extension BundlePin {
    static func example(epoch: UInt64) -> BundlePin {
        BundlePin(
            epoch: epoch,
            digest: [UInt8](repeating: 3, count: 32),
            highestSuites: HighestSuites(afterFirstUnlock: 1, unlocked: 0),
            issuedAt: BundleMaker.now,
            fetchedAt: BundleMaker.now
        )
    }

    static func random(using random: inout SeededRandom) -> BundlePin {
        BundlePin(
            epoch: random.next(),
            digest: random.bytes(count: 32),
            highestSuites: HighestSuites(
                afterFirstUnlock: UInt8(truncatingIfNeeded: random.next()),
                unlocked: UInt8(truncatingIfNeeded: random.next())
            ),
            issuedAt: Timestamp(milliseconds: random.next()),
            fetchedAt: Timestamp(milliseconds: random.next())
        )
    }
}
