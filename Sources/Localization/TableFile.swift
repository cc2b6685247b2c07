private import Platform

enum TableFile {
    /// Nil unless readable, of bounded size.
    static func read(_ path: String) -> [UInt8]? {
        // Without O_NONBLOCK a FIFO would block.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (0...off_t(StringsTable.byteCountMax)).contains(status.st_size)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let start = filled
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Platform.read(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            filled += count
        }
        return bytes
    }
}
