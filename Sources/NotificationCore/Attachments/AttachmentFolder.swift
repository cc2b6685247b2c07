internal import Platform

/// Process's own folder for files that iOS will move. The next process removes what a killed one left.
///
///     SealedPush-attachments/
///         0f6c…/                  one process
///             lock                held while the process lives
///             91d2….part          partial, verified so far
///             3b77….jpg           complete
final class AttachmentFolder: Sendable {
    static let name = "SealedPush-attachments"
    static let partialSuffix = ".part"
    private static let lockName = "lock"
    /// iOS may still be moving a dead process's files.
    private static let handedOverSeconds = 3_600
    private static let makeCountMax = 4
    private static let ofProcess = Guarded<[String: AttachmentFolder]>([:])

    let path: String
    private let lockDescriptor: Int32

    deinit { Self.release(lockDescriptor) }

    /// Folder, made if missing; nil without space or temporary folder.
    static func ofProcess(in temporaryPath: String) -> AttachmentFolder? {
        if let folder = ofProcess.withLock({ $0[temporaryPath] }), folder.isThere { return folder }
        guard let folder = make(in: temporaryPath) else { return nil }
        return ofProcess.withLock { folders in
            // Another thread won; this empty folder is swept later.
            if let other = folders[temporaryPath], other.isThere { return other }
            folders[temporaryPath] = folder
            return folder
        }
    }

    /// Makes a new folder; nil without space or temporary folder.
    static func make(in temporaryPath: String) -> AttachmentFolder? {
        let parent = temporaryPath + "/" + name
        let protection = FileProtection.untilFirstUnlock
        guard DeviceRules.refusal(of: .create(protection), at: parent + "/" + lockName) == nil,
            unsafe mkdir(parent, 0o700) == 0 || errno == EEXIST, protection.set(at: parent) == nil
        else { return nil }
        sweep(parent)
        for _ in 0..<makeCountMax {
            let path = parent + "/" + randomName()
            guard unsafe mkdir(path, 0o700) == 0, protection.set(at: path) == nil else { return nil }
            let lock = lock(path, creating: true)
            // A concurrent sweep may have removed it.
            if let lock, unsafe access(path + "/" + lockName, F_OK) == 0 {
                return AttachmentFolder(path: path, lockDescriptor: lock)
            }
            if let lock { release(lock) }
        }
        return nil
    }

    private init(path: String, lockDescriptor: Int32) {
        self.path = path
        self.lockDescriptor = lockDescriptor
    }

    private var isThere: Bool { unsafe access(path + "/" + Self.lockName, F_OK) == 0 }

    /// Unused path with a random name, never a sender's.
    func newPath(_ suffix: String) -> String { path + "/" + Self.randomName() + suffix }

    private static func randomName() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }

    /// - Returns: nil if the lock is taken.
    private static func lock(_ folder: String, creating: Bool) -> Int32? {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (creating ? O_CREAT | O_EXCL : 0)
        let descriptor = unsafe open(folder + "/" + lockName, flags, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Unlocks explicitly: a child that another thread forks may still have the descriptor.
    private static func release(_ lock: Int32) {
        _ = flock(lock, LOCK_UN)
        close(lock)
    }
}

// Files of dead processes.
extension AttachmentFolder {
    private static func sweep(_ parent: String) {
        for folder in names(in: parent).map({ parent + "/" + $0 }) {
            // It is new, or its process died at once.
            guard let lock = lock(folder, creating: false) else {
                if unsafe access(folder + "/" + lockName, F_OK) != 0, isOld(folder) { unsafe rmdir(folder) }
                continue
            }
            defer { release(lock) }
            for path in names(in: folder).filter({ $0 != lockName }).map({ folder + "/" + $0 })
            where path.hasSuffix(partialSuffix) || isOld(path) {
                unsafe unlink(path)
            }
            guard names(in: folder) == [lockName] else { continue }
            unsafe unlink(folder + "/" + lockName)
            unsafe rmdir(folder)
        }
    }

    /// Counts both directions: clocks get set.
    private static func isOld(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        let changed = status.st_mtimespec.tv_sec
        #else
        let changed = status.st_mtim.tv_sec
        #endif
        return abs(time(nil) - changed) > handedOverSeconds
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
