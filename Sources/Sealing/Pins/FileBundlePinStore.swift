public import Keys

/// Pins in a folder (layout: `SlotFolder`), shared by the processes of a machine. A crash leaves the old pin or the
/// new.
public struct FileBundlePinStore: BundlePinStore {
    private let folder: SlotFolder

    /// - Parameter folder: created with mode 0700 if missing, in a folder that exists. `flock` must hold there for all
    ///   processes: local file systems, and NFS from version 4.
    /// - Throws: `.writableByOthers` if group or others could add pins, `.system`.
    public init(folder: String) throws(BundlePinStoreError) { self.folder = try SlotFolder(folder) }

    /// Locks the slot's subfolder; a process that ends releases it.
    public func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError) {
        try folder.withFile(of: slot) { file throws(BundlePinStoreError) in
            switch change(try Self.pin(of: slot, in: file)) {
            case .keep: break
            case .store(let pin): try file.write(pin.encoded(for: slot))
            case .remove: try file.remove()
            }
        }
    }

    private static func pin(
        of slot: BundlePinSlot,
        in file: SlotFolder.File
    ) throws(BundlePinStoreError) -> BundlePin? {
        guard let bytes = try file.read(byteCountMax: BundlePin.encodedByteCountMax) else { return nil }
        guard let pin = BundlePin(encoded: bytes, for: slot) else { throw .damaged(place: file.path) }
        return pin
    }
}
