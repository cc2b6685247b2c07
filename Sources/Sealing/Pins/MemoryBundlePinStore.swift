public import Keys
private import Platform

/// Pins that are lost with the process, and with them the protection against old bundles. For tests, and for senders
/// that keep their pins elsewhere.
public final class MemoryBundlePinStore: BundlePinStore {
    private let pins = Guarded<[BundlePinSlot: BundlePin]>([:])

    /// Creates an empty store.
    public init() {}

    /// Locks all slots.
    public func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError) {
        pins.withLock { pins in
            switch change(pins[slot]) {
            case .keep: break
            case .store(let pin): pins[slot] = pin
            case .remove: pins[slot] = nil
            }
        }
    }
}
