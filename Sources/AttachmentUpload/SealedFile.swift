internal import HTTPSClient
internal import Platform

/// Closed with its last reference.
final class SealedFile: Sendable {
    let byteCount: UInt64
    private let descriptor: Int32

    init(_ path: String) throws(UploadError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(code: errno) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .file(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        byteCount = UInt64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    func body(offset: UInt64, byteCount: UInt64) -> HTTPSRequest.Body {
        let position = Guarded(offset)
        return HTTPSRequest.Body(byteCount: byteCount) { [self] span in
            position.withLock { position in
                let count = read(&span, at: position)
                position += UInt64(count ?? 0)
                return count
            }
        }
    }

    /// - Returns: nil on an error, and at the end of the file.
    private func read(_ span: inout MutableRawSpan, at offset: UInt64) -> Int? {
        while true {
            let count = unsafe span.withUnsafeMutableBytes { bytes in
                unsafe pread(descriptor, bytes.baseAddress, bytes.count, off_t(clamping: offset))
            }
            if count < 0, errno == EINTR { continue }
            return count > 0 ? count : nil
        }
    }
}
