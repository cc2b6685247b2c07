package import Envelope
package import Keys
private import Platform
import Primitives

/// Extension's read-only view of a device's keys. It cannot write, and the shared store lacks the identity's private
/// half: the extension can neither sign a bundle nor rotate.
package final class KeyRing: Sendable {
    package let topic: BundleID
    package let identity: IdentityKey
    /// Replay store for this ring's messages; nil without a life cycle.
    package let replayStore: StoreID?

    private let source: Source

    private enum Source: Sendable {
        case held([PrivatePrekey], lockedIDs: [PrekeyID], destroyedIDs: [PrekeyID])
        case stored(any SecretReader, RingIndex)
    }

    /// At most one key is tried: a ciphertext that opens under two gains nothing.
    enum PrekeyLookup: Sendable {
        case found(PrivatePrekey)
        /// Unreadable until the device is unlocked.
        case locked
        /// Destroyed.
        case stale
        case unknown
        /// Unreadable for another reason.
        case unavailable
    }

    /// Holds a tester's or a test vector's keys in memory.
    package init(
        topic: BundleID,
        identity: IdentityKey,
        prekeys: [PrivatePrekey],
        lockedIDs: [PrekeyID] = [],
        destroyedIDs: [PrekeyID] = []
    ) {
        self.topic = topic
        self.identity = identity
        replayStore = nil
        source = .held(prekeys, lockedIDs: lockedIDs, destroyedIDs: destroyedIDs)
    }

    /// Opens the ring shared by app and extension. Secrets are read on demand.
    ///
    /// - Throws: `.notFound` before the app has made keys, `.locked` before the first unlock, `.damaged`, `.system`.
    package init(store: any SecretReader) throws(SecretStoreError) {
        let index = try RingIndex(from: store)
        topic = index.topic
        identity = index.identity
        replayStore = index.replayStore == RingIndex.noReplayStore ? nil : index.replayStore
        source = .stored(store, index)
    }

    /// True once the relay has acknowledged the newest bundle, and for keys in memory.
    package var isPublished: Bool {
        switch source {
        case .held: true
        case .stored(_, let index): index.isPublished
        }
    }

    /// True for a prekey of this ring, destroyed ones too; reads no secret.
    package func hasHeld(_ id: PrekeyID) -> Bool {
        switch source {
        case .held(let prekeys, let lockedIDs, let destroyedIDs):
            prekeys.contains { $0.id.elementsEqual(id.bytes) } || lockedIDs.contains(id) || destroyedIDs.contains(id)
        case .stored(_, let index): index.prekey(id) != nil || index.destroyedIDs.contains(id)
        }
    }

    /// Empty for a ring in a store.
    var prekeys: [PrivatePrekey] {
        switch source {
        case .held(let prekeys, _, _): prekeys
        case .stored: []
        }
    }

    /// Finds also a superseded prekey, by an id of 8 bytes.
    func prekey(id: [UInt8]) -> PrekeyLookup {
        guard let id = PrekeyID(id) else { return .unknown }
        switch source {
        case .held(let prekeys, let lockedIDs, let destroyedIDs):
            if let prekey = prekeys.first(where: { $0.id.elementsEqual(id.bytes) }) { return .found(prekey) }
            if lockedIDs.contains(id) { return .locked }
            return destroyedIDs.contains(id) ? .stale : .unknown
        case .stored(let store, let index):
            if let lookup = Self.lookup(id, in: index, store) { return lookup }
            return lookupAgain(id, store)
        }
    }

    /// Reads the index again after a rotation by the app. Its order of writing makes the newest index right.
    private func lookupAgain(_ id: PrekeyID, _ store: any SecretReader) -> PrekeyLookup {
        let index: RingIndex
        do {
            index = try RingIndex(from: store)
        } catch {
            return error == .locked ? .locked : .unavailable
        }
        // Messages are bound to the old ring's identity.
        guard index.identity == identity, index.topic == topic else { return .unavailable }
        if let lookup = Self.lookup(id, in: index, store) { return lookup }
        return index.prekey(id) == nil ? .unknown : .unavailable
    }

    private static func lookup(_ id: PrekeyID, in index: RingIndex, _ store: any SecretReader) -> PrekeyLookup? {
        guard let prekey = index.prekey(id) else { return index.destroyedIDs.contains(id) ? .stale : nil }
        do {
            return .found(try PrivatePrekey(prekey, identity: index.identity, from: store))
        } catch {
            switch error {
            case .notFound: return nil
            case .locked: return .locked
            case .damaged, .system: return .unavailable
            }
        }
    }
}

extension RingIndex {
    init(from store: any SecretReader) throws(SecretStoreError) {
        let record = try store.read(.ring)
        guard record.byteCount <= Self.recordByteCountMax,
            let index = Self.index(record: record.withBytes { [UInt8](copying: $0) })
        else { throw .damaged }
        self = index
    }

    /// Cached: successive pushes mostly read the same bytes.
    private static let newest = Guarded<(record: [UInt8], index: RingIndex)?>(nil)

    private static func index(record: [UInt8]) -> RingIndex? {
        if let newest = newest.withLock({ $0 }), newest.record == record { return newest.index }
        guard let index = RingIndex(record: record) else { return nil }
        newest.withLock { $0 = (record, index) }
        return index
    }
}

extension PrivatePrekey {
    /// - Throws: `.damaged` if the secret does not match the public key in the index; otherwise `SecretStoreError`.
    convenience init(_ prekey: RingPrekey, identity: IdentityKey, from store: any SecretReader) throws(SecretStoreError)
    {
        let key: X25519PrivateKey
        do {
            key = try X25519PrivateKey(rawRepresentation: try store.read(.prekey(prekey.id)))
        } catch let error as SecretStoreError {
            throw error
        } catch {
            throw .damaged
        }
        guard key.publicKey == prekey.prekey.key else { throw .damaged }
        self.init(
            key: key,
            suite: prekey.prekey.suite,
            protectionClass: prekey.prekey.protectionClass,
            identity: identity
        )
    }
}
