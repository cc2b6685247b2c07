import Envelope
import Keys
import TestSupport
import Testing

@testable import Opening

/// The process ends before, in the middle of and after every single disk operation, or the operation fails and the
/// process lives on: no key is lost that a bundle offers, none is offered that is not on disk, none is left behind.
struct CrashTests {
    /// The interrupted step; before it, the ring is brought into a state where the step has everything to do.
    enum Step: CaseIterable, Sendable {
        case create, open, rotate, acknowledge, destroy, replayStoreLost, ringMissing, ringDamaged, currentKeyLost,
            erase

        func prepare(_ house: Household) throws {
            guard self != .create else { return }
            let ring = try house.create()
            try house.publish(ring)
            try ring.acknowledged(epoch: house.published[0].epoch, at: house.clock)
            house.pass(.days(8))
            try ring.rotate(at: house.clock, random: &house.random)
            try house.publish(ring)
            switch self {
            case .destroy:
                try ring.acknowledged(epoch: house.published[1].epoch, at: house.clock)
                house.pass(.days(15))
                try ring.rotate(at: house.clock, random: &house.random)
                try house.publish(ring)
            case .replayStoreLost: house.replayStore = StoreID(id: Array(16..<32), generation: 0)
            case .ringMissing: try house.shared.delete(.ring)
            case .ringDamaged: _ = try house.folder.makeFile("shared/\(RecordName.ring.file)", "SPrecrd\u{1}no ring")
            case .currentKeyLost:
                let id = try #require(try house.index().current.first?.id)
                try house.shared.delete(.prekey(id))
            default: break
            }
        }

        func run(_ house: Household) throws(KeyRingError) {
            switch self {
            case .create: _ = try house.create()
            case .open, .replayStoreLost, .ringMissing, .ringDamaged, .currentKeyLost: _ = try house.open()
            case .rotate: try house.open().rotate(at: house.clock, random: &house.random)
            case .acknowledge:
                try house.open().acknowledged(epoch: house.published[1].epoch, at: house.clock)
            case .destroy: try house.open().destroyDue(at: house.clock)
            case .erase: try AppKeyRing.erase(stores: house.stores)
            }
        }

        /// True if the step may end with fewer keys than the bundles published before it promise.
        var losesKeys: Bool {
            switch self {
            case .create, .open, .rotate, .acknowledge: false
            case .destroy, .replayStoreLost, .ringMissing, .ringDamaged, .currentKeyLost, .erase: true
            }
        }
    }

    @Test(arguments: Step.allCases, Faults.Kind.allCases)
    func `a process that ends at any operation loses no key and offers none that is not on disk (protocol v1, rule 17)`(
        _ step: Step,
        _ kind: Faults.Kind
    ) throws {
        for usesUnlockedClass in [false, true] {
            let prepared = try Household(seed: 1_000, usesUnlockedClass: usesUnlockedClass)
            try step.prepare(prepared)
            var operation = 0
            while true {
                let house = try Household(copying: prepared)
                house.faults.plan(kind, at: operation)
                let refusal = refusal { () throws(KeyRingError) in try step.run(house) }
                let isOver = house.faults.operationCount <= operation
                house.faults.clear()
                if isOver {
                    #expect(refusal == nil)
                    break
                }
                let place = "\(step), \(kind) at operation \(operation), two classes: \(usesUnlockedClass)"
                try checkView(house, after: step, place)
                try checkRestart(house, after: step, place)
                operation += 1
            }
            // A step without operations would pass untested.
            #expect(operation >= 4, "\(step) has only \(operation) operations")
        }
    }

    /// Checks an extension that runs before the app does again.
    private func checkView(_ house: Household, after step: Step, _ place: String) throws {
        let view: KeyRing
        do throws(SecretStoreError) {
            view = try house.view()
        } catch {
            let isExplained = [.create, .ringMissing, .ringDamaged, .erase].contains(step)
            #expect(isExplained, "\(place): \(error)")
            return
        }
        for bundle in house.published where !step.losesKeys {
            try checkEveryKey(of: bundle.bytes, in: view, house, place)
        }
        let index = try house.index()
        guard step != .currentKeyLost || index.origin == .keyLost else { return }
        // Every bundle that the app could publish now opens, and so does every earlier message.
        try checkEveryKey(of: index.bundle, in: view, house, place)
        for prekey in index.prekeys {
            let opens = try view.prekey(id: prekey.id.bytes).opens(prekey.prekey)
            #expect(opens, "\(place)")
        }
        for id in index.destroyedIDs { #expect(view.prekey(id: id.bytes).name == "stale", "\(place)") }
    }

    /// Checks the app's next run.
    private func checkRestart(_ house: Household, after step: Step, _ place: String) throws {
        let ring: AppKeyRing
        do throws(KeyRingError) {
            ring = try house.open()
        } catch {
            #expect(error == .noIdentity && [.create, .erase].contains(step), "\(place): \(error)")
            let made = try house.create()
            #expect(made.start == .newIdentity)
            try checkWhole(house, made, place)
            return
        }
        if step == .create { #expect(ring.start == .newIdentity, "\(place)") }
        if step == .erase {
            // Not erased, or erased so far that only the identity is left: the prekeys went first.
            #expect([.continued, .remade(.ringMissing)].contains(ring.start), "\(place): \(ring.start)")
        }
        if step == .destroy { try ring.destroyDue(at: house.clock) }
        try checkWhole(house, ring, place)
        let view = try house.view()
        for bundle in house.published {
            #expect(try ring.bundle(at: house.clock).epoch >= bundle.epoch, "\(place)")
            if try ring.bundle(at: house.clock).epoch == bundle.epoch {
                #expect(try ring.bundle(at: house.clock).bytes == bundle.bytes, "\(place)")
            }
            guard !step.losesKeys else { continue }
            try checkEveryKey(of: bundle.bytes, in: view, house, place)
        }
        guard step == .destroy else { return }
        let names = try house.published.map { bundle in
            let (identity, at) = (ring.identity, Timestamp(milliseconds: bundle.epoch))
            let entries = try house.entries(bundle.bytes, of: identity, now: at)
            return Set(entries.map { view.prekey(id: $0.prekey.id(identity: identity)).name })
        }
        #expect(names == [["stale"], ["found"], ["found"]], "\(place)")
    }

    /// Checks that bundle, index and disk agree, and the next rotation works.
    private func checkWhole(_ house: Household, _ ring: AppKeyRing, _ place: String) throws {
        let view = try house.view()
        #expect(view.identity == ring.identity, "\(place)")
        try checkEveryKey(of: try ring.bundle(at: house.clock).bytes, in: view, house, place)
        let index = try house.index()
        let secrets = Set(try house.shared.store.names().compactMap(\.prekeyID))
        #expect(secrets == Set(index.prekeys.map(\.id)), "\(place): secrets without an entry, or the reverse")
        let remains = try house.folder.names(in: "shared") + house.folder.names(in: "app")
        #expect(!remains.contains { $0.hasSuffix(".tmp") }, "\(place)")
        let before = try ring.bundle(at: house.clock).epoch
        try ring.rotate(at: house.clock, random: &house.random)
        #expect(try ring.bundle(at: house.clock).epoch > before, "\(place)")
        try checkEveryKey(of: try ring.bundle(at: house.clock).bytes, in: try house.view(), house, place)
        #expect(try house.index().prekeys.count == index.prekeys.count + house.policy.classes.count, "\(place)")
    }

    private func checkEveryKey(of bundle: [UInt8], in view: KeyRing, _ house: Household, _ place: String) throws {
        let epoch = Timestamp(milliseconds: bundle[33..<41].reduce(0) { $0 << 8 | UInt64($1) })
        let entries = try house.entries(bundle, of: view.identity, now: epoch)
        #expect(entries.count == house.policy.classes.count)
        for entry in entries {
            let lookup = view.prekey(id: entry.prekey.id(identity: view.identity))
            let opens = try lookup.opens(entry.prekey)
            #expect(opens, "\(place): \(lookup.name)")
        }
    }
}

extension TemporaryFolder {
    func names(in name: String) throws -> [String] {
        try PrivateFolder.names(path(name), countMax: 10_000)
    }
}
