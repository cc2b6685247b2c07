package import Envelope
package import Keys
package import Primitives

/// Makes the identity, rotates prekeys, signs bundles, destroys expired prekeys.
///
/// The order of writing survives a crash at any point: new secrets, the index, then removals. Unnamed secrets are
/// removed at the next start.
package struct AppKeyRing: Sendable {
    private let stores: KeyStores
    private let topic: BundleID
    private let policy: RotationPolicy

    package let identity: IdentityKey

    /// Ring's history. All but `.continued` need the bundle published; after `.newIdentity` every sender must pin
    /// anew. Kept until the relay acknowledges the bundle.
    package let start: Start

    package enum Start: Equatable, Sendable {
        case continued
        /// First launch, or the identity was erased.
        case newIdentity
        /// The old prekeys are destroyed; messages sealed to them cannot be opened.
        case remade(Cause)

        package enum Cause: Equatable, Sendable {
            /// Shared container lost in a restore.
            case ringMissing
            case ringDamaged
            /// Senders no longer seal to that identity.
            case otherIdentity
            /// Without the replay store, old messages could be shown again.
            case replayStoreLost
            /// Missing secret of a current prekey.
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

    /// Creates identity and bundle. An explicit call, because every sender must pin it.
    ///
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
            // Last, so that an interrupted creation is repeated.
            try writer.write(identityKey)
            try writer.sweep(keeping: index)
            return AppKeyRing(index, stores: stores, policy: policy)
        }
    }

    /// Opens the existing ring and repairs losses, which `start` reports.
    ///
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
                // `.newIdentity` stays until acknowledged: it demands more of the app.
                if index.origin != .newIdentity { index.origin = problem }
                try writer.rotate(&index, policy: policy, at: clock, signedBy: identityKey, random: &random)
            } else if index != found {
                try writer.commit(index)
            }
            try writer.sweep(keeping: index)
            return AppKeyRing(index, stores: stores, policy: policy)
        }
    }

    /// Removes the identity and the whole ring.
    package static func erase(stores: KeyStores) throws(KeyRingError) {
        try RingLock.held(path: stores.lockPath) { () throws(KeyRingError) in
            try RingWriter(stores: stores).erase()
        }
    }
}

// Calls for the running app. Each reads the index on disk, and changes it under the lock: none undoes another's work.
extension AppKeyRing {
    /// Rotates if a prekey is seven days old or from a clock that ran ahead, or if the policy's classes changed. Under
    /// an unconfirmed clock it needs room, since a clock that jumps must destroy nothing.
    ///
    /// - Throws: `KeyRingError`; `.store(.locked)` if a prekey of the class *unlocked* cannot be written now.
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

    /// Rotates for a new device token: one prekey id under both would link them (rule 33).
    package func rotate(at clock: RingClock, random: inout some RandomSource) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            try rotate(&index, writer, at: clock, random: &random)
        }
    }

    /// Signed bytes for senders, the same until the next rotation, and their epoch.
    ///
    /// - Throws: `KeyRingError`; `.rotationDue` if a prekey of it was destroyed, or senders would refuse it.
    package func bundle(at clock: RingClock) throws(KeyRingError) -> (bytes: [UInt8], epoch: UInt64) {
        let index = try currentIndex(RingWriter(stores: stores))
        guard !index.bundle.isEmpty, !index.isAhead(of: clock) else { throw .rotationDue }
        return (index.bundle, index.epoch)
    }

    package func needsPublication() throws(KeyRingError) -> Bool {
        try !currentIndex(RingWriter(stores: stores)).isPublished
    }

    /// Notes that the relay has this epoch's bundle. Older prekeys' end is counted from now.
    package func acknowledged(epoch: UInt64, at clock: RingClock) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            guard epoch <= index.epoch else { throw KeyRingError.unknownEpoch }
            if index.acknowledge(epoch: epoch, at: clock) { try writer.commit(index) }
        }
    }

    package func settle(at clock: RingClock) throws(KeyRingError) {
        try change { index, writer throws(KeyRingError) in
            let before = index
            index.correctTimes(by: clock)
            if index != before { try writer.commit(index) }
        }
    }

    /// Destroys prekeys whose messages can no longer be shown, and returns their ids. Drop envelopes spooled for them.
    ///
    /// - Throws: `KeyRingError`; secrets left over are removed at the next opening.
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

    /// Copies a higher generation of the same replay window.
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
        // Another instance erased the ring and created a new one.
        guard index.identity == identity, index.topic == topic else { throw .noIdentity }
        return index
    }
}
