public import Keys
private import Platform

/// Pins in a folder (layout: `SlotFolder`), shared by the processes of a machine. A crash leaves the old pin or the
/// new.
public struct FileBundlePinStore: BundlePinStore {
    private let folder: SlotFolder
    private let seen = SeenPins()
    /// Seconds since 1970.
    private let clock: @Sendable () -> Int

    /// - Parameter folder: created with mode 0700 if missing, in a folder that exists. `flock` must hold there for all
    ///   processes: local file systems, and NFS from version 4 on one machine.
    /// - Throws: `.writableByOthers` if group or others could add pins, `.system`.
    public init(folder: String) throws(BundlePinStoreError) { try self.init(folder: folder) { time(nil) } }

    init(folder: String, clock: @escaping @Sendable () -> Int) throws(BundlePinStoreError) {
        self.folder = try SlotFolder(folder)
        self.clock = clock
    }

    /// Locks the slot's subfolder, unless an unchanged file's pin is kept; a process that ends releases it.
    public func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError) {
        if let pin = seen.pin(of: slot), change(pin) == .keep { return }
        try folder.withFile(of: slot) { file throws(BundlePinStoreError) in
            let pin = try Self.pin(of: slot, in: file)
            switch change(pin) {
            case .keep: if let pin { seen.note(pin, of: slot, in: file, now: clock()) }
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

/// Pins read under the lock, each good while its file is the same: a write makes another.
private final class SeenPins: Sendable {
    private struct Seen {
        let path: String
        let stamp: SlotFolder.Stamp
        let pin: BundlePin
    }

    /// Bounds the memory: some 500 bytes each.
    private static let countMax = 10_000
    private let pins = Guarded<[BundlePinSlot: Seen]>([:])

    func pin(of slot: BundlePinSlot) -> BundlePin? {
        guard let seen = pins.withLock({ $0[slot] }), SlotFolder.Stamp(of: seen.path) == seen.stamp else { return nil }
        return seen.pin
    }

    /// Notes a pin, unless its file is so new that two more writes could give it this stamp again.
    func note(_ pin: BundlePin, of slot: BundlePinSlot, in file: SlotFolder.File, now: Int) {
        guard let stamp = SlotFolder.Stamp(of: file.path), stamp.isSettled(now: now) else { return }
        pins.withLock { pins in
            if pins.count >= Self.countMax { pins = [:] }
            pins[slot] = Seen(path: file.path, stamp: stamp, pin: pin)
        }
    }
}
