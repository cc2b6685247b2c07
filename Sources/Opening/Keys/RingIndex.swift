import Envelope
import Keys
import Primitives

/// Prekeys, dates, and the signed bundle. Replacing it commits a change, so every prekey it names is on disk.
struct RingIndex: Equatable, Sendable {
    /// Far above need: 32 rotations of two classes within two weeks.
    static let prekeyCountMax = 64
    /// Bound on ids that identify late messages.
    static let destroyedCountMax = 64
    /// Bound on clock jumps whose epochs are kept.
    static let destroyedEpochCountMax = 8

    /// Cause of this ring, kept until the relay acknowledges a bundle: a crash must not hide it from the app.
    enum Origin: UInt8, Sendable {
        case continued, newIdentity, ringMissing, ringDamaged, otherIdentity, replayStoreLost, keyLost
    }

    /// For a tester's keys.
    static let noReplayStore = StoreID(id: [UInt8](repeating: 0, count: StoreID.idByteCount), generation: 0)

    let topic: BundleID
    let identity: IdentityKey
    var replayStore: StoreID
    var origin: Origin
    /// Grows with every bundle; falls only after a clock ran ahead (`restartEpochs`).
    private(set) var epoch: UInt64
    /// The relay's; 0 for none.
    private(set) var acknowledgedEpoch: UInt64
    /// Superseded and current, oldest first.
    private(set) var prekeys: [RingPrekey]
    /// Oldest first.
    private(set) var destroyedIDs: [PrekeyID]
    /// Epochs of destroyed prekeys, oldest first: the last before each jump of more than five minutes.
    private(set) var destroyedEpochs: [UInt64]
    /// Signed once: signatures of one epoch may differ (CryptoKit's are randomised), and senders refuse that as
    /// equivocation. Empty after a prekey of it was destroyed.
    private(set) var bundle: [UInt8]

    var isPublished: Bool { acknowledgedEpoch == epoch }
    var current: [RingPrekey] { prekeys.filter { $0.supersession == nil } }

    func prekey(_ id: PrekeyID) -> RingPrekey? { prekeys.first { $0.id == id } }

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

    /// Takes values that `RingIndex(record:)` has checked.
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

// The life of the prekeys, without I/O; callers perform the results.
extension RingIndex {
    /// True for old prekeys, those of a clock that ran ahead, or a changed policy.
    func isRotationDue(policy: RotationPolicy, at clock: RingClock) -> Bool {
        guard !bundle.isEmpty, current.map(\.prekey.protectionClass) == policy.classes else { return true }
        return isAhead(of: clock)
            || current.contains { clock.stamp >= $0.notBefore.advanced(by: RotationPolicy.rotationAge) }
    }

    /// True if senders refuse the bundle as not yet valid, which confirmed time shows.
    func isAhead(of clock: RingClock) -> Bool {
        guard let limit = clock.confirmed?.advanced(by: KeyBundle.clockSkewMax) else { return false }
        return epoch > limit.milliseconds || current.contains { $0.notBefore > limit }
    }

    /// Each id leads to one key only (protocol v1, rule 6).
    func canAdd(_ new: [PublicPrekey]) -> Bool {
        let ids = new.map { $0.localID(identity: identity) }
        let taken = Set(prekeys.map(\.id) + destroyedIDs)
        return Set(ids).count == ids.count && taken.isDisjoint(with: ids)
    }

    func hasRoom(for count: Int) -> Bool { prekeys.count + count <= Self.prekeyCountMax }

    /// Supersedes the current prekeys, which stay to open messages under way. `new` is in a bundle's order.
    mutating func rotate(
        to new: [PublicPrekey],
        at clock: RingClock,
        signedBy identityKey: borrowing Ed25519PrivateKey
    ) {
        precondition(canAdd(new) && hasRoom(for: new.count))
        if isAhead(of: clock) { restartEpochs(at: clock.stamp) }
        let now = clock.stamp
        // Tied to the clock, so it grows even if the last epoch is lost.
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

    /// Notes an epoch that the relay has, and returns true if that is new. Checked: the relay is not trusted.
    mutating func acknowledge(epoch acknowledged: UInt64, at clock: RingClock) -> Bool {
        guard acknowledged <= epoch, acknowledged > acknowledgedEpoch else { return false }
        acknowledgedEpoch = acknowledged
        if isPublished { origin = .continued }
        correctTimes(by: clock)
        return true
    }

    /// Removes prekeys whose end has certainly passed.
    ///
    /// - Returns: secrets to delete once this index is on disk.
    mutating func destroyDue(policy: RotationPolicy, at clock: RingClock) -> [PrekeyID] {
        correctTimes(by: clock)
        return destroy { policy.end(of: $0) < clock.certain }
    }

    mutating func destroy(where isToDestroy: (RingPrekey) -> Bool) -> [PrekeyID] {
        let destroyed = prekeys.filter(isToDestroy)
        if destroyed.contains(where: { $0.supersession == nil }) { bundle = [] }
        for prekey in destroyed { keepEpochs(of: prekey) }
        prekeys.removeAll(where: isToDestroy)
        destroyedIDs = (destroyedIDs + destroyed.map(\.id)).suffix(Self.destroyedCountMax)
        return destroyed.map(\.id)
    }

    /// Removes the oldest superseded prekeys of a full ring: the only early destruction.
    mutating func makeRoom(for count: Int) -> [PrekeyID] {
        var destroyed: [PrekeyID] = []
        while !hasRoom(for: count), let oldest = prekeys.first(where: { $0.supersession != nil }) {
            destroyed += destroy { $0.id == oldest.id }
        }
        return destroyed
    }

    /// Puts confirmed time in place of missing times and those of a clock that ran ahead, which could keep a key for
    /// years.
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

    /// Keeps the epochs that a sender may have pinned: the prekey's first one and the next bundle's. Epochs of a clock
    /// that ran ahead replace each other, not those before the jump.
    private mutating func keepEpochs(of prekey: RingPrekey) {
        let next = prekey.supersession?.epoch ?? epoch
        // After `restartEpochs`, the next epoch is below a not-before of the clock that ran ahead.
        for epoch in [prekey.notBefore.milliseconds, next] where epoch <= next && epoch > destroyedEpochs.last ?? 0 {
            let last = Timestamp(milliseconds: destroyedEpochs.last ?? 0)
            if epoch <= last.advanced(by: KeyBundle.clockSkewMax).milliseconds { _ = destroyedEpochs.popLast() }
            destroyedEpochs = (destroyedEpochs + [epoch]).suffix(Self.destroyedEpochCountMax)
        }
    }

    /// Resets epochs of a clock that ran ahead. No sender pinned one: each refuses bundles ahead of its own clock.
    private mutating func restartEpochs(at now: Timestamp) {
        let limit = now.advanced(by: KeyBundle.clockSkewMax).milliseconds
        destroyedEpochs.removeAll { $0 > limit }
        // A prekey's first bundle has the epoch of its not-before, or a later one.
        let offers = prekeys.map(\.notBefore.milliseconds) + destroyedEpochs
        let made = [acknowledgedEpoch] + offers + prekeys.compactMap { $0.supersession?.epoch }
        epoch = min(epoch, made.filter { $0 <= limit }.max() ?? 0)
        acknowledgedEpoch = min(acknowledgedEpoch, epoch)
        for index in prekeys.indices where prekeys[index].supersession?.epoch ?? 0 > limit {
            prekeys[index].supersession?.epoch = max(epoch + 1, now.milliseconds)
        }
    }
}
