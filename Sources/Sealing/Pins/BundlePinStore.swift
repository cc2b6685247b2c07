public import Envelope
public import Keys

/// Where a sender keeps what it remembers of every device's newest bundle. All processes that seal for one sender share
/// one store, or one of them could be served what another has outgrown (protocol v1, rule 16).
///
/// `FileBundlePinStore` is for processes of one machine, `MemoryBundlePinStore` for tests and for senders that live as
/// long as their devices' keys. A sender on several machines implements this over its database: one row a slot, named
/// `slot.name`, holding `BundlePin.encoded(for:)`, read and written in one serializable transaction.
///
/// A store that was put back from a backup knows of no epoch since then, and accepts those once more.
public protocol BundlePinStore: Sendable {
    /// Reads a pin, and writes what `change` makes of it, while nobody else can do either to the same slot.
    ///
    /// - Parameters:
    ///   - slot: whose pin.
    ///   - change: called once with what is stored, nil where nothing is. Must not call the store.
    /// - Throws: `BundlePinStoreError`, also when it is not certain that the change is durable. A slot that cannot be
    ///   read is an error, and never the same as one that is empty.
    func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError)
}

/// What to do with a pin that was read.
public enum BundlePinChange: Equatable, Sendable {
    /// Leave it as it is.
    case keep
    /// Write this one.
    case store(BundlePin)
    /// Forget it.
    case remove
}

extension BundlePinStore {
    /// Forgets the highest cipher suites of a device, so that a bundle with a lower one is accepted again: only after a
    /// person was told that the device's messages will be protected less, and agreed (protocol v1, rule 18). Epoch and
    /// digest stay, so that no older bundle comes back.
    ///
    /// - Returns: whether there was a pin.
    /// - Throws: `BundlePinStoreError`.
    @discardableResult
    public func resetSuites(of identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) -> Bool {
        var isPinned = false
        try update(BundlePinSlot(identity: identity, topic: topic)) { pin in
            guard let pin else { return .keep }
            isPinned = true
            return .store(pin.withoutSuites)
        }
        return isPinned
    }

    /// Forgets a device altogether. Only together with the contact itself: for an identity that is still pinned it would
    /// open the way to any older bundle that has not expired.
    ///
    /// - Throws: `BundlePinStoreError`.
    public func forget(_ identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) {
        try update(BundlePinSlot(identity: identity, topic: topic)) { _ in .remove }
    }

    /// What is remembered of a device; nil for nothing.
    ///
    /// - Throws: `BundlePinStoreError`.
    public func pin(of identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) -> BundlePin? {
        var found: BundlePin?
        try update(BundlePinSlot(identity: identity, topic: topic)) { pin in
            found = pin
            return .keep
        }
        return found
    }
}

/// Why pins could not be read or written. No recipient is made then: an attacker who can fill a disk must not thereby
/// switch the protection off.
public enum BundlePinStoreError: Error, Equatable {
    /// What is stored is no pin of this slot. Look at how that came about before removing it.
    case damaged(place: String)
    /// Others than the owner may write where the pins are.
    case writableByOthers(path: String)
    /// A call of the system failed.
    case system(call: String, path: String, code: Int32)
    /// A store of the app's own failed; what it says of it, without contents.
    case other(String)
}
