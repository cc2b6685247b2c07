private import Platform

/// File and the lock between processes. Not memory-mapped: a shrinking file is an error, not a signal.
final class WindowFile: Sendable {
    /// Called before every write; tests use it to cut one short.
    typealias WriteObserver = @Sendable (_ words: [UInt64], _ offset: Int) throws(ReplayWindowError) -> Void

    private let descriptor: Int32
    private let onWrite: WriteObserver?

    /// - Throws: `.missing`; `.damaged` for anything but a file of the right size; `.locked`; `.system`.
    init(path: String, onWrite: WriteObserver?) throws(ReplayWindowError) {
        if let code = DeviceRules.refusal(of: .overwrite, at: path) { throw ReplayWindowError("open", code: code) }
        // Without O_NONBLOCK a FIFO would block; a link could lead anywhere.
        let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw .missing
            case ELOOP, EISDIR, ENXIO: throw .damaged
            case let code: throw ReplayWindowError("open", code: code)
            }
        }
        self.descriptor = descriptor
        self.onWrite = onWrite
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw ReplayWindowError("fstat", code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size == WindowLayout.byteCount else { throw .damaged }
    }

    deinit { close(descriptor) }

    func read(into words: inout [UInt64], at offset: Int) throws(ReplayWindowError) {
        let byteCount = words.count * 8
        var filled = 0
        while filled < byteCount {
            let start = filled
            let count = unsafe words.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor,
                    bytes.baseAddress.map { unsafe $0 + start },
                    byteCount - start,
                    off_t(offset + start)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ReplayWindowError("pread", code: errno) }
            guard count > 0 else { throw .damaged }
            filled += count
        }
    }

    func write(_ words: [UInt64], at offset: Int) throws(ReplayWindowError) {
        try onWrite?(words, offset)
        var written = 0
        while written < words.count * 8 {
            let start = written
            let count = unsafe words.withUnsafeBytes { bytes in
                unsafe pwrite(
                    descriptor,
                    bytes.baseAddress.map { unsafe $0 + start },
                    bytes.count - start,
                    off_t(offset + start)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ReplayWindowError("pwrite", code: errno) }
            written += count
        }
    }

    /// Excludes other processes and windows for microseconds, never across a suspension. The lock goes with the
    /// descriptor, so a killed process releases it.
    func withLock<Result>(
        _ body: () throws(ReplayWindowError) -> Result
    ) throws(ReplayWindowError) -> Result {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw ReplayWindowError("flock", code: errno) }
        }
        defer { _ = flock(descriptor, LOCK_UN) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw ReplayWindowError("fstat", code: errno) }
        // Writes to an unlinked file are lost with its last descriptor.
        guard status.st_nlink > 0 else { throw .missing }
        return try body()
    }

    func synchronize() throws(ReplayWindowError) {
        if let code = FileSync.inPlace.force(descriptor) { throw ReplayWindowError("fdatasync", code: code) }
    }
}
