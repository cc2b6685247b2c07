internal import Platform

/// Where one process keeps files until iOS has moved them: a folder of its own in the extension's folder for temporary
/// files. Whoever starts next takes away what a process left that was killed.
///
///     SealedPush-attachments/
///         0f6c…/                  one process
///             lock                held as long as the process lives
///             91d2….part          on its way, genuine as far as it goes
///             3b77….jpg           there, to be moved away by iOS
final class AttachmentFolder: Sendable {
    static let name = "SealedPush-attachments"
    static let partialSuffix = ".part"
    private static let lockName = "lock"
    /// What was handed over when its process died may still be on its way into iOS's store.
    private static let handedOverSeconds = 3_600
    private static let makeCountMax = 4
    private static let ofProcess = Guarded<[String: AttachmentFolder]>([:])

    let path: String
    private let lockDescriptor: Int32

    deinit { Self.release(lockDescriptor) }

    /// This process's folder; made if it is not there, or not any more.
    ///
    /// - Parameter temporaryPath: the extension's folder for temporary files.
    /// - Returns: nil where there is no room, or no such folder.
    static func ofProcess(in temporaryPath: String) -> AttachmentFolder? {
        if let folder = ofProcess.withLock({ $0[temporaryPath] }), folder.isThere { return folder }
        guard let folder = make(in: temporaryPath) else { return nil }
        return ofProcess.withLock { folders in
            // Another thread was first: this one's folder is empty, and is swept as if its process had died.
            if let other = folders[temporaryPath], other.isThere { return other }
            folders[temporaryPath] = folder
            return folder
        }
    }

    /// A folder as a process has it that has just begun.
    ///
    /// - Parameter temporaryPath: the extension's folder for temporary files.
    /// - Returns: nil where there is no room, or no such folder.
    static func make(in temporaryPath: String) -> AttachmentFolder? {
        let parent = temporaryPath + "/" + name
        // The files in it get the folder's class.
        let protection = FileProtection.untilFirstUnlock
        guard DeviceRules.refusal(of: .create(protection), at: parent + "/" + lockName) == nil,
            unsafe mkdir(parent, 0o700) == 0 || errno == EEXIST, protection.set(at: parent) == nil
        else { return nil }
        sweep(parent)
        for _ in 0..<makeCountMax {
            let path = parent + "/" + randomName()
            guard unsafe mkdir(path, 0o700) == 0, protection.set(at: path) == nil else { return nil }
            let lock = lock(path, creating: true)
            // Whoever swept at this moment has taken it for a dead process's.
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

    /// Where nothing is yet. The name is random: what a sender calls a file is never a part of it.
    ///
    /// - Parameter suffix: with its dot.
    /// - Returns: the path.
    func newPath(_ suffix: String) -> String { path + "/" + Self.randomName() + suffix }

    /// 128 bits.
    private static func randomName() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }

    /// - Returns: a descriptor that holds the lock; nil where somebody else does.
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

    /// By name: a child that another thread forks this moment still has the descriptor, and with it the lock.
    private static func release(_ lock: Int32) {
        _ = flock(lock, LOCK_UN)
        close(lock)
    }
}

// What dead processes left.
extension AttachmentFolder {
    private static func sweep(_ parent: String) {
        for folder in names(in: parent).map({ parent + "/" + $0 }) {
            // Without a lock file, it was made this moment, or its process died right there.
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

    /// By either direction of a clock that was set.
    private static func isOld(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        #if canImport(Darwin)
        let changed = status.st_mtimespec.tv_sec
        #else
        let changed = status.st_mtim.tv_sec
        #endif
        return abs(time(nil) - changed) > handedOverSeconds
    }

    /// - Returns: none where it cannot be read.
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
