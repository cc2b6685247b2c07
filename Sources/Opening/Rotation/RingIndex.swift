import Envelope
import Keys
import Primitives

/// The one public record of a key ring: which prekeys there are, since when, and the signed bundle that offers the
/// current ones. Replacing it is the commit point of every change, so whatever it names is on disk.
struct RingIndex: Equatable, Sendable {
    /// Far more than are ever kept at once: 32 rotations of two classes within two weeks.
    static let prekeyCountMax = 64
    /// Of destroyed prekeys, so that a late message is known to be late.
    static let destroyedCountMax = 64
    /// Jumps of the clock whose epochs are kept beyond their prekeys.
    static let destroyedEpochCountMax = 8

    /// Why this ring began. Kept until the relay acknowledged a bundle of it, so that the app hears of it even if it was
    /// ended right after the change.
    enum Origin: UInt8, Sendable {
        case continued, newIdentity, ringMissing, ringDamaged, otherIdentity, replayStoreLost, keyLost
    }

    /// Of a tester's keys, which have no life cycle.
    static let noReplayStore = StoreID(id: [UInt8](repeating: 0, count: StoreID.idByteCount), generation: 0)

    let topic: BundleID
    let identity: IdentityKey
    var replayStore: StoreID
    var origin: Origin
    /// Of `bundle`. Never decreases, and grows with every bundle.
    private(set) var epoch: UInt64
    /// The highest that the relay has; 0 for none.
    private(set) var acknowledgedEpoch: UInt64
    /// Superseded and current ones, in the order of their making.
    private(set) var prekeys: [RingPrekey]
    /// Oldest first.
    private(set) var destroyedIDs: [PrekeyID]
    /// Epochs that went with their prekeys: the last one before each jump of more than five minutes. Oldest first.
    private(set) var destroyedEpochs: [UInt64]
    /// Signed when it was made and never again: two signatures of one epoch may differ (CryptoKit's are randomised), and
    /// senders refuse that as equivocation. Empty when a prekey of it was destroyed.
    private(set) var bundle: [UInt8]

    var isPublished: Bool { acknowledgedEpoch == epoch }
    var current: [RingPrekey] { prekeys.filter { $0.supersession == nil } }

    func prekey(_ id: PrekeyID) -> RingPrekey? { prekeys.first { $0.id == id } }

    /// A ring without prekeys: the first rotation fills it.
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

    /// A ring that was read; `RingIndex(record:)` has checked it.
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

// The life of the prekeys, without I/O: each call is one event, and the caller performs what is returned.
extension RingIndex {
    /// Whether a prekey is old enough, was made by a clock that ran ahead, or is not what the policy asks for.
    func isRotationDue(policy: RotationPolicy, at clock: RingClock) -> Bool {
        guard !bundle.isEmpty, current.map(\.prekey.protectionClass) == policy.classes else { return true }
        return isAhead(of: clock)
            || current.contains { clock.stamp >= $0.notBefore.advanced(by: RotationPolicy.rotationAge) }
    }

    /// Whether senders refuse the bundle as not yet valid: a clock made it that ran ahead. Known once time is confirmed.
    func isAhead(of clock: RingClock) -> Bool {
        guard let limit = clock.confirmed?.advanced(by: KeyBundle.clockSkewMax) else { return false }
        return epoch > limit.milliseconds || current.contains { $0.notBefore > limit }
    }

    /// Whether these may be new prekeys: an id must never lead to two keys (protocol v1, rule 6).
    func canAdd(_ new: [PublicPrekey]) -> Bool {
        let ids = new.map { $0.localID(identity: identity) }
        let taken = Set(prekeys.map(\.id) + destroyedIDs)
        return Set(ids).count == ids.count && taken.isDisjoint(with: ids)
    }

    func hasRoom(for count: Int) -> Bool { prekeys.count + count <= Self.prekeyCountMax }

    /// New prekeys take the place of the current ones, which stay in the ring to open what is under way.
    ///
    /// - Parameters:
    ///   - new: in a bundle's order, such that `canAdd` and `hasRoom`.
    ///   - clock: the time.
    ///   - identityKey: the private half of `identity`.
    mutating func rotate(
        to new: [PublicPrekey],
        at clock: RingClock,
        signedBy identityKey: borrowing Ed25519PrivateKey
    ) {
        precondition(canAdd(new) && hasRoom(for: new.count))
        if isAhead(of: clock) { restartEpochs(at: clock.stamp) }
        let now = clock.stamp
        // Growing with the clock, it grows even when the last one was lost with an uninstalled app.
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

    /// The relay has the bundle of this epoch.
    ///
    /// - Parameters:
    ///   - acknowledged: one that was made; the relay is a stranger and could claim one that was not.
    ///   - clock: the time.
    /// - Returns: whether there was anything to note.
    mutating func acknowledge(epoch acknowledged: UInt64, at clock: RingClock) -> Bool {
        guard acknowledged <= epoch, acknowledged > acknowledgedEpoch else { return false }
        acknowledgedEpoch = acknowledged
        if isPublished { origin = .continued }
        correctTimes(by: clock)
        return true
    }

    /// Removes every prekey whose end has passed for certain.
    ///
    /// - Returns: whose secrets to delete, once this index is on disk.
    mutating func destroyDue(policy: RotationPolicy, at clock: RingClock) -> [PrekeyID] {
        correctTimes(by: clock)
        return destroy { policy.end(of: $0) < clock.certain }
    }

    /// - Returns: whose secrets to delete, once this index is on disk.
    mutating func destroy(where isToDestroy: (RingPrekey) -> Bool) -> [PrekeyID] {
        let destroyed = prekeys.filter(isToDestroy)
        if destroyed.contains(where: { $0.supersession == nil }) { bundle = [] }
        for prekey in destroyed { keepEpochs(of: prekey) }
        prekeys.removeAll(where: isToDestroy)
        destroyedIDs = (destroyedIDs + destroyed.map(\.id)).suffix(Self.destroyedCountMax)
        return destroyed.map(\.id)
    }

    /// The one case in which a prekey goes before its time: the oldest superseded ones, where the ring is full.
    ///
    /// - Returns: whose secrets to delete, once this index is on disk.
    mutating func makeRoom(for count: Int) -> [PrekeyID] {
        var destroyed: [PrekeyID] = []
        while !hasRoom(for: count), let oldest = prekeys.first(where: { $0.supersession != nil }) {
            destroyed += destroy { $0.id == oldest.id }
        }
        return destroyed
    }

    /// Confirmed time takes the place of what a clock wrote that ran ahead, which would keep a key for years, and of what
    /// nobody could write.
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

    /// Keeps what a sender may have pinned of a prekey that goes: its first epoch, and that of the bundle after it. Those of
    /// a clock that ran ahead take the place of each other, not of those before the jump.
    private mutating func keepEpochs(of prekey: RingPrekey) {
        let next = prekey.supersession?.epoch ?? epoch
        // Once epochs were restarted, the next one is below a not-before of the clock that ran ahead.
        for epoch in [prekey.notBefore.milliseconds, next] where epoch <= next && epoch > destroyedEpochs.last ?? 0 {
            let last = Timestamp(milliseconds: destroyedEpochs.last ?? 0)
            if epoch <= last.advanced(by: KeyBundle.clockSkewMax).milliseconds { _ = destroyedEpochs.popLast() }
            destroyedEpochs = (destroyedEpochs + [epoch]).suffix(Self.destroyedEpochCountMax)
        }
    }

    /// Epochs of a clock that ran ahead: no sender has pinned one, since each refuses what is ahead of its own clock. So
    /// they go back to where they were before it.
    private mutating func restartEpochs(at now: Timestamp) {
        let limit = now.advanced(by: KeyBundle.clockSkewMax).milliseconds
        destroyedEpochs.removeAll { $0 > limit }
        // The bundle that first offered a prekey has the epoch of its not-before, or a later one.
        let offers = prekeys.map(\.notBefore.milliseconds) + destroyedEpochs
        let made = [acknowledgedEpoch] + offers + prekeys.compactMap { $0.supersession?.epoch }
        epoch = min(epoch, made.filter { $0 <= limit }.max() ?? 0)
        acknowledgedEpoch = min(acknowledgedEpoch, epoch)
        for index in prekeys.indices where prekeys[index].supersession?.epoch ?? 0 > limit {
            prekeys[index].supersession?.epoch = max(epoch + 1, now.milliseconds)
        }
    }
}
