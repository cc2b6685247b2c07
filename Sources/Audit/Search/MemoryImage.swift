import Platform

/// Copy of a process's writable memory.
package enum MemoryImage {
    private static let chunkByteCount = 1 << 16

    /// Writes the image, of mode 0600, without what is zero.
    package static func write(of process: Int32, to path: String) throws(AuditError) {
        let source = "/proc/\(process)/mem"
        let regions = try MemoryRegions.writable(of: process)
        let memory = unsafe open(source, O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw .system(call: "open", path: source, code: errno) }
        defer { close(memory) }
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(call: "open", path: path, code: errno) }
        defer { close(file) }
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        for region in regions {
            var address = region.lowerBound
            while address < region.upperBound {
                let wanted = min(chunk.count, Int(clamping: region.upperBound - address))
                let count = unsafe pread(memory, &chunk, wanted, off_t(truncatingIfNeeded: address))
                // A guard page, or a region that has gone meanwhile.
                guard count > 0 else { break }
                address += UInt64(count)
                guard !isZero(chunk, count) else { continue }
                guard unsafe Platform.write(file, &chunk, count) == count else {
                    throw .system(call: "write", path: path, code: errno)
                }
            }
        }
    }

    private static func isZero(_ chunk: [UInt8], _ count: Int) -> Bool {
        unsafe chunk.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, unsafe bytes[0] == 0 else { return false }
            return unsafe memcmp(start, start + 1, count - 1) == 0
        }
    }
}
