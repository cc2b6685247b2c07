import Envelope
import Keys
import TestSupport
import Testing

@testable import Sealing

struct FirstUseTests {
    private let device = BundleMaker(seed: 320)
    private let pins = MemoryBundlePinStore()

    @Test func `trust on first use is an event that names the identity it believed (protocol v1, rule 12)`() throws {
        let use = try firstUse(of: device.bundle(epoch: 7))
        let expected = FirstUse.Event(
            identity: device.identity,
            topic: try BundleID(BundleMaker.topic),
            date: BundleMaker.now,
            isKnownIdentity: false
        )
        #expect(use.event == expected)
        #expect(use.recipient.identity == device.identity)
        #expect(try device.pin(in: pins)?.epoch == 7)
    }

    @Test func `what was pinned on first use refuses another identity from then on (protocol v1, rule 12)`() throws {
        let identity = try firstUse(of: device.bundle(epoch: 7)).event.identity
        let attacker = BundleMaker(seed: 321)
        let error = refusal {
            _ = try Recipient(
                bundle: attacker.bundle(epoch: 9),
                fetchedAt: BundleMaker.now,
                pinnedIdentity: identity,
                topic: BundleID(BundleMaker.topic),
                pins: pins,
                now: BundleMaker.now
            )
        }
        #expect(error as? RecipientError == .bundle(.otherIdentity))
    }

    @Test func `an identity that is pinned already is said to be known, and held to its pin`() throws {
        _ = try firstUse(of: device.bundle(epoch: 7))
        #expect(try firstUse(of: device.bundle(epoch: 8, prekey: 1)).event.isKnownIdentity)
        let error = refusal { _ = try firstUse(of: device.bundle(epoch: 7)) }
        #expect(error as? RecipientError == .bundle(.rolledBack(epoch: 7, pinnedEpoch: 8)))
    }

    @Test func `a key change is another identity, and never the old contact's (protocol v1, rule 12)`() throws {
        _ = try firstUse(of: device.bundle(epoch: 7))
        let changed = BundleMaker(seed: 322)
        let use = try firstUse(of: changed.bundle(epoch: 8))
        #expect(use.event.identity == changed.identity)
        #expect(use.event.identity != device.identity)
        #expect(!use.event.isKnownIdentity)
        #expect(try device.pin(in: pins)?.epoch == 7)
    }

    @Test func `a bundle that names one identity and is signed by another is not believed (abuse case 29)`() throws {
        var bundle = try device.bundle(epoch: 7)
        bundle.replaceSubrange(1..<33, with: BundleMaker(seed: 323).identity.rawRepresentation)
        let error = refusal { _ = try firstUse(of: bundle) }
        #expect(error as? RecipientError == .bundle(.badSignature))
    }

    @Test(arguments: [0, 1, 32, 33, 34, 100, 180])
    func `a bundle cut short is malformed`(_ count: Int) throws {
        let bundle = Array(try device.bundle(epoch: 7).prefix(count))
        let error = refusal { _ = try firstUse(of: bundle) }
        #expect(error as? RecipientError == .bundle(.malformed))
    }

    @Test func `an identity of small order is not believed (protocol v1, rule 7; abuse case 30)`() throws {
        var bundle = try device.bundle(epoch: 7)
        bundle.replaceSubrange(1..<33, with: [1] + [UInt8](repeating: 0, count: 31))
        let error = refusal { _ = try firstUse(of: bundle) }
        #expect(error as? RecipientError == .bundle(.malformed))
    }

    private func firstUse(of bundle: [UInt8]) throws -> FirstUse {
        try Recipient.trustOnFirstUse(
            bundle: bundle,
            fetchedAt: BundleMaker.now,
            topic: BundleID(BundleMaker.topic),
            pins: pins,
            now: BundleMaker.now
        )
    }
}
