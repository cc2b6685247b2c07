import Keys
import Platform

/// Small file that app and extension change in place. The lock never spans a suspension, at which iOS would end the
/// process. It goes with the descriptor, and so with a killed process.
///
/// Unless a change is durable, a power loss may reset the contents.
struct SharedFile: Sendable {
    enum IfMissing: Sendable { case create, refuse }

    let path: String

    /// Excludes other threads and processes while `body` runs.
    ///
    /// - Parameter isDurable: forces the changes to the disk, after the lock.
    /// - Returns: nil for a missing file that is not to be made.
    func withLock<Result>(
        ifMissing: IfMissing,
        isDurable: Bool = false,
        _ body: (borrowing Handle) throws(ContainerError) -> Result
    ) throws(ContainerError) -> Result? {
        guard let handle = try Handle(path: path, ifMissing: ifMissing) else { return nil }
        let result = try body(handle)
        if isDurable { try handle.makeDurable() }
        return result
    }

    /// Open, locked file.
    struct Handle: ~Copyable {
        private let descriptor: Int32

        fileprivate init?(path: String, ifMissing: IfMissing) throws(ContainerError) {
            guard let descriptor = try Self.open(path, ifMissing: ifMissing) else { return nil }
            if let error = Self.lock(descriptor) {
                close(descriptor)
                throw error
            }
            self.descriptor = descriptor
        }

        private static func open(_ path: String, ifMissing: IfMissing) throws(ContainerError) -> Int32? {
            if let code = DeviceRules.refusal(of: .overwrite, at: path) { throw ContainerError("open", code) }
            // O_NONBLOCK: a FIFO would block. O_NOFOLLOW: a link could lead anywhere.
            let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            var descriptor = unsafe Platform.open(path, flags)
            if descriptor < 0, errno == ENOENT {
                guard ifMissing == .create else { return nil }
                descriptor = try create(path, flags)
            }
            guard descriptor >= 0 else { throw ContainerError("open", errno) }
            return descriptor
        }

        private static func create(_ path: String, _ flags: Int32) throws(ContainerError) -> Int32 {
            let protection = FileProtection.untilFirstUnlock
            if let code = DeviceRules.refusal(of: .create(protection), at: path) { throw ContainerError("open", code) }
            let descriptor = unsafe Platform.open(path, flags | O_CREAT, 0o600)
            guard descriptor >= 0, let code = protection.set(on: descriptor) else { return descriptor }
            close(descriptor)
            throw ContainerError("fcntl", code)
        }

        private static func lock(_ descriptor: Int32) -> ContainerError? {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .damaged }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else { return ContainerError("flock", errno) }
            }
            return nil
        }

        deinit {
            // Unlocks explicitly: a child forked by another thread may have the descriptor.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }

        /// Not under the lock: a slow disk delays no other process.
        fileprivate consuming func makeDurable() throws(ContainerError) {
            _ = flock(descriptor, LOCK_UN)
            if let code = FileSync.inPlace.force(descriptor) { throw ContainerError("fsync", code) }
        }

        /// - Returns: up to `byteCount` bytes; fewer at the end.
        func read(_ byteCount: Int, at offset: Int) throws(ContainerError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: byteCount)
            var filled = 0
            while filled < byteCount {
                let start = filled
                let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe pread(
                        descriptor,
                        buffer.baseAddress.map { unsafe $0 + start },
                        byteCount - start,
                        off_t(offset + start)
                    )
                }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw ContainerError("pread", errno) }
                guard count > 0 else { break }
                filled += count
            }
            return Array(bytes[..<filled])
        }

        /// One call, so that a kill leaves all or nothing.
        func write(_ bytes: [UInt8], at offset: Int) throws(ContainerError) {
            var count: Int
            repeat {
                count = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
            } while count < 0 && errno == EINTR
            guard count == bytes.count else { throw ContainerError("pwrite", count < 0 ? errno : ENOSPC) }
        }
    }
}

extension ContainerError {
    fileprivate init(_ call: String, _ code: Int32) {
        self.init(FileError.system(call: call, path: "", code: code))
    }
}
