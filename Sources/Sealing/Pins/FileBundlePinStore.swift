public import Keys

/// Pins in a folder, one small file each, shared by all processes of a machine that seal for one sender (`SlotFolder` has
/// the layout). A crash leaves the old pin or the new one.
public struct FileBundlePinStore: BundlePinStore {
    private let folder: SlotFolder

    /// - Parameter folder: made with mode 0700 if it is missing; its parent exists. On a file system whose `flock` holds
    ///   for all processes that use it: local ones, and NFS from version 4.
    /// - Throws: `.writableByOthers` where group or others could put pins in, `.system`.
    public init(folder: String) throws(BundlePinStoreError) { self.folder = try SlotFolder(folder) }

    /// Waits for whoever changes a pin of the same subfolder; a process that ends gives way at once.
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
