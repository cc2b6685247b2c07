import Envelope
import Keys
import Networking
import PushStore
import Sealing

/// Pins in the sidecar's file. A change is durable with the next transaction: that of the copies sealed under it,
/// before they are acknowledged.
struct SidecarPins: BundlePinStore {
    let store: LoopBound<SidecarStore>

    func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError) {
        let store = store.value
        let name = Array(slot.name.utf8)
        let stored: [UInt8]?
        do throws(StoreError) {
            stored = try store.pin(name)
        } catch {
            throw .other("the pins could not be read")
        }
        let pin = stored.flatMap { BundlePin(encoded: $0, for: slot) }
        guard stored == nil || pin != nil else { throw .damaged(place: "the table of pins") }
        switch change(pin) {
        case .keep: break
        case .store(let pin): store.stagedPins[name] = .some(pin.encoded(for: slot))
        case .remove: store.stagedPins[name] = .some(nil)
        }
    }
}

extension SidecarStore {
    func pin(_ slot: [UInt8]) throws(StoreError) -> [UInt8]? {
        if let staged = stagedPins[slot] { return staged }
        return try sql("SELECT pin FROM pins WHERE slot = ?").first([.bytes(slot)]) { $0.bytes(0) }
    }
}
