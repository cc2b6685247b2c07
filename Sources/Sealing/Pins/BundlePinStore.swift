public import Envelope
public import Keys

/// Sender's memory of every device's newest bundle.
///
/// All processes that seal for one sender share one store; otherwise one could accept a bundle that another knows to be
/// old (protocol v1, rule 16).
///
/// `FileBundlePinStore` is for processes of one machine, `MemoryBundlePinStore` for tests and for senders that live as
/// long as their devices' keys. A sender on several machines implements this over its database: one row a slot, named
/// `slot.name`, holding `BundlePin.encoded(for:)`, read and written in one serializable transaction.
///
/// A store restored from a backup accepts later epochs' bundles once more.
public protocol BundlePinStore: Sendable {
    /// Reads and changes a pin, atomically for its slot.
    ///
    /// - Parameters:
    ///   - slot: one device in one app.
    ///   - change: called with the stored pin, or nil; perhaps twice, then the later result counts. It must not call
    ///     the store.
    /// - Throws: `BundlePinStoreError`, also if the change may not be durable. An unreadable slot never counts as
    ///   empty.
    func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError)
}

/// Change to a pin.
public enum BundlePinChange: Equatable, Sendable {
    /// Leaves it as it is.
    case keep
    /// Writes this one.
    case store(BundlePin)
    /// Removes it.
    case remove
}

extension BundlePinStore {
    /// Forgets a device's highest cipher suites, so that a bundle with a lower one is accepted again. Older bundles
    /// stay refused. Call it only after a person agreed to weaker protection (protocol v1, rule 18).
    ///
    /// - Returns: true if there was a pin.
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

    /// Forgets a device. Call it only together with removing its contact: any older bundle would be accepted again.
    public func forget(_ identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) {
        try update(BundlePinSlot(identity: identity, topic: topic)) { _ in .remove }
    }

    /// Reads a pin.
    public func pin(of identity: IdentityKey, topic: BundleID) throws(BundlePinStoreError) -> BundlePin? {
        var found: BundlePin?
        try update(BundlePinSlot(identity: identity, topic: topic)) { pin in
            found = pin
            return .keep
        }
        return found
    }
}

/// Failure to read or write pins. No recipient is made: filling a disk must not switch the protection off.
public enum BundlePinStoreError: Error, Equatable {
    /// Stored bytes are no pin of this slot. Find the cause before removing them.
    case damaged(place: String)
    /// Group or others may write there.
    case writableByOthers(path: String)
    /// Failed system call.
    case system(call: String, path: String, code: Int32)
    /// The app's own store failed; a description without contents.
    case other(String)
}
