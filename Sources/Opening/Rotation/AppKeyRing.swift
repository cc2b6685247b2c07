package import Envelope
package import Keys
package import Primitives

/// The app's side of the key ring: makes the identity, rotates prekeys, hands out signed bundles, destroys what is over.
///
/// Logic is `RingIndex` and `RotationPolicy`; this performs it on the stores, in an order that a process may leave at
/// any point: new secrets, then the index, then what the index no longer names. So whatever an index offers is on disk,
/// and what no index names is removed at the next start.
package struct AppKeyRing: Sendable {
    private let stores: KeyStores
    private let topic: BundleID
    private let policy: RotationPolicy

    /// What senders pin.
    package let identity: IdentityKey

    /// Whether this is the ring of last time. Everything else is an event to act on: publish the bundle, and after
    /// `.newIdentity` have every sender pin anew. Reported at every opening until the relay has acknowledged the bundle.
    package let start: Start

    package enum Start: Equatable, Sendable {
        case continued
        /// First launch, or the identity was erased.
        case newIdentity
        /// New prekeys, the old ones are destroyed; what was sealed to them cannot be opened.
        case remade(Cause)

        package enum Cause: Equatable, Sendable {
            /// The shared container did not survive a restore.
            case ringMissing
            case ringDamaged
            /// Prekeys of another identity, which senders no longer reach through this one.
            case otherIdentity
            /// Without the replay store, old messages could be shown again.
            case replayStoreLost
            /// A bundle's secret was not on disk.
            case keyLost
        }
    }

    private init(_ index: RingIndex, stores: KeyStores, policy: RotationPolicy) {
        self.stores = stores
        self.policy = policy
        topic = index.topic
        identity = index.identity
        start =
            switch index.origin {
            case .continued: .continued
            case .newIdentity: .newIdentity
            case .ringMissing: .remade(.ringMissing)
            case .ringDamaged: .remade(.ringDamaged)
            case .otherIdentity: .remade(.otherIdentity)
            case .replayStoreLost: .remade(.replayStoreLost)
            case .keyLost: .remade(.keyLost)
            }
    }

    /// The device has no identity, and gets one. An explicit call, because every sender must pin it.
    ///
    /// - Parameters:
    ///   - stores: where to put it.
    ///   - topic: the app's bundle id.
    ///   - policy: the app's constants.
    ///   - replayStore: which replay store will remember the messages.
    ///   - clock: the time.
    ///   - random: the source of the keys.
    /// - Returns: the ring, with a bundle to publish.
    /// - Throws: `.identityExists`, `.store`, `.lock`, `.randomSourceStuck`.
    package static func create(
        stores: KeyStores,
        topic: BundleID,
        policy: RotationPolicy,
        replayStore: StoreID,
        at clock: RingClock,
        random: inout some RandomSource
    ) throws(KeyRingError) -> AppKeyRing {
        try RingLock.held(path: stores.lockPath) { () throws(KeyRingError) in
            let writer = RingWriter(stores: stores)
            guard try !writer.hasIdentity() else { throw .identityExists }
            let identityKey = Ed25519PrivateKey(random: &random, storage: .guarded)
            var index = RingIndex(
                topic: topic,
                identity: IdentityKey(identityKey.publicKey),
                replayStore: replayStore,
                origin: .newIdentity
            )
            try writer.rotate(&index, policy: policy, at: clock, signedBy: identityKey, random: &random)
            // Last, so that a ring whose making was cut short is made again: nobody has seen its identity.
            try writer.write(identityKey)
            try writer.sweep(keeping: index)
            return AppKeyRing(index, stores: stores, policy: policy)
        }
    }

    /// The ring of last time, put right where something of it was lost.
    ///
    /// - Parameters:
    ///   - stores: where it is.
    ///   - topic: the app's bundle id.
    ///   - policy: the app's constants.
    ///   - replayStore: which replay store there is now.
    ///   - clock: the time.
    ///   - random: the source of new keys, where some must be made.
    /// - Returns: the ring; `start` says what happened to it.
    /// - Throws: `.noIdentity`, `.identityDamaged`, `.otherTopic`, `.store` (with `.locked` before the first unlock),
    ///   `.lock`, `.randomSourceStuck`.
    package static func open(
        stores: KeyStores,
        topic: BundleID,
        policy: RotationPolicy,
        replayStore: StoreID,
        at clock: RingClock,
        random: inout some RandomSource
    ) throws(KeyRingError) -> AppKeyRing {
        try RingLock.held(path: stores.lockPath) { () throws(KeyRingError) in
            let writer = RingWriter(stores: stores)
            let identityKey = try writer.readIdentity()
            let (found, cause) = try writer.readIndex(for: IdentityKey(identityKey.publicKey), topic: topic)
            var index =
                found
                ?? RingIndex(
                    topic: topic,
                    identity: IdentityKey(identityKey.publicKey),
                    replayStore: replayStore,
                    origin: .continued
                )
            let problem = if let cause { cause } else { try writer.repair(&index, replayStore: replayStore) }
            if let problem {
                // An event that nobody has acted on yet is not replaced by a smaller one.
                if index.origin != .newIdentity { index.origin = problem }
                try writer.rotate(&index, policy: policy, at: clock, signedBy: identityKey, random: &random)
            } else if index != found {
                try writer.commit(index)
            }
            try writer.sweep(keeping: index)
            return AppKeyRing(index, stores: stores, policy: policy)
        }
    }

    /// Removes the identity and everything that belongs to it: the person has left, or wants to begin anew.
    package static func erase(stores: KeyStores) throws(KeyRingError) {
        try RingLock.held(path: stores.lockPath) { () throws(KeyRingError) in
            try RingWriter(stores: stores).erase()
        }
    }
}

// What the app calls while it runs. Each call reads the index that is on disk, under the lock: no two instances, and no
// two processes, undo each other's work.
extension AppKeyRing {
    /// Rotates if a prekey is seven days old, was made by a clock that ran ahead, or if the policy's classes changed. By a
    /// clock that nobody confirmed it does so only while there is room, because a clock that jumps must destroy nothing.
    ///
    /// - Parameters:
    ///   - clock: the time.
    ///   - random: the source of the keys.
    /// - Returns: whether there is a new bundle to publish.
    /// - Throws: `KeyRingError`; `.store(.locked)` where a prekey of the class *unlocked* cannot be written now.
    package func rotateIfDue(at clock: RingClock, random: inout some RandomSource) throws(KeyRingError) -> Rotation {
        try change { index, writer throws(KeyRingError) in
            let hasRoom = clock.confirmed != nil || index.hasRoom(for: policy.classes.count)
            guard hasRoom, index.isRotationDue(policy: policy, at: clock) else {
                return hasRoom && !clock.isUnconfirmedForLong
                    ? .notDue : .clockUnconfirmed(since: clock.known.lastConfirmed)
            }
            try rotate(&index, writer, at: clock, random: &random)
            return .rotated
        }
    }

    /// Rotates now: the device token changed, and one prekey id under both tokens would join them (rule 33).
    package func rotate(at clock: RingClock, random: inout some RandomSource) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            try rotate(&index, writer, at: clock, random: &random)
        }
    }

    /// The bundle for senders: always the same bytes until the next rotation.
    ///
    /// - Parameter clock: the time.
    /// - Returns: the signed bytes and their epoch, for `acknowledged`.
    /// - Throws: `KeyRingError`; `.rotationDue` where a prekey of it was destroyed, or senders would refuse it.
    package func bundle(at clock: RingClock) throws(KeyRingError) -> (bytes: [UInt8], epoch: UInt64) {
        let index = try currentIndex(RingWriter(stores: stores))
        guard !index.bundle.isEmpty, !index.isAhead(of: clock) else { throw .rotationDue }
        return (index.bundle, index.epoch)
    }

    /// Whether the relay still lacks the newest bundle.
    package func needsPublication() throws(KeyRingError) -> Bool {
        try !currentIndex(RingWriter(stores: stores)).isPublished
    }

    /// The relay has the bundle of this epoch: the end of the prekeys before it is counted from now.
    ///
    /// - Parameters:
    ///   - epoch: of a bundle that `bundle()` gave.
    ///   - clock: the time.
    /// - Throws: `KeyRingError`.
    package func acknowledged(epoch: UInt64, at clock: RingClock) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            guard epoch <= index.epoch else { throw KeyRingError.unknownEpoch }
            if index.acknowledge(epoch: epoch, at: clock) { try writer.commit(index) }
        }
    }

    /// Time was confirmed: what happened without it counts from now.
    ///
    /// - Parameter clock: the time.
    /// - Throws: `KeyRingError`.
    package func settle(at clock: RingClock) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            let before = index
            index.correctTimes(by: clock)
            if index != before { try writer.commit(index) }
        }
    }

    /// Destroys the prekeys whose messages can no longer be shown, by what is certain of the time.
    ///
    /// - Parameter clock: the time.
    /// - Returns: their ids: what is spooled for them is to be dropped.
    /// - Throws: `KeyRingError`; the secrets that were not deleted are at the next opening.
    @discardableResult
    package func destroyDue(at clock: RingClock) throws(KeyRingError) -> [PrekeyID] {
        try change { index, writer throws(KeyRingError) in
            let before = index
            let destroyed = index.destroyDue(policy: policy, at: clock)
            guard index != before else { return [] }
            try writer.commit(index)
            for id in destroyed { try writer.delete(id) }
            return destroyed
        }
    }

    /// The replay window that the ring was opened with has a higher generation now, on disk: the ring's copy follows.
    ///
    /// - Parameter replayStore: what the window says; one that does not continue the copy changes nothing.
    /// - Throws: `KeyRingError`.
    package func follow(_ replayStore: StoreID) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            guard replayStore.continues(index.replayStore), replayStore != index.replayStore else { return }
            index.replayStore = replayStore
            try writer.commit(index)
        }
    }

    private func rotate(
        _ index: inout RingIndex,
        _ writer: RingWriter,
        at clock: RingClock,
        random: inout some RandomSource
    ) throws(KeyRingError) {
        let identityKey = try writer.readIdentity()
        guard IdentityKey(identityKey.publicKey) == index.identity else { throw .identityDamaged }
        try writer.rotate(&index, policy: policy, at: clock, signedBy: identityKey, random: &random)
    }

    private func change<Result>(
        _ body: (inout RingIndex, RingWriter) throws(KeyRingError) -> Result
    ) throws(KeyRingError) -> Result {
        try RingLock.held(path: stores.lockPath) { () throws(KeyRingError) in
            let writer = RingWriter(stores: stores)
            var index = try currentIndex(writer)
            return try body(&index, writer)
        }
    }

    private func currentIndex(_ writer: RingWriter) throws(KeyRingError) -> RingIndex {
        let index = try writer.index()
        // Erased and created anew through another instance: this one speaks for an identity that is gone.
        guard index.identity == identity, index.topic == topic else { throw .noIdentity }
        return index
    }
}
