import Envelope
import Keys
import Primitives
import TestSupport
import Testing

@testable import Opening

/// The life of prekeys, without a disk: what is due when.
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
        let new = classes.map { protectionClass in
            PublicPrekey(
                suite: .x25519,
                protectionClass: protectionClass,
                key: X25519PrivateKey(random: &random).publicKey
            )
        }
        index.rotate(to: new, at: now, signedBy: signer.key)
    }

    private static func after(_ duration: Duration) -> Timestamp { start.advanced(by: duration) }

    private static func certainly(_ time: Timestamp) -> RingClock { RingClock(now: time, lowerBound: time) }

    @Test mutating func `a ring without prekeys is due, and a prekey is due at seven days (protocol v1, rule 17)`() {
        #expect(index.isRotationDue(policy: policy, at: Self.start))
        rotate(at: Self.start)
        #expect(!index.isRotationDue(policy: policy, at: Self.start))
        #expect(!index.isRotationDue(policy: policy, at: Self.after(.days(7) - .milliseconds(1))))
        #expect(index.isRotationDue(policy: policy, at: Self.after(.days(7))))
    }

    /// Senders would refuse it as not yet valid until that day.
    @Test mutating func `a prekey made by a clock that ran ahead is due at once (protocol v1, rule 17)`() {
        rotate(at: Self.after(.days(36_500)))
        #expect(index.isRotationDue(policy: policy, at: Self.start))
        rotate(at: Self.after(.seconds(5 * 60)))
        #expect(!index.isRotationDue(policy: policy, at: Self.start))
        rotate(at: Self.after(.seconds(5 * 60) + .milliseconds(1)))
        #expect(index.isRotationDue(policy: policy, at: Self.start))
    }

    @Test mutating func `rotation is due when the app changes its classes (protocol v1, rule 19)`() {
        let both = RotationPolicy(usesUnlockedClass: true)
        rotate(at: Self.start)
        #expect(index.isRotationDue(policy: both, at: Self.start))
        rotate(at: Self.start, classes: [.afterFirstUnlock, .unlocked])
        #expect(!index.isRotationDue(policy: both, at: Self.start))
        #expect(index.isRotationDue(policy: policy, at: Self.start))
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
        rotate(at: Self.start)
        #expect(index.epoch == Self.start.milliseconds)
        rotate(at: Timestamp(milliseconds: 5))
        #expect(index.epoch == Self.start.milliseconds + 1)
        rotate(at: Self.start)
        #expect(index.epoch == Self.start.milliseconds + 2)
        rotate(at: Self.after(.seconds(1)))
        #expect(index.epoch == Self.start.milliseconds + 1_000)
    }

    /// 7 days that senders keep a bundle, 7 that a message lives, 5 minutes.
    @Test
    mutating func
        `a superseded prekey ends 14 days and 5 minutes after the newer bundle's acknowledgement (protocol v1, rule 17)`()
        throws
    {
        rotate(at: Self.start)
        let old = try #require(index.prekeys.first)
        rotate(at: Self.after(.days(1)))
        let isNoted = index.acknowledge(epoch: index.epoch, at: Self.after(.days(2)))
        #expect(isNoted)
        let end = Self.after(.days(2 + 14) + .seconds(5 * 60))
        #expect(policy.end(of: index.prekeys[0]) == end)
        var atTheEnd = index
        let destroyed = atTheEnd.destroyDue(policy: policy, at: Self.certainly(end))
        #expect(destroyed == [])
        let later = end.advanced(by: .milliseconds(1))
        let destroyedThen = index.destroyDue(policy: policy, at: Self.certainly(later))
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
        _ = index.acknowledge(epoch: index.epoch, at: Self.start)
        #expect(policy.end(of: index.prekeys[0]) == Self.after(.days(7 + days) + .seconds(5 * 60)))
        #expect(policy.end(of: index.prekeys[1]) == Self.after(.days(60 + days)))
    }

    @Test mutating func `without an acknowledgement a prekey ends with the last message to it (protocol v1, rule 17)`()
    {
        rotate(at: Self.start)
        rotate(at: Self.after(.days(1)))
        let end = Self.after(.days(67))
        #expect(policy.end(of: index.prekeys[0]) == end)
        let destroyed = index.destroyDue(policy: policy, at: Self.certainly(end))
        #expect(destroyed == [])
        let destroyedThen = index.destroyDue(policy: policy, at: Self.certainly(end.advanced(by: .milliseconds(1))))
        #expect(destroyedThen.count == 1)
    }

    @Test
    mutating func
        `an unsuperseded prekey ends at not-after and the longest life, and its bundle with it (protocol v1, rule 17)`()
    {
        rotate(at: Self.start)
        let id = index.prekeys[0].id
        let end = Self.after(.days(67))
        let destroyed = index.destroyDue(policy: policy, at: Self.certainly(end))
        #expect(destroyed == [])
        let destroyedThen = index.destroyDue(policy: policy, at: Self.certainly(end.advanced(by: .milliseconds(1))))
        #expect(destroyedThen == [id])
        #expect(index.bundle.isEmpty)
        #expect(index.isRotationDue(policy: policy, at: Self.start))
    }

    /// Rule 25: a bare forward jump must not destroy keys; silence must not keep them for ever.
    @Test
    mutating func `a clock that jumps ahead destroys nothing, and one confirmed online does (protocol v1, rule 17)`() {
        rotate(at: Self.start)
        let jumped = Timestamp(milliseconds: 4_291_747_200_000)  // 2106-01-01
        let bare = RingClock(now: jumped, lowerBound: Self.after(.days(3)))
        let destroyed = index.destroyDue(policy: policy, at: bare)
        #expect(destroyed == [])
        #expect(index.prekeys.count == 1)
        let confirmed = RingClock(now: jumped, lowerBound: Self.after(.days(3)), isConfirmedOnline: true)
        let destroyedThen = index.destroyDue(policy: policy, at: confirmed)
        #expect(destroyedThen.count == 1)
    }

    @Test mutating func `a clock that went back destroys nothing that it had not destroyed before`() {
        rotate(at: Self.start)
        let back = RingClock(now: Timestamp(milliseconds: 0), lowerBound: Self.after(.days(70)))
        // What is certain is the lower bound, and it says that the end has passed.
        let destroyed = index.destroyDue(policy: policy, at: back)
        #expect(destroyed.count == 1)
        rotate(at: Self.after(.days(70)))
        let confirmed = RingClock(
            now: Timestamp(milliseconds: 0),
            lowerBound: Self.after(.days(700)),
            isConfirmedOnline: true
        )
        let destroyedThen = index.destroyDue(policy: policy, at: confirmed)
        #expect(destroyedThen == [])
    }

    @Test mutating func `a clock behind the lower bound is not written down (protocol v1, rule 17)`() {
        let wrong = RingClock(now: Timestamp(milliseconds: 0), lowerBound: Self.start)
        #expect(wrong.stamp == Self.start)
        #expect(RingClock(now: Self.after(.days(1)), lowerBound: Self.start).stamp == Self.after(.days(1)))
        #expect(
            RingClock(now: Timestamp(milliseconds: .max), lowerBound: Self.start).stamp.milliseconds
                == Timestamp.millisecondsMax
        )
    }

    /// A key made or acknowledged in 2106 would otherwise be kept until then.
    @Test
    mutating func
        `times written by a clock that ran ahead end once the right time is confirmed (protocol v1, rule 17)`()
    {
        let ahead = Self.after(.days(36_500))
        rotate(at: ahead)
        rotate(at: ahead)
        _ = index.acknowledge(epoch: index.epoch, at: ahead)
        let right = RingClock(now: Self.start, lowerBound: Self.start, isConfirmedOnline: true)
        let destroyed = index.destroyDue(policy: policy, at: right)
        #expect(destroyed == [])
        let later = Self.after(.days(14) + .seconds(5 * 60) + .milliseconds(1))
        let confirmed = RingClock(now: later, lowerBound: Self.start, isConfirmedOnline: true)
        let destroyedThen = index.destroyDue(policy: policy, at: confirmed)
        #expect(destroyedThen.count == 1)
        #expect(index.prekeys.count == 1)
    }

    @Test mutating func `an acknowledgement counts for the prekeys that its bundle no longer has, once`() {
        rotate(at: Self.start)
        let first = index.epoch
        rotate(at: Self.after(.days(1)))
        rotate(at: Self.after(.days(2)))
        let isNoted = index.acknowledge(epoch: index.epoch + 1, at: Self.start)
        #expect(!isNoted)
        let isNotedThen = index.acknowledge(epoch: first, at: Self.after(.days(3)))
        #expect(isNotedThen)
        #expect(index.prekeys.map { $0.supersession?.acknowledgedAt } == [nil, nil, nil])
        #expect(!index.isPublished)
        let isNotedNext = index.acknowledge(epoch: index.epoch - 1, at: Self.after(.days(4)))
        #expect(isNotedNext)
        #expect(index.prekeys.map { $0.supersession?.acknowledgedAt } == [Self.after(.days(4)), nil, nil])
        let isNotedFourth = index.acknowledge(epoch: index.epoch, at: Self.after(.days(5)))
        #expect(isNotedFourth)
        #expect(
            index.prekeys.map { $0.supersession?.acknowledgedAt } == [Self.after(.days(4)), Self.after(.days(5)), nil]
        )
        #expect(index.isPublished)
        let isNotedFifth = index.acknowledge(epoch: index.epoch, at: Self.after(.days(9)))
        #expect(!isNotedFifth)
        let isNotedSixth = index.acknowledge(epoch: first, at: Self.after(.days(9)))
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
        index.makeRoom(for: 1)
        #expect(index.prekeys.count == 63)
        #expect(index.destroyedIDs == [oldest])
        #expect(index.current.map(\.id) == current)
    }
}

/// A test's values are copied, a key is not.
private final class Signer: Sendable {
    let key: Ed25519PrivateKey

    init(key: consuming Ed25519PrivateKey) { self.key = key }
}
