import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

/// Losses by a reinstallation, a restore or a broken file, and the app's recovery (protocol v1, rule 15).
struct LossTests {
    @Test func `a replay store that is another, or an older copy, costs all prekeys (protocol v1, rule 15)`() throws {
        let known = Household.replayStore
        let lost = [
            StoreID(id: Array(16..<32), generation: known.generation), StoreID(id: known.id, generation: 2),
            StoreID(id: Array(16..<32), generation: .max),
        ]
        for replayStore in lost {
            let house = try Self.publishedHouse(seed: 220)
            let (old, before) = (try house.index(), house.published[0])
            house.replayStore = replayStore
            let ring = try house.open()
            #expect(ring.start == .remade(.replayStoreLost))
            #expect(try ring.needsPublication())
            #expect(try ring.bundle(at: house.clock).epoch > before.epoch)
            let view = try house.view()
            #expect(view.replayStore == replayStore)
            for prekey in old.prekeys { #expect(view.prekey(id: prekey.id.bytes).name == "stale") }
            #expect(try house.shared.names().compactMap(\.prekeyID) == house.index().prekeys.map(\.id))
            // It is reported until the new bundle is out.
            #expect(try house.open().start == .remade(.replayStoreLost))
            try ring.acknowledged(epoch: try ring.bundle(at: house.clock).epoch, at: house.clock)
            #expect(try house.open().start == .continued)
        }
    }

    @Test func `a replay store that went on keeps the prekeys, and its generation is noted (protocol v1, rule 15)`()
        throws
    {
        let house = try Self.publishedHouse(seed: 221)
        let old = try house.index()
        house.replayStore = StoreID(id: Household.replayStore.id, generation: 9)
        #expect(try house.open().start == .continued)
        #expect(try house.index().prekeys == old.prekeys)
        #expect(try house.view().replayStore?.generation == 9)
        house.replayStore = StoreID(id: Household.replayStore.id, generation: 8)
        #expect(try house.open().start == .remade(.replayStoreLost))
    }

    @Test func `the ring's copy of the generation follows the window up and never down (protocol v1, rule 15)`() throws
    {
        let house = try Self.publishedHouse(seed: 234)
        let ring = try house.open()
        let old = try house.index()
        for (store, expected) in [
            (StoreID(id: Household.replayStore.id, generation: 9), 9), (StoreID(id: Array(16..<32), generation: 10), 9),
            (StoreID(id: Household.replayStore.id, generation: 8), 9),
        ] as [(StoreID, UInt64)] {
            try ring.follow(store)
            #expect(try house.index().replayStore == StoreID(id: Household.replayStore.id, generation: expected))
        }
        #expect(try house.index().prekeys == old.prekeys)
    }

    /// iOS's keychain survives an uninstallation, the shared container does not.
    @Test
    func
        `a container lost with an uninstalled app: same identity, higher epoch, new prekeys (abuse case 45; protocol v1, rule 15)`()
        throws
    {
        let house = try Self.publishedHouse(seed: 222)
        let identity = try house.view().identity
        for name in try house.shared.names() { try house.shared.delete(name) }
        // The last epoch went with the ring; the time, one second later, gives a higher one. No key comes back.
        house.pass(.seconds(1))
        let ring = try house.open()
        #expect(ring.start == .remade(.ringMissing))
        #expect(ring.identity == identity)
        #expect(try ring.bundle(at: house.clock).epoch > house.published[0].epoch)
        let old = try house.ids(house.published[0].bytes, of: identity)
        #expect(try house.view().prekey(id: old[0].bytes).name == "unknown")
    }

    /// Records of the class "this device only" are in no backup that another device can read.
    @Test func `files restored to another device without their secrets open nothing (abuse case 45)`() throws {
        let house = try Self.publishedHouse(seed: 223)
        let index = try house.index()
        let id = index.prekeys[0].id
        try house.shared.delete(.prekey(id))
        #expect(try house.view().prekey(id: id.bytes).name == "unavailable")
        let ring = try house.open()
        #expect(ring.start == .remade(.keyLost))
        #expect(try house.view().prekey(id: id.bytes).name == "stale")
        #expect(try house.ids(try ring.bundle(at: house.clock).bytes, of: ring.identity) != [id])
    }

    @Test func `an identity that is gone is never replaced silently (protocol v1, rule 15)`() throws {
        let house = try Self.publishedHouse(seed: 224)
        let old = try house.index()
        try house.identityStore.delete(.identity)
        let refused = refusal { () throws(KeyRingError) in _ = try house.open() }
        #expect(refused == .noIdentity)
        #expect(try house.index() == old)
        let ring = try house.create()
        #expect(ring.start == .newIdentity)
        #expect(ring.identity != old.identity)
        #expect(try house.shared.names().compactMap(\.prekeyID) == house.index().prekeys.map(\.id))
    }

    /// A flipped bit in the seed would be another identity.
    @Test func `an identity's record with any bit flipped, or of another length, is damaged (abuse case 49)`() throws {
        let house = try Self.publishedHouse(seed: 225)
        let record = try house.identityStore.read(.identity).withBytes { [UInt8](copying: $0) }
        #expect(record.count == 64)
        var changed = (0..<64).map { offset in
            var bytes = record
            bytes[offset] ^= 1 << UInt8(offset % 8)
            return bytes
        }
        changed += [Array(record.dropLast()), record + [0], Array(record.prefix(32))]
        for bytes in changed {
            try house.overwrite(.identity, in: house.identityStore, with: bytes)
            let refused = refusal { () throws(KeyRingError) in _ = try house.open() }
            #expect(refused == .identityDamaged)
            let replaced = refusal { () throws(KeyRingError) in _ = try house.create() }
            #expect(replaced == .identityExists)
        }
    }

    @Test func `a ring of another identity is replaced, and its secrets go (protocol v1, rule 15)`() throws {
        let (house, other) = (try Self.publishedHouse(seed: 226), try Self.publishedHouse(seed: 227))
        let record = try other.shared.read(.ring).withBytes { [UInt8](copying: $0) }
        try house.overwrite(.ring, in: house.shared, with: record)
        let ring = try house.open()
        #expect(ring.start == .remade(.otherIdentity))
        #expect(try house.view().identity == ring.identity)
        #expect(try house.shared.names().compactMap(\.prekeyID) == house.index().prekeys.map(\.id))
    }

    @Test func `a damaged ring is made anew and says so (abuse case 49)`() throws {
        let house = try Self.publishedHouse(seed: 228)
        try house.overwrite(.ring, in: house.shared, with: [1, 2, 3])
        #expect(refusal { () throws(SecretStoreError) in _ = try house.view() } == .damaged)
        let ring = try house.open()
        #expect(ring.start == .remade(.ringDamaged))
        #expect(try ring.bundle(at: house.clock).epoch >= house.published[0].epoch)
    }

    @Test func `a ring made for another app's bundle id is a mistake that changes nothing`() throws {
        let house = try Self.publishedHouse(seed: 229)
        let index = try house.index()
        let topic = try BundleID("com.example.other")
        let refused = refusal { () throws(KeyRingError) in
            _ = try AppKeyRing.open(
                stores: house.stores,
                topic: topic,
                policy: house.policy,
                replayStore: house.replayStore,
                at: house.clock,
                random: &house.random
            )
        }
        #expect(refused == .otherTopic)
        #expect(try house.index() == index)
    }

    @Test func `before the first unlock nothing is opened, made or destroyed (abuse case 49)`() throws {
        let house = try Self.publishedHouse(seed: 230)
        let names = try house.folder.names(in: "shared")
        house.lock.set(.beforeFirstUnlock)
        house.replayStore = StoreID(id: Array(16..<32), generation: 0)
        let opened = refusal { () throws(KeyRingError) in _ = try house.open() }
        #expect(opened == .store(.locked))
        let made = refusal { () throws(KeyRingError) in _ = try house.create() }
        #expect(made == .store(.locked))
        #expect(try house.folder.names(in: "shared") == names)
    }

    /// Locked is not lost: such a prekey shows itself later.
    @Test func `a prekey that is locked when the app starts is kept (protocol v1, rule 19)`() throws {
        let house = try Self.publishedHouse(seed: 231, usesUnlockedClass: true)
        let index = try house.index()
        house.lock.set(.locked)
        #expect(try house.open().start == .continued)
        #expect(try house.index() == index)
        house.lock.set(.unlocked)
        for prekey in index.prekeys { #expect(try house.view().prekey(id: prekey.id.bytes).opens(prekey.prekey)) }
    }

    @Test func `a secret that is another key's is found out and replaced (abuse case 49)`() throws {
        let house = try Self.publishedHouse(seed: 232)
        let id = try house.index().prekeys[0].id
        let right = try house.shared.read(.prekey(id)).withBytes { [UInt8](copying: $0) }
        for wrong in [[UInt8](repeating: 7, count: 32), Array(right.dropLast()), right + [0]] {
            try house.overwrite(.prekey(id), in: house.shared, with: wrong)
            #expect(try house.view().prekey(id: id.bytes).name == "unavailable")
        }
        #expect(try house.open().start == .remade(.keyLost))
    }

    /// A new identity whose bundle the relay has acknowledged.
    static func publishedHouse(seed: UInt64, usesUnlockedClass: Bool = false) throws -> Household {
        let house = try Household(seed: seed, usesUnlockedClass: usesUnlockedClass)
        let ring = try house.create()
        try house.publish(ring)
        try ring.acknowledged(epoch: house.published[0].epoch, at: house.clock)
        return house
    }
}

extension Household {
    func overwrite(_ name: RecordName, in store: FaultyStore, with bytes: [UInt8]) throws {
        let secret = SecretBytes(byteCount: bytes.count) { span in
            for (offset, byte) in bytes.enumerated() { span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self) }
        }
        try secret.withBytes { span throws(SecretStoreError) in
            try store.store.write(span, to: name, protection: .afterFirstUnlock)
        }
    }
}
