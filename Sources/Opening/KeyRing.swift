package import Envelope
package import Keys
private import Platform
import Primitives

/// The extension's read-only view of a device's keys. Its reader has no write access, and the shared store lacks the
/// identity's private half. So the extension can neither sign a bundle nor rotate.
package final class KeyRing: Sendable {
    package let topic: BundleID
    package let identity: IdentityKey
    /// The replay store that must remember this ring's messages; nil for keys without a life cycle.
    package let replayStore: StoreID?

    private let source: Source

    private enum Source: Sendable {
        case held([PrivatePrekey], lockedIDs: [PrekeyID], destroyedIDs: [PrekeyID])
        case stored(any SecretReader, RingIndex)
    }

    /// The result of a prekey lookup. At most one key is tried, so a ciphertext made to open under two keys gains
    /// nothing.
    enum PrekeyLookup: Sendable {
        case found(PrivatePrekey)
        /// Present, but unreadable until the device is unlocked.
        case locked
        /// Destroyed: the message is too late.
        case stale
        case unknown
        /// Present, but unreadable for another reason.
        case unavailable
    }

    /// Holds keys in memory, without a life cycle: those of a tester's key file or a test vector. Test vectors also
    /// have locked and destroyed keys.
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

    /// Opens the ring in the store that the app shares with its extension. Secrets are read on demand.
    ///
    /// - Throws: `.notFound` before the app has made keys, `.locked` before the first unlock, `.damaged`, `.system`.
    package init(store: any SecretReader) throws(SecretStoreError) {
        let index = try RingIndex(from: store)
        topic = index.topic
        identity = index.identity
        replayStore = index.replayStore == RingIndex.noReplayStore ? nil : index.replayStore
        source = .stored(store, index)
    }

    /// True once the relay has acknowledged the newest bundle. Keys held in memory have no bundle to publish.
    package var isPublished: Bool {
        switch source {
        case .held: true
        case .stored(_, let index): index.isPublished
        }
    }

    /// The prekeys held in memory; empty for a ring in a store.
    var prekeys: [PrivatePrekey] {
        switch source {
        case .held(let prekeys, _, _): prekeys
        case .stored: []
        }
    }

    /// Finds the prekey of an envelope's header, also among superseded ones. An id of other than 8 bytes is unknown.
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

    /// Reads the index again, since the app may have rotated. Its order of writing makes the newest index right.
    private func lookupAgain(_ id: PrekeyID, _ store: any SecretReader) -> PrekeyLookup {
        let index: RingIndex
        do {
            index = try RingIndex(from: store)
        } catch {
            return error == .locked ? .locked : .unavailable
        }
        // A new ring of another identity: messages cannot be bound to the old one any more.
        guard index.identity == identity, index.topic == topic else { return .unavailable }
        if let lookup = Self.lookup(id, in: index, store) { return lookup }
        return index.prekey(id) == nil ? .unknown : .unavailable
    }

    /// - Returns: nil if the index does not know the prekey, or its secret is missing.
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
    /// Reads the index from a store.
    init(from store: any SecretReader) throws(SecretStoreError) {
        let record = try store.read(.ring)
        guard record.byteCount <= Self.recordByteCountMax,
            let index = Self.index(record: record.withBytes { [UInt8](copying: $0) })
        else { throw .damaged }
        self = index
    }

    /// The last record and its index. A process that receives many pushes mostly reads the same bytes again.
    private static let newest = Guarded<(record: [UInt8], index: RingIndex)?>(nil)

    private static func index(record: [UInt8]) -> RingIndex? {
        if let newest = newest.withLock({ $0 }), newest.record == record { return newest.index }
        guard let index = RingIndex(record: record) else { return nil }
        newest.withLock { $0 = (record, index) }
        return index
    }
}

extension PrivatePrekey {
    /// Reads the secret of a prekey in the index.
    ///
    /// - Throws: `.damaged` if it does not match the public key in the index; otherwise `SecretStoreError`.
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
