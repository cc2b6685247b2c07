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
        bundle = []
    }

    /// A ring that was read; `RingIndex(record:)` has checked it.
    init(
        empty: RingIndex,
        epoch: UInt64,
        acknowledgedEpoch: UInt64,
        prekeys: [RingPrekey],
        destroyedIDs: [PrekeyID],
        bundle: [UInt8]
    ) {
        self = empty
        self.epoch = epoch
        self.acknowledgedEpoch = acknowledgedEpoch
        self.prekeys = prekeys
        self.destroyedIDs = destroyedIDs
        self.bundle = bundle
    }
}

// The life of the prekeys, without I/O: each call is one event, and the caller performs what is returned.
extension RingIndex {
    /// Whether a prekey is old enough, was made by a clock that ran ahead (senders refuse it as not yet valid), or is
    /// not what the policy asks for.
    func isRotationDue(policy: RotationPolicy, at now: Timestamp) -> Bool {
        guard !bundle.isEmpty, current.map(\.prekey.protectionClass) == policy.classes else { return true }
        return current.contains { prekey in
            now >= prekey.notBefore.advanced(by: RotationPolicy.rotationAge)
                || now.advanced(by: KeyBundle.clockSkewMax) < prekey.notBefore
        }
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
    ///   - now: when.
    ///   - identityKey: the private half of `identity`.
    mutating func rotate(
        to new: [PublicPrekey],
        at now: Timestamp,
        signedBy identityKey: borrowing Ed25519PrivateKey
    ) {
        precondition(canAdd(new) && hasRoom(for: new.count))
        // Growing with the clock, it grows even when the last one was lost with an uninstalled app.
        epoch = max(epoch + 1, now.milliseconds)
        for index in prekeys.indices where prekeys[index].supersession == nil {
            prekeys[index].supersession = RingPrekey.Supersession(epoch: epoch, at: now, acknowledgedAt: nil)
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
    ///   - now: when.
    /// - Returns: whether there was anything to note.
    mutating func acknowledge(epoch acknowledged: UInt64, at now: Timestamp) -> Bool {
        guard acknowledged <= epoch, acknowledged > acknowledgedEpoch else { return false }
        acknowledgedEpoch = acknowledged
        if isPublished { origin = .continued }
        for index in prekeys.indices {
            guard let supersession = prekeys[index].supersession, supersession.epoch <= acknowledged,
                supersession.acknowledgedAt == nil
            else { continue }
            prekeys[index].supersession?.acknowledgedAt = now
        }
        return true
    }

    /// Removes every prekey whose end has passed for certain.
    ///
    /// - Returns: whose secrets to delete, once this index is on disk.
    mutating func destroyDue(policy: RotationPolicy, at clock: RingClock) -> [PrekeyID] {
        if clock.isConfirmedOnline { correctTimes(to: clock.now) }
        return destroy { policy.end(of: $0) < clock.certain }
    }

    /// - Returns: whose secrets to delete, once this index is on disk.
    mutating func destroy(where isToDestroy: (RingPrekey) -> Bool) -> [PrekeyID] {
        let destroyed = prekeys.filter(isToDestroy)
        if destroyed.contains(where: { $0.supersession == nil }) { bundle = [] }
        prekeys.removeAll(where: isToDestroy)
        destroyedIDs = (destroyedIDs + destroyed.map(\.id)).suffix(Self.destroyedCountMax)
        return destroyed.map(\.id)
    }

    /// For a ring that must rotate to go on: the oldest superseded prekeys go before their time. A ring that can wait
    /// refuses instead.
    mutating func makeRoom(for count: Int) {
        while !hasRoom(for: count), let oldest = prekeys.first(where: { $0.supersession != nil }) {
            _ = destroy { $0.id == oldest.id }
        }
    }

    /// Times that a clock wrote which ran ahead would keep a key for years: nothing began later than now.
    private mutating func correctTimes(to now: Timestamp) {
        for index in prekeys.indices {
            prekeys[index].notAfter = min(prekeys[index].notAfter, now.advanced(by: KeyBundle.validityMax))
            guard let time = prekeys[index].supersession?.acknowledgedAt else { continue }
            prekeys[index].supersession?.acknowledgedAt = min(time, now)
        }
    }
}
