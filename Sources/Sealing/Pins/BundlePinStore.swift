public import Envelope
public import Keys

/// A sender's memory of every device's newest bundle.
///
/// All processes that seal for one sender share one store. Otherwise one of them could accept a bundle that another
/// already knows to be old (protocol v1, rule 16).
///
/// `FileBundlePinStore` is for processes of one machine, `MemoryBundlePinStore` for tests and for senders that live as
/// long as their devices' keys. A sender on several machines implements this protocol over its database: one row a
/// slot, named `slot.name`, holding `BundlePin.encoded(for:)`, read and written in one serializable transaction.
///
/// A store restored from a backup lacks later epochs, and accepts those bundles once more.
public protocol BundlePinStore: Sendable {
    /// Reads a pin and applies `change` to it, atomically for that slot.
    ///
    /// - Parameters:
    ///   - slot: the pin's slot.
    ///   - change: called once with the stored pin, or nil. It must not call the store.
    /// - Throws: `BundlePinStoreError`, also when the change may not be durable. A slot that cannot be read is an
    ///   error, never treated as empty.
    func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError)
}

/// A change to a pin that was read.
public enum BundlePinChange: Equatable, Sendable {
    /// Leaves it as it is.
    case keep
    /// Writes this one.
    case store(BundlePin)
    /// Removes it.
    case remove
}

extension BundlePinStore {
    /// Forgets the highest cipher suites of a device, so that a bundle with a lower one is accepted again.
    ///
    /// Call it only after a person agreed to weaker protection (protocol v1, rule 18). Epoch and digest stay, so no
    /// older bundle is accepted.
    ///
    /// - Returns: true if there was a pin.
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

    /// Forgets a device, together with its contact only: for an identity that stays pinned, any older bundle that has
    /// not expired would be accepted again.
    ///
    /// - Throws: `BundlePinStoreError`.
    public func forget(_ identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) {
        try update(BundlePinSlot(identity: identity, topic: topic)) { _ in .remove }
    }

    /// Reads the pin of a device; nil if there is none.
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

/// Failure to read or write pins. No recipient is made then: filling a disk must not switch the protection off.
public enum BundlePinStoreError: Error, Equatable {
    /// The stored bytes are no pin of this slot. Find the cause before removing them.
    case damaged(place: String)
    /// Group or others may write to the folder of the pins.
    case writableByOthers(path: String)
    /// A system call failed.
    case system(call: String, path: String, code: Int32)
    /// A store of the app's own failed; its description, without contents.
    case other(String)
}
