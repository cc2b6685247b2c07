import Envelope
import Keys
import Platform
import Primitives
import TestSupport
import Testing

@testable import Sealing

struct RecipientPinTests {
    private let device = BundleMaker(seed: 300)
    private let pins = MemoryBundlePinStore()

    @Test func `the first bundle is remembered: epoch, digest, suites and times (protocol v1, rule 16)`() throws {
        let issuedAt = Timestamp(milliseconds: 1_799_999_000_000)
        let fetchedAt = Timestamp(milliseconds: 1_799_999_999_000)
        let bundle = try device.bundle(epoch: 7, issuedAt: issuedAt)
        let recipient = try device.recipient(bundle, pins: pins, fetchedAt: fetchedAt)
        let pin = try #require(try device.pin(in: pins))
        #expect(pin.epoch == 7)
        #expect(pin.digest == SHA256.hash(bundle))
        #expect(pin.highestSuites == HighestSuites(afterFirstUnlock: 1, unlocked: 0))
        #expect(pin.issuedAt == issuedAt)
        #expect(pin.fetchedAt == fetchedAt)
        #expect(recipient.issuedAt == issuedAt)
        #expect(recipient.fetchedAt == fetchedAt)
        #expect(recipient.identity == device.identity)
    }

    @Test func `a rolled back epoch is refused, and the pin stays (protocol v1, rule 16; abuse case 29)`() throws {
        let old = try device.bundle(epoch: 7)
        #expect(device.refusal(of: old, pins: pins) == nil)
        #expect(device.refusal(of: try device.bundle(epoch: 8, prekey: 1), pins: pins) == nil)
        let pin = try device.pin(in: pins)
        #expect(device.refusal(of: old, pins: pins) == .bundle(.rolledBack(epoch: 7, pinnedEpoch: 8)))
        #expect(try device.pin(in: pins) == pin)
    }

    @Test func `two bundles of one epoch are equivocation, and the first stays (protocol v1, rule 16)`() throws {
        let first = try device.bundle(epoch: 7)
        #expect(device.refusal(of: first, pins: pins) == nil)
        let second = try device.bundle(epoch: 7, prekey: 1)
        #expect(device.refusal(of: second, pins: pins) == .bundle(.equivocation(epoch: 7)))
        #expect(device.refusal(of: first, pins: pins) == nil)
    }

    @Test func `a device that lost its epoch goes on with its clock's, and is taken (protocol v1, rule 15)`() throws {
        #expect(device.refusal(of: try device.bundle(epoch: 12), pins: pins) == nil)
        let reinstalled = try device.bundle(epoch: BundleMaker.now.milliseconds, prekey: 1)
        #expect(device.refusal(of: reinstalled, pins: pins) == nil)
        #expect(try device.pin(in: pins)?.epoch == BundleMaker.now.milliseconds)
    }

    @Test(arguments: ["signature", "topic", "expired", "early", "identity"])
    func `a refused bundle changes nothing, however new it says it is`(_ fault: String) throws {
        let good = try device.bundle(epoch: 7)
        #expect(device.refusal(of: good, pins: pins) == nil)
        let pin = try device.pin(in: pins)
        let bad: [UInt8]
        switch fault {
        case "signature": bad = try device.bundle(epoch: 9).dropLast() + [0xFF]
        case "topic": bad = try device.bundle(epoch: 9, topic: "com.example.other")
        case "expired": bad = try device.bundle(epoch: 9, from: Timestamp(milliseconds: 1_700_000_000_000))
        case "early": bad = try device.bundle(epoch: 9, from: Timestamp(milliseconds: 1_900_000_000_000))
        default: bad = try BundleMaker(seed: 301).bundle(epoch: 9)
        }
        #expect(device.refusal(of: bad, pins: pins) != nil)
        #expect(try device.pin(in: pins) == pin)
        #expect(device.refusal(of: good, pins: pins) == nil)
    }

    @Test func `a bundle without the wanted class gives no recipient, and is remembered all the same`() throws {
        let bundle = try device.bundle(epoch: 7)
        let error = refusal { _ = try device.recipient(bundle, pins: pins, protectionClass: .unlocked) }
        #expect(error as? RecipientError == .noPrekey(of: .unlocked))
        #expect(try device.pin(in: pins)?.epoch == 7)
    }

    @Test func `a lower suite is refused until somebody resets, and then epochs still count (protocol v1, rule 18)`()
        throws
    {
        let topic = try BundleID(BundleMaker.topic)
        try pins.update(BundlePinSlot(identity: device.identity, topic: topic)) { _ in
            .store(
                BundlePin(
                    epoch: 6,
                    digest: [UInt8](repeating: 0, count: 32),
                    highestSuites: HighestSuites(afterFirstUnlock: 2, unlocked: 0),
                    issuedAt: BundleMaker.now,
                    fetchedAt: BundleMaker.now
                )
            )
        }
        let bundle = try device.bundle(epoch: 7)
        #expect(device.refusal(of: bundle, pins: pins) == .bundle(.suiteDowngrade(from: 2, to: 1)))
        #expect(try device.pin(in: pins)?.epoch == 6)
        #expect(try pins.resetSuites(of: device.identity, topic: topic))
        let older = try device.bundle(epoch: 5)
        #expect(device.refusal(of: older, pins: pins) == .bundle(.rolledBack(epoch: 5, pinnedEpoch: 6)))
        #expect(device.refusal(of: bundle, pins: pins) == nil)
    }

    @Test func `there is nothing to reset where nothing is pinned, and nothing appears`() throws {
        #expect(try !pins.resetSuites(of: device.identity, topic: BundleID(BundleMaker.topic)))
        #expect(try device.pin(in: pins) == nil)
    }

    @Test func `each identity is pinned alone: two devices never share pins (protocol v1, rule 13)`() throws {
        let other = BundleMaker(seed: 302)
        #expect(device.refusal(of: try device.bundle(epoch: 9), pins: pins) == nil)
        // No pin applies: the other device's epochs are not its own.
        #expect(other.refusal(of: try other.bundle(epoch: 1), pins: pins) == nil)
        #expect(try device.pin(in: pins)?.epoch == 9)
        #expect(try other.pin(in: pins)?.epoch == 1)
        try pins.forget(other.identity, topic: BundleID(BundleMaker.topic))
        #expect(try other.pin(in: pins) == nil)
        #expect(try device.pin(in: pins)?.epoch == 9)
    }

    @Test func `a device in two apps has a pin in each (protocol v1, rule 5)`() throws {
        #expect(device.refusal(of: try device.bundle(epoch: 9), pins: pins) == nil)
        let other = "com.example.other"
        #expect(device.refusal(of: try device.bundle(epoch: 1, topic: other), pins: pins, topic: other) == nil)
        #expect(try device.pin(in: pins)?.epoch == 9)
        #expect(try device.pin(in: pins, topic: other)?.epoch == 1)
    }

    @Test func `the same bundle is written once, and once more for a fetch an hour later`() throws {
        let pins = RecordingPinStore()
        let bundle = try device.bundle(epoch: 7)
        for seconds: Int64 in [0, 1, 3_599, 3_600, 3_601, 7_200] {
            _ = try device.recipient(bundle, pins: pins, now: BundleMaker.now.advanced(by: .seconds(seconds)))
        }
        #expect(pins.storeCount == 3)
    }

    @Test func `where pins cannot be read or written there is no recipient`() throws {
        let error = BundlePinStoreError.other("disk full")
        let pins = FailingPinStore(error: error)
        let bundle = try device.bundle(epoch: 7)
        #expect(device.refusal(of: bundle, pins: pins) == .pins(error))
        let firstUse = refusal {
            _ = try Recipient.trustOnFirstUse(
                bundle: bundle,
                fetchedAt: BundleMaker.now,
                topic: BundleID(BundleMaker.topic),
                pins: pins,
                now: BundleMaker.now
            )
        }
        #expect(firstUse as? RecipientError == .pins(error))
    }

    @Test func `a store that compares nothing gives no recipient`() throws {
        let error = device.refusal(of: try device.bundle(epoch: 7), pins: FailingPinStore(error: nil))
        #expect(error == .pins(.other("the store did not call for a change")))
    }
}

private final class RecordingPinStore: BundlePinStore {
    private let pins = MemoryBundlePinStore()
    private let count = Guarded(0)

    var storeCount: Int { count.withLock { $0 } }

    func update(_ slot: BundlePinSlot, _ change: (BundlePin?) -> BundlePinChange) throws(BundlePinStoreError) {
        try pins.update(slot) { pin in
            let result = change(pin)
            if result != .keep { count.withLock { $0 += 1 } }
            return result
        }
    }
}

/// Fails, or without an error does nothing at all.
private struct FailingPinStore: BundlePinStore {
    let error: BundlePinStoreError?

    func update(_ slot: BundlePinSlot, _ change: (BundlePin?) -> BundlePinChange) throws(BundlePinStoreError) {
        if let error { throw error }
    }
}
