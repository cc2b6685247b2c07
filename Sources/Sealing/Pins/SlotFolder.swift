import Keys
private import Platform

/// Folder with a small file for each device, shared by the processes of a machine.
///
///     FOLDER/ab/cdef…        the file of the slot whose name begins "abcdef"
///     FOLDER/ab/lock         locked while a file of that subfolder is read and changed
///     FOLDER/ab/new          a file being written; remains of a killed writer are overwritten
///
/// 256 subfolders let writers work in parallel. A file is forced to disk, then renamed into place: a crash leaves the
/// old or the new.
struct SlotFolder: Sendable {
    private let folder: String
    /// Lets two kinds of files share a folder.
    private let suffix: String

    /// - Throws: `.writableByOthers` if group or others could add files, `.system`.
    init(_ folder: String, suffix: String = "") throws(BundlePinStoreError) {
        try Self.makeFolder(folder)
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else {
            throw .system(call: "stat", path: folder, code: errno)
        }
        guard status.st_mode & 0o022 == 0 else { throw .writableByOthers(path: folder) }
        self.folder = folder
        self.suffix = suffix
    }

    /// Locks the slot's subfolder. `body` must wait for nothing but the disk.
    func withFile<Result>(
        of slot: BundlePinSlot,
        _ body: (File) throws(BundlePinStoreError) -> Result
    ) throws(BundlePinStoreError) -> Result {
        let name = slot.name
        let subfolder = folder + "/" + name.prefix(2)
        let lock = try lockFile(in: subfolder)
        defer {
            // Explicitly: a child that another thread forks now has the descriptor, and so the lock.
            _ = flock(lock, LOCK_UN)
            close(lock)
        }
        try Self.lock(lock, path: subfolder)
        return try body(File(path: subfolder + "/" + name.dropFirst(2) + suffix, temporary: subfolder + "/new"))
    }

    /// One slot's file, under its lock.
    struct File {
        let path: String
        fileprivate let temporary: String

        /// - Returns: nil if there is no file.
        func read(byteCountMax: Int) throws(BundlePinStoreError) -> [UInt8]? {
            do {
                return try WholeFile.read(path, byteCountMax: byteCountMax)
            } catch {
                if case .notFound = error { return nil }
                throw BundlePinStoreError(error)
            }
        }

        func write(_ bytes: [UInt8]) throws(BundlePinStoreError) {
            do {
                try WholeFile.write(bytes, to: path, access: .ownerOnly, temporary: temporary)
            } catch {
                throw BundlePinStoreError(error)
            }
        }

        /// Ignores a missing file.
        func remove() throws(BundlePinStoreError) {
            guard unsafe unlink(path) == 0 else {
                guard errno == ENOENT else { throw .system(call: "unlink", path: path, code: errno) }
                return
            }
            try SlotFolder.syncDirectory(of: path)
        }
    }

    /// Tells a file from those that replace it.
    struct Stamp: Equatable {
        private let device: UInt64
        private let number: UInt64
        private let seconds: Int
        private let nanoseconds: Int

        /// nil without a file.
        init?(of path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
            #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
            let changed = status.st_ctimespec
            #else
            let changed = status.st_ctim
            #endif
            (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
        }

        /// False while a new file may get this number and, from a coarse clock, this time.
        func isSettled(now: Int) -> Bool { seconds < now - 1 }
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

    /// Locks the open file description: threads exclude each other as processes do.
    private static func lock(_ descriptor: Int32, path: String) throws(BundlePinStoreError) {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system(call: "flock", path: path, code: errno) }
        }
    }

    /// Forces the folder's name to disk too: a power loss could take all its files along.
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
            .exists(let path), .permissionsTooLoose(let path, _), .exampleKey(let path), .publicKey(let path),
            .privateKey(let path), .malformed(let path, _):
            self = .damaged(place: path)
        }
    }
}
