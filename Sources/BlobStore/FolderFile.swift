internal import Platform

/// Open file or folder, closed with its owner.
struct FolderFile: ~Copyable {
    let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// - Parameter flags: O_RDONLY and the like; links are not followed, children do not inherit it.
    static func open(_ path: String, _ flags: Int32, _ operation: String) throws(BlobError) -> FolderFile {
        while true {
            let descriptor = unsafe Platform.open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return FolderFile(descriptor: descriptor) }
            guard errno == EINTR else { throw failure(operation) }
        }
    }

    /// Gives up ownership of the descriptor.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(BlobError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    descriptor,
                    bytes.baseAddress?.advanced(by: written),
                    bytes.count - written,
                    off_t(clamping: offset + UInt64(written))
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write") }
            written += count
        }
    }

    /// - Returns: fewer than `byteCount` at the end of the file.
    func read(_ byteCount: Int, at offset: UInt64) throws(BlobError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var readCount = 0
        while readCount < byteCount {
            let count = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor,
                    bytes.baseAddress?.advanced(by: readCount),
                    byteCount - readCount,
                    off_t(clamping: offset + UInt64(readCount))
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read") }
            guard count > 0 else { break }
            readCount += count
        }
        return Array(bytes.prefix(readCount))
    }

    /// Syncs content and length.
    func syncData() throws(BlobError) {
        guard fdatasync(descriptor) == 0 else { throw Self.failure("fdatasync") }
    }

    func sync() throws(BlobError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync") }
    }

    func byteCount() throws(BlobError) -> UInt64 {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure("fstat") }
        return UInt64(clamping: status.st_size)
    }

    /// - Returns: false if it is locked elsewhere.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Converts `errno`.
    static func failure(_ operation: String) -> BlobError {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case ENOENT: .notFound
        case let code: .file(operation: operation, code: code)
        }
    }
}
