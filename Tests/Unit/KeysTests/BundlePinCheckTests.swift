import Envelope
import Primitives
import TestSupport
import Testing

@testable import Keys

struct BundlePinCheckTests {
    private let device = Device(seed: 140)

    @Test(arguments: [(7, 8), (0, 1), (7, .max), (7, BundleBytes.now.milliseconds)] as [(UInt64, UInt64)])
    func `a lower epoch is refused (protocol v1, rule 16; abuse case 29)`(_ epoch: UInt64, _ pinned: UInt64) throws {
        let pin = pin(epoch: pinned)
        #expect(try refusal(epoch: epoch, pin: pin) == .rolledBack(epoch: epoch, pinnedEpoch: pinned))
    }

    @Test(arguments: [(8, 7), (1, 0), (BundleBytes.now.milliseconds + 300_000, 7)] as [(UInt64, UInt64)])
    func `a higher epoch is taken, by however much (protocol v1, rule 15)`(_ epoch: UInt64, _ pinned: UInt64) throws {
        #expect(try refusal(epoch: epoch, pin: pin(epoch: pinned)) == nil)
    }

    @Test(arguments: [0, 7, BundleBytes.now.milliseconds] as [UInt64])
    func `other bytes under the same epoch are refused (protocol v1, rule 16; abuse case 29)`(_ epoch: UInt64) throws {
        #expect(try refusal(epoch: epoch, pin: pin(epoch: epoch)) == .equivocation(epoch: epoch))
    }

    @Test(arguments: [300_001, 1 << 53, UInt64.max - BundleBytes.now.milliseconds])
    func `an epoch of the future is refused, before anything is pinned`(_ ahead: UInt64) throws {
        let epoch = BundleBytes.now.milliseconds + ahead
        let expected = KeyBundleError.notYetValid(from: Timestamp(milliseconds: epoch))
        #expect(try refusal(epoch: epoch, pin: nil) == expected)
        #expect(try refusal(epoch: epoch, pin: pin(epoch: 7)) == expected)
    }

    @Test func `the same bytes are taken again and again`() throws {
        let bytes = self.bytes(epoch: 7)
        let first = try signed(bytes).pin(replacing: nil, fetchedAt: BundleBytes.now, now: BundleBytes.now)
        #expect(first.digest == SHA256.hash(bytes))
        #expect(device.refusal(of: bytes, pin: first) == nil)
        let second = try signed(bytes).pin(replacing: first, fetchedAt: BundleBytes.now, now: BundleBytes.now)
        #expect(second == first)
    }

    /// Ed25519 signatures can be made anew over the same content; the bytes are then another bundle.
    @Test func `the same content under another signature is another bundle (protocol v1, rule 16)`() throws {
        let bytes = self.bytes(epoch: 7)
        let pin = BundlePin(
            epoch: 7,
            digest: SHA256.hash(Array(bytes.dropLast(64))),
            highestSuites: .none,
            issuedAt: BundleBytes.now,
            fetchedAt: BundleBytes.now
        )
        #expect(device.refusal(of: bytes, pin: pin) == .equivocation(epoch: 7))
    }

    @Test(arguments: [(2, 0), (255, 0), (2, 2)] as [(UInt8, UInt8)])
    func `a lower suite than before is refused (protocol v1, rule 18; abuse case 28)`(_ first: UInt8, _ second: UInt8)
        throws
    {
        let pin = pin(epoch: 6, suites: HighestSuites(afterFirstUnlock: first, unlocked: second))
        #expect(try refusal(epoch: 7, pin: pin) == .suiteDowngrade(from: first, to: 1))
        #expect(try refusal(epoch: 7, pin: pin.withoutSuites) == nil)
    }

    @Test func `a pin without its suites keeps epoch and digest, so that a reset lets no older bundle in`() throws {
        let pin = pin(epoch: 8, suites: HighestSuites(afterFirstUnlock: 2, unlocked: 2)).withoutSuites
        #expect(pin.highestSuites == .none)
        #expect(try refusal(epoch: 7, pin: pin) == .rolledBack(epoch: 7, pinnedEpoch: 8))
        #expect(try refusal(epoch: 8, pin: pin) == .equivocation(epoch: 8))
    }

    @Test func `a new pin holds what the bundle says and the best that there ever was`() throws {
        var bundle = BundleBytes(for: device, classes: [1])
        bundle.epoch = 9
        bundle.issuedAt = 1_799_999_999_000
        let old = pin(epoch: 6, suites: HighestSuites(afterFirstUnlock: 1, unlocked: 2))
        let bytes = bundle.bytes(signedBy: device.key)
        let new = try signed(bytes).pin(replacing: old, fetchedAt: Self.later(5), now: Self.later(6))
        #expect(new.epoch == 9)
        #expect(new.digest == SHA256.hash(bytes))
        #expect(new.issuedAt.milliseconds == 1_799_999_999_000)
        #expect(new.fetchedAt == Self.later(5))
        #expect(new.highestSuites == HighestSuites(afterFirstUnlock: 1, unlocked: 2))
    }

    @Test(arguments: FetchCase.all)
    fileprivate func `a copy is as fresh as its latest fetch, and no clock makes it fresher than now`(
        _ example: FetchCase
    ) throws {
        let bytes = self.bytes(epoch: 7)
        let old = try signed(bytes).pin(
            replacing: nil,
            fetchedAt: Self.later(example.before),
            now: Self.later(example.before)
        )
        let new = try signed(bytes).pin(
            replacing: old,
            fetchedAt: Self.later(example.fetched),
            now: Self.later(example.now)
        )
        #expect(new.fetchedAt == Self.later(example.expected))
    }

    @Test func `a pin is written when something changed, and for a later fetch once an hour`() {
        let old = pin(epoch: 7)
        #expect(!old.isOutdated(by: old))
        #expect(!old.isOutdated(by: pin(epoch: 7, fetchedAt: Self.later(3_599))))
        #expect(old.isOutdated(by: pin(epoch: 7, fetchedAt: Self.later(3_600))))
        #expect(old.isOutdated(by: pin(epoch: 7, fetchedAt: Timestamp(milliseconds: 0))))
        #expect(old.isOutdated(by: pin(epoch: 8)))
        #expect(old.isOutdated(by: pin(epoch: 7, suites: HighestSuites(afterFirstUnlock: 2, unlocked: 0))))
    }

    private func bytes(epoch: UInt64) -> [UInt8] {
        var bundle = BundleBytes(for: device)
        bundle.epoch = epoch
        return bundle.bytes(signedBy: device.key)
    }

    private func signed(_ bytes: [UInt8]) throws -> SignedKeyBundle {
        try SignedKeyBundle(bytes, pinnedIdentity: device.identity, topic: BundleID(bytes: BundleBytes.topic))
    }

    private func refusal(epoch: UInt64, pin: BundlePin?) throws -> KeyBundleError? {
        device.refusal(of: bytes(epoch: epoch), pin: pin)
    }

    private func pin(
        epoch: UInt64,
        suites: HighestSuites = HighestSuites(afterFirstUnlock: 1, unlocked: 0),
        fetchedAt: Timestamp = BundleBytes.now
    ) -> BundlePin {
        BundlePin(
            epoch: epoch,
            digest: [UInt8](repeating: 0, count: 32),
            highestSuites: suites,
            issuedAt: BundleBytes.now,
            fetchedAt: fetchedAt
        )
    }

    private static func later(_ seconds: Int64) -> Timestamp { BundleBytes.now.advanced(by: .seconds(seconds)) }
}

/// Seconds after the same moment.
private struct FetchCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: Int64
    let fetched: Int64
    let now: Int64
    let expected: Int64

    static let all = [
        FetchCase(testDescription: "fetched again", before: 0, fetched: 100, now: 100, expected: 100),
        FetchCase(testDescription: "an older copy", before: 100, fetched: 0, now: 200, expected: 100),
        FetchCase(testDescription: "fetched later than now", before: 0, fetched: 900, now: 100, expected: 100),
        FetchCase(testDescription: "the clock was set back", before: 900, fetched: 100, now: 100, expected: 100),
    ]
}
