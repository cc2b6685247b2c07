import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

struct KeyRingViewTests {
    /// The identity's record lies beside the ring here, where the extension could reach it if it tried.
    @Test func `the extension's view reads the ring and the prekey it is asked for, never the identity`() throws {
        let house = try LossTests.publishedHouse(seed: 240)
        let identity = try house.identityStore.read(.identity).withBytes { [UInt8](copying: $0) }
        try house.overwrite(.identity, in: house.shared, with: identity)
        let store = RecordingStore(house.shared.store)
        let view = try KeyRing(store: store)
        #expect(store.reads == [.ring])
        let prekey = try #require(try house.index().prekeys.first)
        #expect(view.prekey(id: prekey.id.bytes).name == "found")
        #expect(store.reads == [.ring, .prekey(prekey.id)])
        for id in [[UInt8](repeating: 0, count: 8), [], Array(prekey.id.bytes.dropLast()), prekey.id.bytes + [0]] {
            #expect(view.prekey(id: id).name == "unknown")
        }
        #expect(!store.reads.contains(.identity))
    }

    @Test func `a ring's shared records open messages without the identity's record anywhere`() throws {
        let house = try LossTests.publishedHouse(seed: 241)
        try house.identityStore.delete(.identity)
        let view = try house.view()
        for entry in try house.entries(house.published[0].bytes, of: view.identity) {
            #expect(try view.prekey(id: entry.prekey.id(identity: view.identity)).opens(entry.prekey))
        }
        #expect(view.topic == house.topic)
        #expect(view.replayStore == Household.replayStore)
    }

    @Test func `the shared records hold no part of the identity's seed`() throws {
        let house = try LossTests.publishedHouse(seed: 242)
        let seed = try house.identityStore.read(.identity).withBytes { [UInt8](copying: $0.extracting(first: 32)) }
        for name in try house.folder.names(in: "shared") {
            let bytes = try WholeFile.read(house.folder.path("shared/" + name), byteCountMax: 20_000)
            for start in 0...seed.count - 6 { #expect(!bytes.contains(Array(seed[start..<start + 6]))) }
        }
    }

    /// No trial decryption: an id that is not in the ring costs no secret.
    @Test func `an unknown or destroyed prekey's id makes no secret be read (abuse case 26)`() throws {
        let house = try LossTests.publishedHouse(seed: 243)
        let ring = try house.open()
        let old = try #require(try house.index().prekeys.first)
        try ring.rotate(at: house.clock, random: &house.random)
        try ring.acknowledged(epoch: try ring.bundle(at: house.clock).epoch, at: house.clock)
        house.pass(.days(15))
        #expect(try ring.destroyDue(at: house.clock) == [old.id])
        let store = RecordingStore(house.shared.store)
        let view = try KeyRing(store: store)
        let other = try LossTests.publishedHouse(seed: 244)
        let foreign = try #require(try other.index().prekeys.first)
        #expect(view.prekey(id: foreign.id.bytes).name == "unknown")
        #expect(view.prekey(id: old.id.bytes).name == "stale")
        #expect(Set(store.reads) == [.ring])
    }

    @Test func `each prekey is locked by its own class alone, and none stands in for another (protocol v1, rule 19)`()
        throws
    {
        let house = try LossTests.publishedHouse(seed: 245, usesUnlockedClass: true)
        let view = try house.view()
        let ids = try house.ids(house.published[0].bytes, of: view.identity).map(\.bytes)
        let names = { ids.map { view.prekey(id: $0).name } }
        #expect(names() == ["found", "found"])
        house.lock.set(.locked)
        #expect(names() == ["found", "locked"])
        house.lock.set(.beforeFirstUnlock)
        #expect(names() == ["locked", "locked"])
        let refused = refusal { () throws(SecretStoreError) in _ = try house.view() }
        #expect(refused == .locked)
        house.lock.set(.unlocked)
        #expect(names() == ["found", "found"])
    }

    @Test func `no ring, and a ring that is damaged, are told apart (abuse case 49)`() throws {
        let house = try Household(seed: 246)
        #expect(refusal { () throws(SecretStoreError) in _ = try house.view() } == .notFound)
        _ = try house.create()
        try house.overwrite(.ring, in: house.shared, with: try house.index().record.dropLast())
        #expect(refusal { () throws(SecretStoreError) in _ = try house.view() } == .damaged)
        try house.overwrite(.ring, in: house.shared, with: [UInt8](repeating: 0, count: 16_384))
        #expect(refusal { () throws(SecretStoreError) in _ = try house.view() } == .damaged)
    }

    @Test func `a prekey made after the view was opened is found`() throws {
        let house = try LossTests.publishedHouse(seed: 247)
        let view = try house.view()
        let ring = try house.open()
        try ring.rotate(at: house.clock, random: &house.random)
        for entry in try house.entries(try ring.bundle(at: house.clock).bytes, of: ring.identity) {
            #expect(try view.prekey(id: entry.prekey.id(identity: ring.identity)).opens(entry.prekey))
        }
    }

    /// The app destroys the prekey after the extension has read the index and before it reads the secret.
    @Test func `a prekey destroyed between two reads of the extension is stale, not unavailable`() throws {
        let house = try LossTests.publishedHouse(seed: 248)
        let ring = try house.open()
        try ring.rotate(at: house.clock, random: &house.random)
        try ring.acknowledged(epoch: try ring.bundle(at: house.clock).epoch, at: house.clock)
        let old = try #require(try house.index().prekeys.first?.id)
        let later = RingClock.confirmed(house.now.advanced(by: .days(15)))
        let destroyed = Collected<PrekeyID>()
        let store = RecordingStore(house.shared.store) { name in
            guard name == .prekey(old) else { return }
            do { try ring.destroyDue(at: later).forEach { destroyed.append($0) } } catch {
                Issue.record(error)
            }
        }
        #expect(try KeyRing(store: store).prekey(id: old.bytes).name == "stale")
        #expect(destroyed.all == [old])
    }

    @Test func `a ring that another identity takes over under an open view opens nothing through it`() throws {
        let house = try LossTests.publishedHouse(seed: 249)
        let view = try house.view()
        let old = try #require(try house.index().prekeys.first?.id)
        try AppKeyRing.erase(stores: house.stores)
        #expect(view.prekey(id: old.bytes).name == "unavailable")
        _ = try house.create()
        let new = try #require(try house.index().prekeys.first?.id)
        #expect(view.prekey(id: new.bytes).name == "unavailable")
        #expect(view.prekey(id: old.bytes).name == "unavailable")
    }

    /// Rotations and views side by side: each view finds every prekey of every bundle published before it opened.
    @Test func `views opened while the app rotates are whole`() async throws {
        let house = try LossTests.publishedHouse(seed: 250)
        let (ring, topic, clock, store) = (try house.open(), house.topic, house.clock, house.shared.store)
        let bundles = Collected<[UInt8]>()
        bundles.append(house.published[0].bytes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = SeededRandom(seed: 251)
                for _ in 0..<40 {
                    try ring.rotate(at: clock, random: &random)
                    bundles.append(try ring.bundle(at: clock).bytes)
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<100 {
                        let bytes = try #require(bundles.all.last)
                        let view = try KeyRing(store: store)
                        let entries = try KeyBundle(
                            verifying: bytes,
                            pinnedIdentity: view.identity,
                            topic: topic,
                            now: clock.now
                        ).entries
                        for entry in entries {
                            #expect(try view.prekey(id: entry.prekey.id(identity: view.identity)).opens(entry.prekey))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a tester's key file is a ring of the same prekeys (protocol v1, rule 17)`() throws {
        var random = SeededRandom(seed: 252)
        let folder = try TemporaryFolder()
        let keys = DeviceKeys(topic: try BundleID("com.example.chat"), random: &random)
        let store = FileSecretStore(folder: folder.path("shared"))
        for _ in 0..<2 {
            try keys.install(in: store, replayStore: nil, now: Household.start)
            let view = try KeyRing(store: store)
            #expect(view.identity == keys.identity)
            #expect(view.replayStore == nil)
            for held in keys.keyRing.prekeys {
                #expect(try view.prekey(id: Array(held.id)).opens(held.publicPrekey))
                #expect(try keys.keyRing.prekey(id: Array(held.id)).opens(held.publicPrekey))
            }
            #expect(keys.keyRing.prekey(id: [1, 2, 3, 4, 5, 6, 7, 8]).name == "unknown")
        }
        #expect(try store.names().count == 2)
    }
}
