import Platform
package import Primitives

/// A file that holds one secret and nothing else: its bytes as they are, a line's end among them.
package enum SecretFile {
    package static let byteCounts = 32...4_096

    /// Why there is no secret; one word for a log line.
    package enum Fault: String, Error, Sendable {
        case unreadable
        /// A folder, a device or a pipe.
        case notAFile = "not-a-file"
        /// Others than its owner may read or write it, or its owner is neither this user nor root.
        case open
        case tooShort = "too-short"
        case tooLong = "too-long"
    }

    /// Reads it anew: a secret that was replaced is in use at once. Waits for the disk.
    ///
    /// - Parameter path: absolute.
    /// - Returns: `byteCounts` bytes.
    /// - Throws: `Fault`.
    package static func read(_ path: String) throws(Fault) -> SecretBytes {
        // Without waiting for a pipe's other end.
        let descriptor = unsafe Platform.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() || status.st_uid == 0 else { throw .open }
        guard status.st_size >= byteCounts.lowerBound else { throw .tooShort }
        guard status.st_size <= byteCounts.upperBound else { throw .tooLong }
        return try SecretBytes(byteCount: Int(status.st_size)) { (span: inout MutableRawSpan) throws(Fault) in
            let isWhole = unsafe span.withUnsafeMutableBytes { bytes in
                var count = 0
                while count < bytes.count {
                    let step = unsafe Platform.read(
                        descriptor,
                        bytes.baseAddress.map { unsafe $0 + count },
                        bytes.count - count
                    )
                    if step < 0, errno == EINTR { continue }
                    guard step > 0 else { return false }
                    count += step
                }
                return true
            }
            guard isWhole else { throw .unreadable }
        }
    }
}
