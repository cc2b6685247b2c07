import Envelope
import Keys
import Platform
import Primitives
import TestSupport
import Testing

@testable import Opening

struct AppKeyRingTests {
    @Test
    func
        `a new identity is made by an explicit call and says so until its bundle is acknowledged (protocol v1, rule 15)`()
        throws
    {
        let house = try Household(seed: 200)
        let none = refusal { () throws(KeyRingError) in _ = try house.open() }
        #expect(none == .noIdentity)
        #expect(try house.identityStore.names().isEmpty)
        let made = try house.create()
        #expect(made.start == .newIdentity)
        let opened = try house.open()
        #expect(opened.start == .newIdentity)
        #expect(opened.identity == made.identity)
        try opened.acknowledged(epoch: try opened.bundle(at: house.clock).epoch, at: house.clock)
        #expect(try house.open().start == .continued)
        let again = refusal { () throws(KeyRingError) in _ = try house.create() }
        #expect(again == .identityExists)
        #expect(try house.open().identity == made.identity)
    }

    @Test(arguments: [false, true])
    func `a bundle is what senders accept, of one prekey for each class (protocol v1, rule 19)`(
        _ usesUnlockedClass: Bool
    ) throws {
        let house = try Household(seed: 201, usesUnlockedClass: usesUnlockedClass)
        let ring = try house.create()
        let bundle = try ring.bundle(at: house.clock)
        #expect(bundle.bytes.count == (usesUnlockedClass ? 231 : 181))
        #expect(bundle.epoch == house.now.milliseconds)
        let entries = try house.entries(bundle.bytes, of: ring.identity)
        #expect(
            entries.map(\.prekey.protectionClass)
                == (usesUnlockedClass ? [.afterFirstUnlock, .unlocked] : [.afterFirstUnlock])
        )
        for entry in entries {
            let id = entry.prekey.id(identity: ring.identity)
            #expect(try house.view().prekey(id: id).opens(entry.prekey))
        }
    }

    /// CryptoKit's signatures differ each time, and senders take two bundles of one epoch for equivocation.
    @Test func `a bundle is signed once, and is the same bytes until the next rotation`() throws {
        let house = try Household(seed: 202)
        let bundle = try house.create().bundle(at: house.clock)
        let reads = RecordingStore(house.identityStore)
        let stores = KeyStores(identity: reads, shared: house.shared, lockPath: house.folder.path("lock"))
        let ring = try AppKeyRing.open(
            stores: stores,
            topic: house.topic,
            policy: house.policy,
            replayStore: house.replayStore,
            at: house.clock,
            random: &house.random
        )
        reads.forget()
        #expect(try ring.bundle(at: house.clock) == bundle)
        #expect(reads.reads.isEmpty)
    }

    @Test func `rotation waits seven days, and both prekeys open afterwards (protocol v1, rule 17)`() throws {
        let house = try Household(seed: 203)
        let ring = try house.create()
        try house.publish(ring)
        house.pass(.days(7) - .milliseconds(1))
        #expect(try ring.rotateIfDue(at: house.clock, random: &house.random) == .notDue)
        #expect(try ring.bundle(at: house.clock) == house.published[0])
        house.pass(.milliseconds(1))
        #expect(try ring.rotateIfDue(at: house.clock, random: &house.random) == .rotated)
        try house.publish(ring)
        #expect(try ring.rotateIfDue(at: house.clock, random: &house.random) == .notDue)
        #expect(try ring.needsPublication())
        let view = try house.view()
        for bundle in house.published {
            for entry in try house.entries(bundle.bytes, of: ring.identity) {
                #expect(try view.prekey(id: entry.prekey.id(identity: ring.identity)).opens(entry.prekey))
            }
        }
    }

    @Test func `a rotation on demand gives every class a new prekey id (protocol v1, rule 33)`() throws {
        let house = try Household(seed: 204, usesUnlockedClass: true)
        let ring = try house.create()
        let before = try house.ids(try ring.bundle(at: house.clock).bytes, of: ring.identity)
        try ring.rotate(at: house.clock, random: &house.random)
        let after = try house.ids(try ring.bundle(at: house.clock).bytes, of: ring.identity)
        #expect(Set(before).isDisjoint(with: after))
        #expect(after.count == 2)
    }

    @Test func `a message to the last epoch opens within its grace and is stale after it (abuse case 50)`() throws {
        let house = try Household(seed: 205)
        let ring = try house.create()
        try house.publish(ring)
        let entry = try #require(try house.entries(house.published[0].bytes, of: ring.identity).first)
        let id = entry.prekey.id(identity: ring.identity)
        house.pass(.days(7))
        try ring.rotate(at: house.clock, random: &house.random)
        try ring.acknowledged(epoch: try ring.bundle(at: house.clock).epoch, at: house.clock)
        house.pass(.days(14) + .seconds(5 * 60))
        #expect(try ring.destroyDue(at: house.clock) == [])
        #expect(try house.view().prekey(id: id).opens(entry.prekey))
        house.pass(.milliseconds(1))
        #expect(try ring.destroyDue(at: house.clock).map(\.bytes) == [id])
        #expect(try house.view().prekey(id: id).name == "stale")
        #expect(try house.shared.names().compactMap(\.prekeyID).count == 1)
        #expect(try ring.destroyDue(at: house.clock) == [])
    }

    @Test
    func
        `a device that nobody opened for 67 days destroys its prekeys, and makes new ones when asked (protocol v1, rule 17)`()
        throws
    {
        let house = try Household(seed: 206)
        let ring = try house.create()
        try house.publish(ring)
        house.pass(.days(67) + .milliseconds(1))
        #expect(try ring.destroyDue(at: house.clock).count == 1)
        let refused = refusal { () throws(KeyRingError) in _ = try ring.bundle(at: house.clock) }
        #expect(refused == .rotationDue)
        #expect(try ring.rotateIfDue(at: house.clock, random: &house.random) == .rotated)
        #expect(try ring.bundle(at: house.clock).epoch > house.published[0].epoch)
    }

    @Test func `a relay's word for a bundle that was never made is refused`() throws {
        let house = try Household(seed: 207)
        let ring = try house.create()
        try ring.rotate(at: house.clock, random: &house.random)
        let epoch = try ring.bundle(at: house.clock).epoch
        let refused = refusal { () throws(KeyRingError) in try ring.acknowledged(epoch: epoch + 1, at: house.clock) }
        #expect(refused == .unknownEpoch)
        #expect(try ring.needsPublication())
        #expect(try house.index().prekeys[0].supersession?.acknowledgedAt == nil)
    }

    @Test
    func `an id that is taken is drawn again, and a random source that is stuck is an error (protocol v1, rule 6)`()
        throws
    {
        let house = try Household(seed: 208)
        let ring = try house.create()
        let taken = try house.index()
        // Repeats the ring's draws for its prekey, then continues.
        var repeating = SeededRandom(seed: 208)
        _ = repeating.bytes(count: 32)
        try ring.rotate(at: house.clock, random: &repeating)
        let index = try house.index()
        #expect(index.prekeys.count == 2)
        #expect(index.prekeys[0].id == taken.prekeys[0].id)
        #expect(index.prekeys[1].id != taken.prekeys[0].id)
        var stuck = StuckRandom()
        try ring.rotate(at: house.clock, random: &stuck)
        let refused = refusal { () throws(KeyRingError) in try ring.rotate(at: house.clock, random: &stuck) }
        #expect(refused == .randomSourceStuck)
        #expect(try house.index().prekeys.count == 3)
    }

    @Test func `a full ring gives up the oldest superseded prekey, secret and all (protocol v1, rule 17)`() throws {
        let house = try Household(seed: 209)
        let ring = try house.create()
        for _ in 0..<63 { try ring.rotate(at: house.clock, random: &house.random) }
        let oldest = try #require(try house.index().prekeys.first).id
        try ring.rotate(at: house.clock, random: &house.random)
        let index = try house.index()
        #expect(index.prekeys.count == 64 && index.destroyedIDs == [oldest])
        #expect(try house.shared.names().compactMap(\.prekeyID).contains(oldest) == false)
    }

    @Test func `a clock that nobody confirmed makes prekeys while there is room, and then asks for the time`() throws {
        let house = try Household(seed: 211)
        let ring = try house.create()
        var now = house.now
        for _ in 0..<63 {
            now = now.advanced(by: .days(8))
            #expect(try ring.rotateIfDue(at: .unconfirmed(now), random: &house.random) == .rotated)
        }
        let before = try house.index()
        let clock = RingClock.unconfirmed(now.advanced(by: .days(8)))
        #expect(try ring.rotateIfDue(at: clock, random: &house.random) == .clockUnconfirmed(since: nil))
        #expect(try house.index() == before)
    }

    @Test func `an app that has not confirmed time for a week is told since when`() throws {
        let house = try Household(seed: 212)
        let ring = try house.create()
        let known = KnownTime(lowerBound: house.now, lastConfirmed: house.now)
        for (days, expected) in [(6, Rotation.notDue), (7, .clockUnconfirmed(since: house.now))] {
            let clock = RingClock(now: house.now.advanced(by: .days(days)), known: known)
            #expect(try ring.rotateIfDue(at: clock, random: &house.random) == expected)
        }
    }

    @Test func `a bundle that senders would take for one of the future is not handed out`() throws {
        let house = try Household(seed: 213)
        let right = house.now
        house.pass(.days(3_650))
        let ring = try house.create()
        house.now = right
        let refused = refusal { () throws(KeyRingError) in _ = try ring.bundle(at: house.clock) }
        #expect(refused == .rotationDue)
        #expect(try ring.rotateIfDue(at: house.clock, random: &house.random) == .rotated)
        let bundle = try ring.bundle(at: house.clock)
        #expect(bundle.epoch == right.milliseconds)
        _ = try house.entries(bundle.bytes, of: ring.identity)
    }

    /// A bundle without the class would make senders fall back; nothing may change instead.
    @Test
    func
        `a device that is locked cannot rotate a prekey of the class unlocked, and keeps its bundle (protocol v1, rule 19)`()
        throws
    {
        let house = try Household(seed: 210, usesUnlockedClass: true)
        let ring = try house.create()
        let (bundle, index) = (try ring.bundle(at: house.clock), try house.index())
        house.pass(.days(8))
        for state in [DeviceLock.locked, .beforeFirstUnlock] {
            house.lock.set(state)
            let refused = refusal { () throws(KeyRingError) in
                _ = try ring.rotateIfDue(at: house.clock, random: &house.random)
            }
            #expect(refused == .store(.locked))
        }
        house.lock.set(.unlocked)
        #expect(try ring.bundle(at: house.clock) == bundle)
        #expect(try house.index() == index)
        // None of the other class is left behind.
        #expect(try house.shared.names().compactMap(\.prekeyID).count == 2)
    }

    @Test func `a full disk changes nothing and says so (abuse case 49)`() throws {
        let house = try Household(seed: 211)
        let ring = try house.create()
        let index = try house.index()
        // Reads come first: the index, the identity; then the secret and the index are written.
        for operation in 2...3 {
            house.faults.plan(.fails, at: operation)
            let refused = refusal { () throws(KeyRingError) in try ring.rotate(at: house.clock, random: &house.random) }
            house.faults.clear()
            #expect(refused == .store(Faults.failed))
            #expect(try house.index() == index)
        }
        try ring.rotate(at: house.clock, random: &house.random)
        #expect(try house.index().prekeys.count == 2)
    }

    /// Each instance reads the index under the lock: none writes back an older one.
    @Test func `rotations from many threads and instances lose no prekey`() async throws {
        let house = try Household(seed: 212)
        let first = try house.create()
        let (stores, topic, policy) = (house.stores, house.topic, house.policy)
        let (replayStore, clock) = (house.replayStore, house.clock)
        let bundles = Collected<[UInt8]>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(2_120 + task))
                    for _ in 0..<4 {
                        let ring = try AppKeyRing.open(
                            stores: stores,
                            topic: topic,
                            policy: policy,
                            replayStore: replayStore,
                            at: clock,
                            random: &random
                        )
                        try ring.rotate(at: clock, random: &random)
                        let bundle = try ring.bundle(at: clock).bytes
                        bundles.append(bundle)
                    }
                }
            }
            try await group.waitForAll()
        }
        let view = try house.view()
        #expect(try house.index().prekeys.count == 33)
        for bundle in bundles.all {
            for entry in try house.entries(bundle, of: first.identity) {
                #expect(try view.prekey(id: entry.prekey.id(identity: first.identity)).opens(entry.prekey))
            }
        }
    }

    @Test func `erasing leaves nothing, and another instance speaks for nobody any more`() throws {
        let house = try Household(seed: 213)
        let ring = try house.create()
        try AppKeyRing.erase(stores: house.stores)
        #expect(try house.folder.names(in: "shared") + house.folder.names(in: "app") == [])
        let new = try house.create()
        #expect(new.identity != ring.identity)
        let refused = refusal { () throws(KeyRingError) in try ring.rotate(at: house.clock, random: &house.random) }
        #expect(refused == .noIdentity)
    }
}

/// Gives the same bytes for ever.
private struct StuckRandom: RandomSource {
    mutating func fill(_ span: inout MutableRawSpan) {
        for offset in 0..<span.byteCount { span.storeBytes(of: 0x42, toByteOffset: offset, as: UInt8.self) }
    }
}

final class Collected<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
