import Envelope
import Keys
import Primitives

/// The public record of a key ring: its prekeys, their dates, and the signed bundle of the current ones. Replacing it
/// commits a change, so every prekey it names is on disk.
struct RingIndex: Equatable, Sendable {
    /// Far more than are ever kept at once: 32 rotations of two classes within two weeks.
    static let prekeyCountMax = 64
    /// The bound on ids of destroyed prekeys, which identify late messages.
    static let destroyedCountMax = 64
    /// The bound on clock jumps whose epochs outlive their prekeys.
    static let destroyedEpochCountMax = 8

    /// The cause of this ring, kept until the relay acknowledges a bundle. So the app sees it even if its process ended
    /// right after the change.
    enum Origin: UInt8, Sendable {
        case continued, newIdentity, ringMissing, ringDamaged, otherIdentity, replayStoreLost, keyLost
    }

    /// Stands for no replay store, as for a tester's keys without a life cycle.
    static let noReplayStore = StoreID(id: [UInt8](repeating: 0, count: StoreID.idByteCount), generation: 0)

    let topic: BundleID
    let identity: IdentityKey
    var replayStore: StoreID
    var origin: Origin
    /// The epoch of `bundle`; grows with every bundle. It falls only after a clock ran ahead (`restartEpochs`).
    private(set) var epoch: UInt64
    /// The highest epoch that the relay has; 0 for none.
    private(set) var acknowledgedEpoch: UInt64
    /// Superseded and current prekeys, in the order of their making.
    private(set) var prekeys: [RingPrekey]
    /// Oldest first.
    private(set) var destroyedIDs: [PrekeyID]
    /// Epochs of destroyed prekeys: the last one before each jump of more than five minutes. Oldest first.
    private(set) var destroyedEpochs: [UInt64]
    /// Signed once: two signatures of one epoch may differ (CryptoKit's are randomised), and senders refuse that as
    /// equivocation. Empty after a prekey of it was destroyed.
    private(set) var bundle: [UInt8]

    var isPublished: Bool { acknowledgedEpoch == epoch }
    var current: [RingPrekey] { prekeys.filter { $0.supersession == nil } }

    func prekey(_ id: PrekeyID) -> RingPrekey? { prekeys.first { $0.id == id } }

    /// Creates a ring without prekeys; the first rotation fills it.
    init(topic: BundleID, identity: IdentityKey, replayStore: StoreID, origin: Origin) {
        self.topic = topic
        self.identity = identity
        self.replayStore = replayStore
        self.origin = origin
        epoch = 0
        acknowledgedEpoch = 0
        prekeys = []
        destroyedIDs = []
        destroyedEpochs = []
        bundle = []
    }

    /// Creates a ring from values that `RingIndex(record:)` has checked.
    init(
        empty: RingIndex,
        epoch: UInt64,
        acknowledgedEpoch: UInt64,
        prekeys: [RingPrekey],
        destroyedIDs: [PrekeyID],
        destroyedEpochs: [UInt64],
        bundle: [UInt8]
    ) {
        self = empty
        self.epoch = epoch
        self.acknowledgedEpoch = acknowledgedEpoch
        self.prekeys = prekeys
        self.destroyedIDs = destroyedIDs
        self.destroyedEpochs = destroyedEpochs
        self.bundle = bundle
    }
}

// The life of the prekeys, without I/O. Each call is one event; the caller performs the result.
extension RingIndex {
    /// Checks whether a prekey is old enough, was made by a clock that ran ahead, or differs from the policy.
    func isRotationDue(policy: RotationPolicy, at clock: RingClock) -> Bool {
        guard !bundle.isEmpty, current.map(\.prekey.protectionClass) == policy.classes else { return true }
        return isAhead(of: clock)
            || current.contains { clock.stamp >= $0.notBefore.advanced(by: RotationPolicy.rotationAge) }
    }

    /// Checks whether senders refuse the bundle as not yet valid because its clock ran ahead. Known once time is
    /// confirmed.
    func isAhead(of clock: RingClock) -> Bool {
        guard let limit = clock.confirmed?.advanced(by: KeyBundle.clockSkewMax) else { return false }
        return epoch > limit.milliseconds || current.contains { $0.notBefore > limit }
    }

    /// Checks that each id leads to one key only (protocol v1, rule 6).
    func canAdd(_ new: [PublicPrekey]) -> Bool {
        let ids = new.map { $0.localID(identity: identity) }
        let taken = Set(prekeys.map(\.id) + destroyedIDs)
        return Set(ids).count == ids.count && taken.isDisjoint(with: ids)
    }

    func hasRoom(for count: Int) -> Bool { prekeys.count + count <= Self.prekeyCountMax }

    /// Supersedes the current prekeys, which stay in the ring to open messages under way.
    ///
    /// - Parameter new: in a bundle's order, with `canAdd` and `hasRoom` true.
    mutating func rotate(
        to new: [PublicPrekey],
        at clock: RingClock,
        signedBy identityKey: borrowing Ed25519PrivateKey
    ) {
        precondition(canAdd(new) && hasRoom(for: new.count))
        if isAhead(of: clock) { restartEpochs(at: clock.stamp) }
        let now = clock.stamp
        // Tied to the clock, it grows even if the last epoch was lost with an uninstalled app.
        epoch = max(epoch + 1, now.milliseconds)
        for index in prekeys.indices where prekeys[index].supersession == nil {
            prekeys[index].supersession = RingPrekey.Supersession(epoch: epoch, at: clock.confirmed)
        }
        let notAfter = now.advanced(by: KeyBundle.validityMax)
        prekeys += new.map { RingPrekey($0, identity: identity, notBefore: now, notAfter: notAfter) }
        let entries = new.map { KeyBundle.Entry(prekey: $0, notBefore: now, notAfter: notAfter) }
        let content = KeyBundle(identity: identity, epoch: epoch, issuedAt: now, topic: topic, entries: entries)
        bundle = content.signed(by: identityKey)
    }

    /// Notes that the relay has the bundle of this epoch.
    ///
    /// - Parameter acknowledged: checked, since the relay is not trusted and could claim an epoch that was never made.
    /// - Returns: true if anything changed.
    mutating func acknowledge(epoch acknowledged: UInt64, at clock: RingClock) -> Bool {
        guard acknowledged <= epoch, acknowledged > acknowledgedEpoch else { return false }
        acknowledgedEpoch = acknowledged
        if isPublished { origin = .continued }
        correctTimes(by: clock)
        return true
    }

    /// Removes every prekey whose end has certainly passed.
    ///
    /// - Returns: the ids whose secrets to delete, once this index is on disk.
    mutating func destroyDue(policy: RotationPolicy, at clock: RingClock) -> [PrekeyID] {
        correctTimes(by: clock)
        return destroy { policy.end(of: $0) < clock.certain }
    }

    /// - Returns: the ids whose secrets to delete, once this index is on disk.
    mutating func destroy(where isToDestroy: (RingPrekey) -> Bool) -> [PrekeyID] {
        let destroyed = prekeys.filter(isToDestroy)
        if destroyed.contains(where: { $0.supersession == nil }) { bundle = [] }
        for prekey in destroyed { keepEpochs(of: prekey) }
        prekeys.removeAll(where: isToDestroy)
        destroyedIDs = (destroyedIDs + destroyed.map(\.id)).suffix(Self.destroyedCountMax)
        return destroyed.map(\.id)
    }

    /// Removes the oldest superseded prekeys of a full ring: the one case in which a prekey is destroyed early.
    ///
    /// - Returns: the ids whose secrets to delete, once this index is on disk.
    mutating func makeRoom(for count: Int) -> [PrekeyID] {
        var destroyed: [PrekeyID] = []
        while !hasRoom(for: count), let oldest = prekeys.first(where: { $0.supersession != nil }) {
            destroyed += destroy { $0.id == oldest.id }
        }
        return destroyed
    }

    /// Replaces missing times, and times of a clock that ran ahead, by confirmed time. Otherwise a key could be kept
    /// for years.
    mutating func correctTimes(by clock: RingClock) {
        guard let now = clock.confirmed else { return }
        func corrected(_ time: Timestamp?) -> Timestamp {
            guard let time, time <= now.advanced(by: KeyBundle.clockSkewMax) else { return now }
            return time
        }
        for index in prekeys.indices {
            prekeys[index].notAfter = min(prekeys[index].notAfter, now.advanced(by: KeyBundle.validityMax))
            guard let supersession = prekeys[index].supersession else { continue }
            prekeys[index].supersession?.at = corrected(supersession.at)
            guard supersession.epoch <= acknowledgedEpoch else { continue }
            prekeys[index].supersession?.acknowledgedAt = corrected(supersession.acknowledgedAt)
        }
    }

    /// Keeps the epochs that a sender may have pinned: the prekey's first epoch and that of the bundle after it. Epochs
    /// of a clock that ran ahead replace each other, not those before the jump.
    private mutating func keepEpochs(of prekey: RingPrekey) {
        let next = prekey.supersession?.epoch ?? epoch
        // After a restart of epochs, the next one is below a not-before of the clock that ran ahead.
        for epoch in [prekey.notBefore.milliseconds, next] where epoch <= next && epoch > destroyedEpochs.last ?? 0 {
            let last = Timestamp(milliseconds: destroyedEpochs.last ?? 0)
            if epoch <= last.advanced(by: KeyBundle.clockSkewMax).milliseconds { _ = destroyedEpochs.popLast() }
            destroyedEpochs = (destroyedEpochs + [epoch]).suffix(Self.destroyedEpochCountMax)
        }
    }

    /// Resets epochs of a clock that ran ahead to those before it. No sender has pinned one: each refuses bundles ahead
    /// of its own clock.
    private mutating func restartEpochs(at now: Timestamp) {
        let limit = now.advanced(by: KeyBundle.clockSkewMax).milliseconds
        destroyedEpochs.removeAll { $0 > limit }
        // The first bundle with a prekey has the epoch of its not-before, or a later one.
        let offers = prekeys.map(\.notBefore.milliseconds) + destroyedEpochs
        let made = [acknowledgedEpoch] + offers + prekeys.compactMap { $0.supersession?.epoch }
        epoch = min(epoch, made.filter { $0 <= limit }.max() ?? 0)
        acknowledgedEpoch = min(acknowledgedEpoch, epoch)
        for index in prekeys.indices where prekeys[index].supersession?.epoch ?? 0 > limit {
            prekeys[index].supersession?.epoch = max(epoch + 1, now.milliseconds)
        }
    }
}
