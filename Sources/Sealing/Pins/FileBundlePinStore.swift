public import Keys
private import Platform

/// Pins in a folder, one small file each, shared by all processes of a machine that seal for one sender.
///
///     FOLDER/ab/cdef…        the pin of the slot whose name begins "abcdef"
///     FOLDER/ab/lock         held while a pin of that subfolder is read and changed
///     FOLDER/ab/new          a file that is being written; what a killed writer left is overwritten
///
/// 256 subfolders keep a hundred thousand pins apart and let writers pass each other. A pin is replaced by a rename after
/// it was forced to disk, so a crash leaves the old one or the new one.
public struct FileBundlePinStore: BundlePinStore {
    private let folder: String

    /// - Parameter folder: made with mode 0700 if it is missing. On a file system whose `flock` holds for all processes
    ///   that use it: local ones, and NFS from version 4.
    /// - Throws: `.writableByOthers` where group or others could put pins in, `.system`.
    public init(folder: String) throws(BundlePinStoreError) {
        try Self.makeFolder(folder)
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            throw .system(call: "stat", path: folder, code: errno)
        }
        guard status.st_mode & 0o022 == 0 else { throw .writableByOthers(path: folder) }
        self.folder = folder
    }

    /// Waits for whoever changes a pin of the same subfolder; a process that ends gives way at once.
    public func update(
        _ slot: BundlePinSlot,
        _ change: (BundlePin?) -> BundlePinChange
    ) throws(BundlePinStoreError) {
        let name = slot.name
        let subfolder = folder + "/" + name.prefix(2)
        let path = subfolder + "/" + name.dropFirst(2)
        let lock = try lockFile(in: subfolder)
        defer {
            // By name: a child that another thread forks this moment still has the descriptor, and with it the lock.
            _ = flock(lock, LOCK_UN)
            close(lock)
        }
        try Self.lock(lock, path: subfolder)
        switch change(try read(slot, path: path)) {
        case .keep: break
        case .store(let pin): try write(pin, of: slot, path: path, temporary: subfolder + "/new")
        case .remove: try remove(path)
        }
    }

    private func lockFile(in subfolder: String) throws(BundlePinStoreError) -> Int32 {
        let path = subfolder + "/lock"
        let flags = O_RDWR | O_CREAT | O_CLOEXEC
        var descriptor = unsafe open(path, flags, 0o600)
        if descriptor < 0, errno == ENOENT {
            try Self.makeFolder(subfolder)
            descriptor = unsafe open(path, flags, 0o600)
        }
        guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
        return descriptor
    }

    /// `flock` belongs to the opened file and not to the process: two threads exclude each other as two processes do.
    private static func lock(_ descriptor: Int32, path: String) throws(BundlePinStoreError) {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system(call: "flock", path: path, code: errno) }
        }
    }

    private func read(_ slot: BundlePinSlot, path: String) throws(BundlePinStoreError) -> BundlePin? {
        let bytes: [UInt8]
        do {
            bytes = try WholeFile.read(path, byteCountMax: BundlePin.encodedByteCountMax)
        } catch {
            if case .notFound = error { return nil }
            throw BundlePinStoreError(error)
        }
        guard let pin = BundlePin(encoded: bytes, for: slot) else { throw .damaged(place: path) }
        return pin
    }

    private func write(
        _ pin: BundlePin,
        of slot: BundlePinSlot,
        path: String,
        temporary: String
    ) throws(BundlePinStoreError) {
        do {
            try WholeFile.write(pin.encoded(for: slot), to: path, access: .ownerOnly, temporary: temporary)
        } catch {
            throw BundlePinStoreError(error)
        }
    }

    private func remove(_ path: String) throws(BundlePinStoreError) {
        guard unsafe unlink(path) == 0 else {
            guard errno == ENOENT else { throw .system(call: "unlink", path: path, code: errno) }
            return
        }
        try Self.syncDirectory(of: path)
    }

    /// A folder whose name is lost with the power takes every pin in it along: it is forced to disk too.
    private static func makeFolder(_ path: String) throws(BundlePinStoreError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw .system(call: "mkdir", path: path, code: errno) }
            return
        }
        try syncDirectory(of: path)
    }

    private static func syncDirectory(of path: String) throws(BundlePinStoreError) {
        do {
            try WholeFile.syncDirectory(of: path)
        } catch {
            throw BundlePinStoreError(error)
        }
    }
}

extension BundlePinStoreError {
    fileprivate init(_ error: FileError) {
        switch error {
        case .system(let call, let path, let code): self = .system(call: call, path: path, code: code)
        case .notFound(let path), .notARegularFile(let path), .tooLarge(let path, _), .empty(let path),
            .permissionsTooLoose(let path, _), .exampleKey(let path), .malformed(let path, _):
            self = .damaged(place: path)
        }
    }
}
