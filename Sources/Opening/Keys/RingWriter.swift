import Envelope
import Keys
import Primitives

/// Change's steps on disk, under the `RingLock`.
struct RingWriter {
    private static let drawCountMax = 16

    private let identityStore: any SecretStore
    private let shared: any SecretStore

    init(stores: KeyStores) { self.init(identity: stores.identity, shared: stores.shared) }

    init(identity: any SecretStore, shared: any SecretStore) {
        identityStore = identity
        self.shared = shared
    }

    // MARK: The identity's record: seed 32 ‖ public key 32, so that a flipped bit is no new identity.

    func hasIdentity() throws(KeyRingError) -> Bool {
        do throws(SecretStoreError) {
            _ = try identityStore.read(.identity)
            return true
        } catch {
            switch error {
            case .notFound: return false
            case .damaged: return true
            case .locked, .system: throw .store(error)
            }
        }
    }

    func readIdentity() throws(KeyRingError) -> Ed25519PrivateKey {
        let record: SecretBytes
        do throws(SecretStoreError) {
            record = try identityStore.read(.identity)
        } catch {
            switch error {
            case .notFound: throw .noIdentity
            case .damaged: throw .identityDamaged
            case .locked, .system: throw .store(error)
            }
        }
        let seedByteCount = Ed25519PrivateKey.seedByteCount
        guard record.byteCount == seedByteCount + Ed25519PublicKey.byteCount else { throw .identityDamaged }
        let seed = record.withBytes { SecretBytes(copying: $0.extracting(first: seedByteCount)) }
        let publicKey = record.withBytes { [UInt8](copying: $0.extracting(droppingFirst: seedByteCount)) }
        do {
            let key = try Ed25519PrivateKey(seed: seed, storage: .guarded)
            guard key.publicKey.rawRepresentation == publicKey else { throw KeyRingError.identityDamaged }
            return key
        } catch {
            throw .identityDamaged
        }
    }

    func write(_ identityKey: borrowing Ed25519PrivateKey) throws(KeyRingError) {
        let publicKey = identityKey.publicKey.rawRepresentation
        let seedByteCount = Ed25519PrivateKey.seedByteCount
        let record = SecretBytes(byteCount: seedByteCount + publicKey.count) { record in
            identityKey.withSeed { seed in
                for offset in 0..<seedByteCount {
                    record.storeBytes(of: seed.byte(at: offset), toByteOffset: offset, as: UInt8.self)
                }
            }
            for (offset, byte) in publicKey.enumerated() {
                record.storeBytes(of: byte, toByteOffset: seedByteCount + offset, as: UInt8.self)
            }
        }
        // Not *unlocked*: the app rotates in the background too.
        try write(record, to: .identity, in: identityStore, protection: .afterFirstUnlock)
    }

    // MARK: The index

    func index() throws(KeyRingError) -> RingIndex {
        do throws(SecretStoreError) { return try RingIndex(from: shared) } catch { throw .store(error) }
    }

    /// Index, or nil and the reason.
    func readIndex(
        for identity: IdentityKey,
        topic: BundleID
    ) throws(KeyRingError) -> (index: RingIndex?, problem: RingIndex.Origin?) {
        let index: RingIndex
        do throws(SecretStoreError) {
            index = try RingIndex(from: shared)
        } catch {
            switch error {
            case .notFound: return (nil, .ringMissing)
            case .damaged: return (nil, .ringDamaged)
            case .locked, .system: throw .store(error)
            }
        }
        guard index.topic == topic else { throw .otherTopic }
        return index.identity == identity ? (index, nil) : (nil, .otherIdentity)
    }

    func commit(_ index: RingIndex) throws(KeyRingError) {
        let record = index.record
        let bytes = SecretBytes(byteCount: record.count) { span in
            for (offset, byte) in record.enumerated() {
                span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        try write(bytes, to: .ring, in: shared, protection: .afterFirstUnlock)
    }

    // MARK: Prekeys

    /// Writes secrets first, then the index that names them.
    func rotate(
        _ index: inout RingIndex,
        policy: RotationPolicy,
        at clock: RingClock,
        signedBy identityKey: borrowing Ed25519PrivateKey,
        random: inout some RandomSource
    ) throws(KeyRingError) {
        let destroyed = index.makeRoom(for: policy.classes.count)
        var new: [PublicPrekey] = []
        // *Unlocked* first: a locked device fails here and leaves no other prekey behind.
        for protectionClass in policy.classes.reversed() {
            let prekey = try draw(protectionClass, for: index, beside: new, random: &random)
            try write(prekey, identity: index.identity)
            new.insert(prekey.publicPrekey, at: 0)
        }
        index.rotate(to: new, at: clock, signedBy: identityKey)
        try commit(index)
        for id in destroyed { try delete(id) }
    }

    /// A key whose id no other prekey has or had (protocol v1, rule 6).
    private func draw(
        _ protectionClass: ProtectionClass,
        for index: RingIndex,
        beside new: [PublicPrekey],
        random: inout some RandomSource
    ) throws(KeyRingError) -> PrivatePrekey {
        for _ in 0..<Self.drawCountMax {
            let prekey = PrivatePrekey(
                key: X25519PrivateKey(random: &random, storage: .guarded),
                suite: .x25519,
                protectionClass: protectionClass,
                identity: index.identity
            )
            if index.canAdd(new + [prekey.publicPrekey]) { return prekey }
        }
        throw .randomSourceStuck
    }

    func write(_ prekey: PrivatePrekey, identity: IdentityKey) throws(KeyRingError) {
        let name = RecordName.prekey(prekey.publicPrekey.localID(identity: identity))
        do throws(SecretStoreError) {
            try prekey.key.withRawRepresentation { secret throws(SecretStoreError) in
                try shared.write(secret, to: name, protection: prekey.publicPrekey.protectionClass)
            }
        } catch {
            throw .store(error)
        }
    }

    /// Removes lost prekeys from the index, without writing it, and returns the reason for new prekeys.
    func repair(_ index: inout RingIndex, replayStore: StoreID) throws(KeyRingError) -> RingIndex.Origin? {
        guard replayStore.continues(index.replayStore) else {
            _ = index.destroy { _ in true }
            index.replayStore = replayStore
            return .replayStoreLost
        }
        index.replayStore = replayStore
        var lost: Set<PrekeyID> = []
        for prekey in index.prekeys where try isLost(prekey, index.identity) { lost.insert(prekey.id) }
        let isCurrentLost = index.current.contains { lost.contains($0.id) }
        _ = index.destroy { lost.contains($0.id) }
        return isCurrentLost ? .keyLost : nil
    }

    private func isLost(_ prekey: RingPrekey, _ identity: IdentityKey) throws(KeyRingError) -> Bool {
        do throws(SecretStoreError) {
            _ = try PrivatePrekey(prekey, identity: identity, from: shared)
            return false
        } catch {
            switch error {
            case .notFound, .damaged: return true
            // Present, and readable later.
            case .locked: return false
            case .system: throw .store(error)
            }
        }
    }

    func delete(_ id: PrekeyID) throws(KeyRingError) {
        do throws(SecretStoreError) { try shared.delete(.prekey(id)) } catch { throw .store(error) }
    }

    /// Removes secrets that the index on disk does not name.
    func sweep(keeping index: RingIndex) throws(KeyRingError) {
        do throws(SecretStoreError) {
            for name in try shared.names() {
                guard let id = name.prekeyID, index.prekey(id) == nil else { continue }
                try shared.delete(name)
            }
            try shared.removeRemains()
            try identityStore.removeRemains()
        } catch {
            throw .store(error)
        }
    }

    /// Index first: secrets without one are garbage.
    func erase() throws(KeyRingError) {
        do throws(SecretStoreError) {
            try shared.delete(.ring)
            for name in try shared.names() { try shared.delete(name) }
            try shared.removeRemains()
            try identityStore.delete(.identity)
            try identityStore.removeRemains()
        } catch {
            throw .store(error)
        }
    }

    private func write(
        _ record: borrowing SecretBytes,
        to name: RecordName,
        in store: any SecretStore,
        protection: ProtectionClass
    ) throws(KeyRingError) {
        do throws(SecretStoreError) {
            try record.withBytes { bytes throws(SecretStoreError) in
                try store.write(bytes, to: name, protection: protection)
            }
        } catch {
            throw .store(error)
        }
    }
}
