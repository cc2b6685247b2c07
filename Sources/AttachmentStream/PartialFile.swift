private import Platform

/// New file, readable by its owner only, that is removed unless finished.
struct PartialFile: ~Copyable {
    private let path: String
    /// -1 once finished.
    private var descriptor: Int32

    /// - Parameter path: must not exist.
    init(creating path: String) throws(AttachmentError) {
        if let code = DeviceRules.refusal(of: .create(nil), at: path) { throw .file(operation: .create, errno: code) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(operation: .create, errno: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    /// Throws also after a partial write.
    func write(_ bytes: RawSpan) throws(AttachmentError) {
        if let code = writeAll(bytes, to: descriptor) { throw .file(operation: .write, errno: code) }
    }

    /// Keeps the file unless closing fails.
    consuming func finish() throws(AttachmentError) {
        let isClosed = close(descriptor) == 0
        let code = errno
        descriptor = -1
        guard isClosed else {
            unsafe unlink(path)
            throw .file(operation: .close, errno: code)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unsafe unlink(path)
    }
}
