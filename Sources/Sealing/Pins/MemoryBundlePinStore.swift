public import Keys
private import Platform

/// Pins that go with the process. What it forgets then is what protects against old bundles: for tests, and for senders
/// that keep their pins elsewhere.
public final class MemoryBundlePinStore: BundlePinStore {
    private let pins = Guarded<[BundlePinSlot: BundlePin]>([:])

    /// Empty.
    public init() {}

    /// One change at a time, of all slots.
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
