internal import Platform

/// The file of a store and its lock: one process has it, and nobody but its owner may read it.
///
///     PATH          the database; SQLite puts PATH-wal and PATH-shm beside it
///     PATH-lock     held while the store is open; its bytes are a `StoreMark`
final class StoreFile: Sendable {
    let path: String
    /// As it was found.
    let mark: StoreMark
    /// Whether the process before did not close it, and what SQLite had not yet moved into the file is gone.
    let isLogMissing: Bool
    private let lock: Int32

    /// Makes what is missing, and locks it.
    ///
    /// - Throws: `.inUse`, `.otherName`, `.full`, `.failed`.
    init(path: String) throws(StoreError) {
        self.path = path
        let lock = try Self.open(path + "-lock")
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse
        }
        self.lock = lock
        let isNew = !Self.exists(path)
        var bytes = [UInt8](repeating: 0, count: StoreMark.byteCount + 1)
        let count = unsafe pread(lock, &bytes, bytes.count, 0)
        let found = StoreMark(Array(bytes.prefix(max(0, count))))
        mark = found ?? StoreMark()
        isLogMissing = !isNew && !mark.isClosed && !Self.exists(path + "-wal")
        guard !Self.hasOtherName(path) else { throw .otherName }
        close(try Self.open(path))
        // A mark that a loss of power takes away would make the next opening a restore.
        if found == nil { try Self.syncFolder(of: path) }
    }

    deinit { close(lock) }

    /// Writes the mark; it is on the disk when this returns.
    ///
    /// - Throws: `.full`, `.failed`.
    func note(_ mark: StoreMark) throws(StoreError) {
        let bytes = mark.bytes
        guard unsafe pwrite(lock, bytes, bytes.count, 0) == bytes.count, fdatasync(lock) == 0 else {
            throw Self.failure(.lock)
        }
    }

    /// Says that everything is in the database, by the mark that is there.
    func noteClosed() throws(StoreError) {
        var byte: UInt8 = 0
        guard unsafe pwrite(lock, &byte, 1, 0) == 1, fdatasync(lock) == 0 else { throw Self.failure(.lock) }
    }

    /// Gives the store to whoever opens it next. Nothing of this one may be at it any more.
    func release() { _ = flock(lock, LOCK_UN) }

    /// A file that is only its owner's, whatever it was before. A link is not followed.
    static func open(_ path: String, _ flags: Int32 = O_CREAT) throws(StoreError) -> Int32 {
        while true {
            let descriptor = unsafe Platform.open(path, O_RDWR | flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EINTR { continue }
            guard descriptor >= 0 else { throw failure(.open) }
            guard fchmod(descriptor, 0o600) == 0 else {
                close(descriptor)
                throw failure(.open)
            }
            return descriptor
        }
    }

    /// What was made, renamed or removed beside a file is on the disk when this returns.
    static func syncFolder(of path: String) throws(StoreError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe Platform.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.sync) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(.sync) }
    }

    static func failure(_ operation: StoreError.Operation) -> StoreError {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: .full
        case let code: .failed(operation: operation, code: code)
        }
    }

    /// A second hard link would have a lock of its own. By name, so that no descriptor's end gives SQLite's locks back.
    private static func hasOtherName(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_nlink > 1
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
