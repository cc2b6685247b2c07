import Envelope
import Keys
import TestSupport
import Testing

@testable import Sealing

/// Ages of a bundle and its copy up to which a message is still sealed.
struct RecipientAgeTests {
    private let device = BundleMaker(seed: 310)
    private let pins = MemoryBundlePinStore()
    private static let day: Int64 = 86_400

    @Test(
        arguments: [(0, 0), (1, 1), (59 * 86_400_000, 59 * 86_400_000), (-1, 0), (-86_400_000, 0)] as [(Int64, Int64)]
    )
    func `a bundle's age is told, since a new sender can be shown an old one (protocol v1, rule 16)`(
        _ later: Int64,
        _ expected: Int64
    ) throws {
        let recipient = try device.recipient(device.bundle(epoch: 7), pins: pins)
        #expect(recipient.bundleAge(now: Self.later(.milliseconds(later))) == .milliseconds(expected))
    }

    @Test func `the age of a bundle from the first or the last millisecond does not trap`() throws {
        let oldest = try device.recipient(device.bundle(epoch: 7, issuedAt: Timestamp(milliseconds: 0)), pins: pins)
        #expect(oldest.bundleAge(now: Timestamp(milliseconds: .max)) == .milliseconds(Int64.max))
        let last = Timestamp(milliseconds: 1 << 53 - 1)
        let newest = try device.recipient(device.bundle(epoch: 8, issuedAt: last), pins: pins)
        #expect(newest.bundleAge(now: BundleMaker.now) == .zero)
    }

    @Test(
        arguments: [
            (0, false), (7 * 86_400_000 - 1, false), (7 * 86_400_000, true), (59 * 86_400_000, true), (-1, true),
        ] as [(Int64, Bool)]
    )
    func `a copy is to be fetched anew after 7 days (protocol v1, rule 17)`(_ later: Int64, _ expected: Bool) throws {
        let recipient = try device.recipient(device.bundle(epoch: 7), pins: pins)
        #expect(recipient.needsRefresh(now: Self.later(.milliseconds(later))) == expected)
    }

    @Test func `a copy from a cache is as old as the cache, and a fetch that a sibling made counts`() throws {
        let bundle = try device.bundle(epoch: 7, from: Self.later(.seconds(-9 * Self.day)), days: 60)
        let filled = Self.later(.seconds(-8 * Self.day))
        #expect(try device.recipient(bundle, pins: pins, fetchedAt: filled).needsRefresh(now: BundleMaker.now))
        // Another process of this sender fetches the same bytes.
        #expect(
            try !device.recipient(bundle, pins: pins, fetchedAt: BundleMaker.now).needsRefresh(now: BundleMaker.now)
        )
        #expect(try !device.recipient(bundle, pins: pins, fetchedAt: filled).needsRefresh(now: BundleMaker.now))
    }

    @Test func `without pins a copy is always to be fetched`() throws {
        let recipient = try Recipient(
            bundle: device.bundle(epoch: 7),
            pinnedIdentity: device.identity,
            topic: BundleID(BundleMaker.topic),
            withoutPinsAt: BundleMaker.now
        )
        #expect(recipient.fetchedAt == nil)
        #expect(recipient.needsRefresh(now: BundleMaker.now))
    }

    @Test(arguments: [(-1, true), (0, true), (1, false), (86_400_000, false)] as [(Int64, Bool)])
    func `a recipient that was kept past its prekey's end is refused when sealed to (protocol v1, rule 17)`(
        _ later: Int64,
        _ isSealed: Bool
    ) throws {
        let recipient = try device.recipient(device.bundle(epoch: 7, days: 30), pins: pins)
        let end = Self.later(.seconds(30 * Self.day))
        #expect(recipient.notAfter == end)
        let now = end.advanced(by: .milliseconds(later))
        var random = SeededRandom(seed: 311)
        let sender = SenderIdentity(random: &random)
        let fresh = refusal { () throws(SealingError) in
            _ = try sender.seal(Message(body: "x"), for: recipient, sentAt: now)
        }
        #expect(fresh == (isSealed ? nil : .prekeyExpired(at: end)))
        let prepared = try PreparedMessage(Message(body: "x"), sentAt: end.advanced(by: .seconds(-60)))
        let kept = refusal { () throws(SealingError) in _ = try sender.seal(prepared, for: recipient, now: now) }
        #expect(kept == (isSealed ? nil : .prekeyExpired(at: end)))
    }

    private static func later(_ duration: Duration) -> Timestamp { BundleMaker.now.advanced(by: duration) }
}
