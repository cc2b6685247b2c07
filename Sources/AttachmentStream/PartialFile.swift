private import Platform

/// A new file that goes again unless it was finished: made by nobody else, readable by its owner only.
struct PartialFile: ~Copyable {
    private let path: String
    /// -1 once it was finished.
    private var descriptor: Int32

    /// - Parameter path: where nothing is yet.
    /// - Throws: `.file`.
    init(creating path: String) throws(AttachmentError) {
        if let code = DeviceRules.refusal(of: .create(nil), at: path) { throw .file(operation: .create, errno: code) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(operation: .create, errno: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    /// - Throws: `.file`, also when only a part could be written.
    func write(_ bytes: RawSpan) throws(AttachmentError) {
        if let code = writeAll(bytes, to: descriptor) { throw .file(operation: .write, errno: code) }
    }

    /// The file stays.
    ///
    /// - Throws: `.file` when the system says only now that it could not write; then the file is gone, too.
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
