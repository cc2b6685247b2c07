private import Platform

struct SourceFile: ~Copyable {
    /// As of opening.
    let byteCount: UInt64
    private let descriptor: Int32

    init(opening path: String) throws(AttachmentError) {
        // O_NONBLOCK: a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(operation: .open, errno: errno) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw .file(operation: .open, errno: code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notARegularFile
        }
        self.descriptor = descriptor
        byteCount = UInt64(clamping: status.st_size)
    }

    /// Number of bytes read; 0 at the end. `buffer` has room for at least one.
    func read(into buffer: inout MutableRawSpan) throws(AttachmentError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe Platform.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(operation: .read, errno: errno) }
            return count
        }
    }

    deinit {
        close(descriptor)
    }
}
