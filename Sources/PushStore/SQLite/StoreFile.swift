internal import Envelope
internal import Platform

/// Store's file and its lock: one process has it, only its owner can read it.
///
///     PATH          the database; SQLite puts PATH-wal and PATH-shm beside it
///     PATH-lock     held while the store is open; its bytes are a `StoreMark` and the end of the given out numbers
package final class StoreFile: Sendable {
    package let path: String
    /// Mark before this opening.
    let mark: StoreMark
    /// No process has given out a number above it here. 0 without a record.
    let numbersEnd: Int64
    /// True if the last process did not close it, and the log is gone.
    let isLogMissing: Bool
    private let lock: Int32
    private static let numberByteCount = 8

    /// Creates missing files, and locks.
    ///
    /// - Throws: `.inUse`, `.otherName`, `.full`, `.failed`.
    package init(path: String) throws(StoreError) {
        self.path = path
        let lock = try Self.open(path + "-lock")
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse
        }
        self.lock = lock
        let isNew = !Self.exists(path)
        var bytes = [UInt8](repeating: 0, count: StoreMark.byteCount + Self.numberByteCount + 1)
        let count = unsafe pread(lock, &bytes, bytes.count, 0)
        var reader = ByteReader(bytes.prefix(max(0, count)))
        let found = reader.take(StoreMark.byteCount).flatMap(StoreMark.init)
        // An earlier version wrote none.
        let end = reader.take(UInt64.self) ?? 0
        numbersEnd = reader.remainingByteCount == 0 ? Int64(exactly: end) ?? 0 : 0
        mark = found ?? StoreMark()
        isLogMissing = !isNew && !mark.isClosed && !Self.exists(path + "-wal")
        guard !Self.hasOtherName(path) else { throw .otherName }
        close(try Self.open(path))
        // A mark lost with the power would make the next opening a restore.
        if found == nil { try Self.syncFolder(of: path) }
    }

    deinit { close(lock) }

    /// Writes and syncs the mark.
    ///
    /// - Throws: `.full`, `.failed`.
    func note(_ mark: StoreMark) throws(StoreError) {
        let bytes = mark.bytes
        guard unsafe pwrite(lock, bytes, bytes.count, 0) == bytes.count, fdatasync(lock) == 0 else {
            throw Self.failure(.lock)
        }
    }

    /// Writes and syncs the end of the numbers that may be given out.
    ///
    /// - Throws: `.full`, `.failed`.
    func noteNumbers(to end: Int64) throws(StoreError) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt64(max(0, end)))
        guard unsafe pwrite(lock, bytes, bytes.count, StoreMark.byteCount) == bytes.count, fdatasync(lock) == 0 else {
            throw Self.failure(.lock)
        }
    }

    /// Marks that everything is in the database.
    func noteClosed() throws(StoreError) {
        var byte: UInt8 = 0
        guard unsafe pwrite(lock, &byte, 1, 0) == 1, fdatasync(lock) == 0 else { throw Self.failure(.lock) }
    }

    /// Unlocks it after its last use.
    package func release() { _ = flock(lock, LOCK_UN) }

    /// Opens a file and sets mode 0600; follows no link.
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

    /// Syncs creations, renames and removals.
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

    /// A second hard link has another lock. By name: closing a descriptor drops SQLite's locks.
    private static func hasOtherName(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_nlink > 1
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
