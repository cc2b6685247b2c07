import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

/// The life of prekeys, without a disk, and the times of each step.
struct RotationTests {
    private static let start = Household.start
    private let policy = RotationPolicy()
    private let signer: Signer
    private var random: SeededRandom
    private var index: RingIndex

    init() throws {
        var random = SeededRandom(seed: 50)
        let signer = Signer(key: Ed25519PrivateKey(random: &random))
        index = RingIndex(
            topic: try BundleID("com.example.chat"),
            identity: IdentityKey(signer.key.publicKey),
            replayStore: Household.replayStore,
            origin: .newIdentity
        )
        self.random = random
        self.signer = signer
    }

    private mutating func rotate(at now: Timestamp, classes: [ProtectionClass] = [.afterFirstUnlock]) {
        rotate(at: .confirmed(now), classes: classes)
    }

    private mutating func rotate(at clock: RingClock, classes: [ProtectionClass] = [.afterFirstUnlock]) {
        let new = classes.map { protectionClass in
            PublicPrekey(
                suite: .x25519,
                protectionClass: protectionClass,
                key: X25519PrivateKey(random: &random).publicKey
            )
        }
        index.rotate(to: new, at: clock, signedBy: signer.key)
    }

    private static func after(_ duration: Duration) -> Timestamp { start.advanced(by: duration) }

    @Test mutating func `a ring without prekeys is due, and a prekey is due at seven days (protocol v1, rule 17)`() {
        #expect(index.isRotationDue(policy: policy, at: .confirmed(Self.start)))
        rotate(at: Self.start)
        #expect(!index.isRotationDue(policy: policy, at: .confirmed(Self.start)))
        #expect(!index.isRotationDue(policy: policy, at: .confirmed(Self.after(.days(7) - .milliseconds(1)))))
        #expect(index.isRotationDue(policy: policy, at: .confirmed(Self.after(.days(7)))))
    }

    /// Senders would refuse it as not yet valid until that day.
    @Test mutating func `a prekey made by a clock that ran ahead is due once time is confirmed (protocol v1, rule 17)`()
    {
        rotate(at: Self.after(.days(36_500)))
        #expect(index.isRotationDue(policy: policy, at: .confirmed(Self.start)))
        #expect(!index.isRotationDue(policy: policy, at: .unconfirmed(Self.start)))
    }

    @Test mutating func `a bundle is stamped with what has certainly passed, whatever the clock shows`() {
        let known = KnownTime(lowerBound: Self.start, lastConfirmed: Self.start)
        for now in [Timestamp(milliseconds: 0), Self.start, Self.after(.days(36_500))] {
            #expect(RingClock(now: now, known: known).stamp == Self.start)
        }
        // Before time was ever confirmed there is no other time.
        #expect(RingClock.unconfirmed(Self.after(.days(2)), lowerBound: Self.start).stamp == Self.after(.days(2)))
        #expect(RingClock.unconfirmed(Timestamp(milliseconds: 0), lowerBound: Self.start).stamp == Self.start)
    }

    @Test mutating func `epochs of a clock that ran ahead start again at the confirmed time, above all sound ones`()
        throws
    {
        rotate(at: Self.start)
        rotate(at: Self.after(.seconds(240)))
        let pinned = index.epoch
        rotate(at: Self.after(.days(36_500)))
        _ = index.acknowledge(epoch: index.epoch, at: .confirmed(Self.after(.days(36_500))))
        rotate(at: Self.after(.days(36_501)))
        rotate(at: Self.start)
        #expect(index.epoch == pinned + 1)
        #expect(!index.isPublished)
        let bundle = try KeyBundle(
            verifying: index.bundle,
            pinnedIdentity: index.identity,
            topic: index.topic,
            now: Self.start
        )
        #expect(bundle.epoch == pinned + 1)
        // The superseded one ends as if it had been superseded now.
        _ = index.destroyDue(policy: policy, at: .confirmed(Self.start))
        #expect(index.prekeys.dropLast().allSatisfy { policy.end(of: $0) <= Self.after(.days(22)) })
    }

    @Test mutating func `rotation is due when the app changes its classes (protocol v1, rule 19)`() {
        let both = RotationPolicy(usesUnlockedClass: true)
        rotate(at: Self.start)
        #expect(index.isRotationDue(policy: both, at: .confirmed(Self.start)))
        rotate(at: Self.start, classes: [.afterFirstUnlock, .unlocked])
        #expect(!index.isRotationDue(policy: both, at: .confirmed(Self.start)))
        #expect(index.isRotationDue(policy: policy, at: .confirmed(Self.start)))
    }

    @Test mutating func `not-after is 60 days away, and the bundle is what a sender accepts (protocol v1, rule 17)`()
        throws
    {
        rotate(at: Self.start, classes: [.afterFirstUnlock, .unlocked])
        #expect(index.bundle.count == 231)
        let end = Self.after(.days(60))
        for now in [Self.start, end] {
            let bundle = try KeyBundle(
                verifying: index.bundle,
                pinnedIdentity: index.identity,
                topic: index.topic,
                now: now
            )
            #expect(bundle.entries.map(\.notAfter) == [end, end])
            #expect(bundle.entries.map(\.prekey) == index.current.map(\.prekey))
        }
    }

    @Test
    mutating func `an epoch is the time, or one more than the last where the clock went back (protocol v1, rule 15)`() {
        rotate(at: .unconfirmed(Self.start))
        #expect(index.epoch == Self.start.milliseconds)
        rotate(at: .unconfirmed(Timestamp(milliseconds: 5)))
        #expect(index.epoch == Self.start.milliseconds + 1)
        rotate(at: .unconfirmed(Self.start))
        #expect(index.epoch == Self.start.milliseconds + 2)
        rotate(at: .unconfirmed(Self.after(.seconds(1))))
        #expect(index.epoch == Self.start.milliseconds + 1_000)
    }

    /// Senders keep a bundle for 7 days, a message lives for 7, and the skew is 5 minutes.
    @Test
    mutating func
        `a superseded prekey ends 14 days and 5 minutes after the newer bundle's acknowledgement (protocol v1, rule 17)`()
        throws
    {
        rotate(at: Self.start)
        let old = try #require(index.prekeys.first)
        rotate(at: Self.after(.days(1)))
        let isNoted = index.acknowledge(epoch: index.epoch, at: .confirmed(Self.after(.days(2))))
        #expect(isNoted)
        let end = Self.after(.days(2 + 14) + .seconds(5 * 60))
        #expect(policy.end(of: index.prekeys[0]) == end)
        var atTheEnd = index
        let destroyed = atTheEnd.destroyDue(policy: policy, at: .confirmed(end))
        #expect(destroyed == [])
        let later = end.advanced(by: .milliseconds(1))
        let destroyedThen = index.destroyDue(policy: policy, at: .confirmed(later))
        #expect(destroyedThen == [old.id])
        #expect(index.prekeys.count == 1)
        #expect(index.destroyedIDs == [old.id])
        #expect(!index.bundle.isEmpty)
    }

    @Test(arguments: [1, 7, 30])
    mutating func `the app's longest message life is what a superseded prekey is kept for (protocol v1, rule 17)`(
        _ days: Int
    ) {
        let policy = RotationPolicy(messageLifetimeMax: .days(days))
        rotate(at: Self.start)
        rotate(at: Self.start)
        _ = index.acknowledge(epoch: index.epoch, at: .confirmed(Self.start))
        #expect(policy.end(of: index.prekeys[0]) == Self.after(.days(7 + days) + .seconds(5 * 60)))
        #expect(policy.end(of: index.prekeys[1]) == Self.after(.days(60 + days)))
    }

    @Test(arguments: [(7, 21), (30, 44)])
    mutating func `without an acknowledgement a prekey ends a week later, and no more (protocol v1, rule 17)`(
        _ lifetime: Int,
        _ days: Int
    ) {
        let policy = RotationPolicy(messageLifetimeMax: .days(lifetime))
        rotate(at: Self.start)
        rotate(at: Self.after(.days(1)))
        let end = Self.after(.days(1 + days) + .seconds(300))
        #expect(policy.end(of: index.prekeys[0]) == end)
        let destroyed = index.destroyDue(policy: policy, at: .confirmed(end))
        #expect(destroyed == [])
        let destroyedThen = index.destroyDue(policy: policy, at: .confirmed(end.advanced(by: .milliseconds(1))))
        #expect(destroyedThen.count == 1)
    }

    @Test mutating func `what was superseded under an unconfirmed clock counts from the confirmation`() {
        rotate(at: Self.start)
        rotate(at: .unconfirmed(Self.after(.days(1))))
        _ = index.acknowledge(epoch: index.epoch, at: .unconfirmed(Self.after(.days(1))))
        #expect(policy.end(of: index.prekeys[0]) == Self.after(.days(67)))
        _ = index.destroyDue(policy: policy, at: .confirmed(Self.after(.days(3))))
        #expect(policy.end(of: index.prekeys[0]) == Self.after(.days(3 + 14) + .seconds(300)))
    }

    @Test
    mutating func
        `an unsuperseded prekey ends at not-after and the longest life, and its bundle with it (protocol v1, rule 17)`()
    {
        rotate(at: Self.start)
        let id = index.prekeys[0].id
        let end = Self.after(.days(67))
        let destroyed = index.destroyDue(policy: policy, at: .confirmed(end))
        #expect(destroyed == [])
        let destroyedThen = index.destroyDue(policy: policy, at: .confirmed(end.advanced(by: .milliseconds(1))))
        #expect(destroyedThen == [id])
        #expect(index.bundle.isEmpty)
        #expect(index.isRotationDue(policy: policy, at: .confirmed(Self.start)))
    }

    /// A bare forward jump must not destroy keys; silence must not keep them for ever.
    @Test
    mutating func `a clock that jumps ahead destroys nothing, and confirmed time does (protocol v1, rule 17)`() {
        rotate(at: Self.start)
        let jumped = Timestamp(milliseconds: 4_291_747_200_000)  // 2106-01-01
        let known = KnownTime(lowerBound: Self.after(.days(3)), lastConfirmed: Self.start)
        let destroyed = index.destroyDue(policy: policy, at: RingClock(now: jumped, known: known))
        #expect(destroyed == [])
        let destroyedThen = index.destroyDue(policy: policy, at: .confirmed(jumped))
        #expect(destroyedThen.count == 1)
    }

    /// A key made or acknowledged in 2106 would otherwise be kept until then.
    @Test
    mutating func
        `times written by a clock that ran ahead end once the right time is confirmed (protocol v1, rule 17)`()
    {
        let ahead = Self.after(.days(36_500))
        rotate(at: ahead)
        rotate(at: ahead)
        _ = index.acknowledge(epoch: index.epoch, at: .confirmed(ahead))
        let destroyed = index.destroyDue(policy: policy, at: .confirmed(Self.start))
        #expect(destroyed == [])
        let later = Self.after(.days(14) + .seconds(5 * 60) + .milliseconds(1))
        let destroyedThen = index.destroyDue(policy: policy, at: .confirmed(later))
        #expect(destroyedThen.count == 1)
        #expect(index.prekeys.count == 1)
    }

    @Test mutating func `an acknowledgement counts for the prekeys that its bundle no longer has, once`() {
        rotate(at: Self.start)
        let first = index.epoch
        rotate(at: Self.after(.days(1)))
        rotate(at: Self.after(.days(2)))
        let isNoted = index.acknowledge(epoch: index.epoch + 1, at: .confirmed(Self.start))
        #expect(!isNoted)
        let isNotedThen = index.acknowledge(epoch: first, at: .confirmed(Self.after(.days(3))))
        #expect(isNotedThen)
        #expect(index.prekeys.map { $0.supersession?.acknowledgedAt } == [nil, nil, nil])
        #expect(!index.isPublished)
        let isNotedNext = index.acknowledge(epoch: index.epoch - 1, at: .confirmed(Self.after(.days(4))))
        #expect(isNotedNext)
        #expect(index.prekeys.map { $0.supersession?.acknowledgedAt } == [Self.after(.days(4)), nil, nil])
        let isNotedFourth = index.acknowledge(epoch: index.epoch, at: .confirmed(Self.after(.days(5))))
        #expect(isNotedFourth)
        #expect(
            index.prekeys.map { $0.supersession?.acknowledgedAt } == [Self.after(.days(4)), Self.after(.days(5)), nil]
        )
        #expect(index.isPublished)
        let isNotedFifth = index.acknowledge(epoch: index.epoch, at: .confirmed(Self.after(.days(9))))
        #expect(!isNotedFifth)
        let isNotedSixth = index.acknowledge(epoch: first, at: .confirmed(Self.after(.days(9))))
        #expect(!isNotedSixth)
    }

    @Test mutating func `the ids of the last 64 destroyed prekeys are remembered, no more`() {
        var ids: [PrekeyID] = []
        for _ in 0..<70 {
            rotate(at: Self.start)
            ids += index.destroy { _ in true }
        }
        #expect(ids.count == 70)
        #expect(index.destroyedIDs == ids.suffix(64))
    }

    @Test mutating func `an id that is live or was destroyed is not given again (protocol v1, rule 6)`() {
        rotate(at: Self.start)
        let prekey = index.prekeys[0].prekey
        #expect(!index.canAdd([prekey]))
        _ = index.destroy { _ in true }
        #expect(!index.canAdd([prekey]))
        let other = PublicPrekey(
            suite: .x25519,
            protectionClass: .unlocked,
            key: X25519PrivateKey(random: &random).publicKey
        )
        #expect(index.canAdd([other]))
        #expect(!index.canAdd([other, other]))
    }

    @Test mutating func `room for a rotation that must be comes from the oldest superseded prekeys`() {
        while index.hasRoom(for: 1) { rotate(at: Self.start) }
        #expect(index.prekeys.count == 64)
        let (oldest, current) = (index.prekeys[0].id, index.current.map(\.id))
        let destroyed = index.makeRoom(for: 1)
        #expect(destroyed == [oldest])
        #expect(index.prekeys.count == 63)
        #expect(index.destroyedIDs == [oldest])
        #expect(index.current.map(\.id) == current)
    }
}

extension RingClock {
    static func confirmed(_ time: Timestamp) -> RingClock {
        RingClock(now: time, known: KnownTime(lowerBound: time, isConfirmed: true, lastConfirmed: time))
    }

    static func unconfirmed(_ now: Timestamp, lowerBound: Timestamp = Timestamp(milliseconds: 0)) -> RingClock {
        RingClock(now: now, known: KnownTime(lowerBound: lowerBound))
    }
}

/// A test's values are copied, a key is not.
private final class Signer: Sendable {
    let key: Ed25519PrivateKey

    init(key: consuming Ed25519PrivateKey) { self.key = key }
}
