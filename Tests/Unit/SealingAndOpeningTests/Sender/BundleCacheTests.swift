import Envelope
import Foundation
import Keys
import TestSupport
import Testing

@testable import Sealing

/// Copies of bundles: kept for seven days, checked at every use, and never an error.
struct BundleCacheTests {
    private let temporary: TemporaryFolder
    private let folder: String
    private let device = BundleMaker(seed: 350)
    private let pins = MemoryBundlePinStore()
    private let relay = Relay()
    private let slot: BundlePinSlot

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.path("bundles")
        slot = BundlePinSlot(identity: device.identity, topic: try BundleID(BundleMaker.topic))
    }

    private var path: String { folder + "/" + slot.name.prefix(2) + "/" + slot.name.dropFirst(2) + ".bundle" }

    @Test func `a bundle is fetched once in seven days, by all that share the folder`() async throws {
        relay.bundle = try device.bundle(epoch: 1, days: 60)
        for hours in [0, 1, 167] as [Int64] { _ = try await recipient(after: .seconds(hours * 3_600)) }
        #expect(relay.fetchCount == 1)
        let last = try await recipient(after: .seconds(7 * 86_400))
        #expect(relay.fetchCount == 2)
        #expect(last.fetchedAt == BundleMaker.now.advanced(by: .seconds(7 * 86_400)))
        #expect(!last.needsRefresh(now: BundleMaker.now.advanced(by: .seconds(8 * 86_400))))
    }

    @Test func `a copy that is older than what is pinned is fetched anew`() async throws {
        relay.bundle = try device.bundle(epoch: 1)
        _ = try await recipient()
        relay.bundle = try device.bundle(epoch: 2, prekey: 1)
        #expect(device.refusal(of: relay.bundle, pins: pins) == nil)
        let newest = try await recipient()
        #expect(relay.fetchCount == 2)
        #expect(try newest.prekey == device.recipient(relay.bundle, pins: pins).prekey)
    }

    @Test func `a copy whose prekey has run out, or that comes from the future, is fetched anew`() async throws {
        relay.bundle = try device.bundle(epoch: 1, days: 2)
        _ = try await recipient()
        relay.bundle = try device.bundle(epoch: 2, days: 30)
        _ = try await recipient(after: .seconds(3 * 86_400))
        #expect(relay.fetchCount == 2)
        _ = try await recipient(after: .zero)
        #expect(relay.fetchCount == 3)
    }

    @Test func `what the relay hands out is refused by the pins, and the copy stays`() async throws {
        relay.bundle = try device.bundle(epoch: 2, days: 60)
        _ = try await recipient()
        let kept = try Data(contentsOf: URL(fileURLWithPath: path))
        relay.bundle = try device.bundle(epoch: 1, days: 60)
        let week: Duration = .seconds(7 * 86_400)
        await #expect(throws: RecipientError.bundle(.rolledBack(epoch: 1, pinnedEpoch: 2))) {
            try await recipient(after: week)
        }
        relay.bundle = try BundleMaker(seed: 351).bundle(epoch: 3, days: 60)
        await #expect(throws: RecipientError.bundle(.otherIdentity)) { try await recipient(after: week) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == kept)
    }

    @Test func `an entry with any byte changed, or cut anywhere, is fetched anew and is whole again`() async throws {
        relay.bundle = try device.bundle(epoch: 1)
        _ = try await recipient()
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var count = 1
        var bad = good.indices.map { offset in
            var bad = good
            bad[offset] ^= 1 << UInt8(offset % 8)
            return bad
        }
        bad += (0..<good.count).map { good.prefix($0) } + [good + [0], Data(repeating: 0, count: 100_000)]
        for bytes in bad {
            try bytes.write(to: URL(fileURLWithPath: path))
            _ = try await recipient()
            count += 1
            #expect(relay.fetchCount == count)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == good)
        }
    }

    @Test func `a bundle of another device in an entry's place is not sealed to`() async throws {
        let other = BundleMaker(seed: 352)
        relay.bundle = try other.bundle(epoch: 1)
        let theirs = try await cache().recipient(
            identity: other.identity,
            topic: slot.topic,
            pins: pins,
            now: BundleMaker.now,
            fetch: { relay.fetch() }
        )
        let otherSlot = BundlePinSlot(identity: other.identity, topic: slot.topic).name
        let entry = folder + "/" + otherSlot.prefix(2) + "/" + otherSlot.dropFirst(2) + ".bundle"
        relay.bundle = try device.bundle(epoch: 1)
        _ = try await recipient()
        try Data(contentsOf: URL(fileURLWithPath: entry)).write(to: URL(fileURLWithPath: path))
        let mine = try await recipient()
        #expect(mine.identity == device.identity && mine.prekey != theirs.prekey)
        #expect(relay.fetchCount == 3)
    }

    @Test func `where nothing can be kept every use fetches, and none fails`() async throws {
        relay.bundle = try device.bundle(epoch: 1)
        _ = try await recipient()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for _ in 0..<3 { _ = try await recipient() }
        #expect(relay.fetchCount == 4)
    }

    @Test func `pins that cannot be used are an error, whatever the cache has`() async throws {
        let pinFolder = temporary.path("pins")
        let pins = try FileBundlePinStore(folder: pinFolder)
        relay.bundle = try device.bundle(epoch: 1)
        let recipient = { [relay] in
            try await cache().recipient(
                identity: device.identity,
                topic: slot.topic,
                pins: pins,
                now: BundleMaker.now,
                fetch: { relay.fetch() }
            )
        }
        _ = try await recipient()
        let pin = pinFolder + "/" + slot.name.prefix(2) + "/" + slot.name.dropFirst(2)
        try Data().write(to: URL(fileURLWithPath: pin))
        await #expect(throws: RecipientError.pins(.damaged(place: pin))) { try await recipient() }
        #expect(relay.fetchCount == 1)
    }

    @Test func `a copy is forgotten when asked, and the pin is not`() async throws {
        relay.bundle = try device.bundle(epoch: 2)
        _ = try await recipient()
        try cache().forget(device.identity, topic: slot.topic)
        try cache().forget(device.identity, topic: slot.topic)
        relay.bundle = try device.bundle(epoch: 1)
        await #expect(throws: RecipientError.bundle(.rolledBack(epoch: 1, pinnedEpoch: 2))) { try await recipient() }
    }

    @Test func `pins and copies may lie in one folder`() async throws {
        let pins = try FileBundlePinStore(folder: folder)
        relay.bundle = try device.bundle(epoch: 1)
        for _ in 0..<2 {
            _ = try await cache().recipient(
                identity: device.identity,
                topic: slot.topic,
                pins: pins,
                now: BundleMaker.now,
                fetch: { relay.fetch() }
            )
        }
        #expect(relay.fetchCount == 1)
        #expect(try device.pin(in: pins)?.epoch == 1)
    }

    @Test func `a folder where others may write is refused`() throws {
        _ = try cache()
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder)
        #expect(throws: BundlePinStoreError.writableByOthers(path: folder)) { try cache() }
    }

    private func cache() throws(BundlePinStoreError) -> BundleCache { try BundleCache(folder: folder) }

    /// The recipient of a process that has just started.
    private func recipient(after passed: Duration = .zero) async throws -> Recipient {
        try await cache().recipient(
            identity: device.identity,
            topic: slot.topic,
            pins: pins,
            now: BundleMaker.now.advanced(by: passed),
            fetch: { relay.fetch() }
        )
    }

    private final class Relay {
        var bundle: [UInt8] = []
        private(set) var fetchCount = 0

        func fetch() -> [UInt8] {
            fetchCount += 1
            return bundle
        }
    }
}
