import Platform

/// Bytes of files and processes, in one bounded buffer: 1 MiB, and an overlap, so that no needle falls between two
/// reads.
struct SourceReader: ~Copyable {
    private static let overlap = NeedleSearch.windowByteCount - 1
    private static let chunkByteCount = 1 << 20

    private let search: NeedleSearch
    private var buffer = [UInt8](repeating: 0, count: overlap + chunkByteCount)

    init(_ search: NeedleSearch) { self.search = search }

    /// - Parameter report: gets each needle and its offset in the file.
    /// - Returns: bytes read.
    mutating func readFile(
        _ path: String,
        report: (NeedleSearch.Needle, UInt64) -> Void
    ) throws(AuditError) -> UInt64 {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
        defer { close(descriptor) }
        return try unsafe readAll(path, from: 0, report: report) { unsafe read(descriptor, $0, $1) }
    }

    /// Reads a process's writable memory, as a debugger would.
    ///
    /// - Parameter report: gets each needle and its address.
    mutating func readMemory(
        of process: Int32,
        report: (NeedleSearch.Needle, UInt64) -> Void
    ) throws(AuditError) -> UInt64 {
        let path = "/proc/\(process)/mem"
        let regions = try MemoryRegions.writable(of: process)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
        defer { close(descriptor) }
        var total: UInt64 = 0
        for region in regions {
            var address = region.lowerBound
            total += try unsafe readAll(path, from: address, report: report) { bytes, count in
                let rest = Int(clamping: region.upperBound - address)
                guard rest > 0 else { return 0 }
                let result = unsafe pread(descriptor, bytes, min(count, rest), off_t(truncatingIfNeeded: address))
                // A guard page, or a region that has gone meanwhile: its end.
                guard result > 0 else { return errno == EINTR ? -1 : 0 }
                address += UInt64(result)
                return result
            }
        }
        return total
    }

    /// Feeds one text, such as a file's name.
    mutating func readText(_ text: String, report: (NeedleSearch.Needle, UInt64) -> Void) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { unsafe search.search($0) { report($0, UInt64($1)) } }
    }

    private mutating func readAll(
        _ path: String,
        from start: UInt64,
        report: (NeedleSearch.Needle, UInt64) -> Void,
        _ read: (UnsafeMutableRawPointer, Int) -> Int
    ) throws(AuditError) -> UInt64 {
        // `buffer` is borrowed below.
        let search = search
        var kept = 0
        var total: UInt64 = 0
        while true {
            let held = kept
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe read($0 + held, Self.chunkByteCount) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: path, code: errno) }
            guard count > 0 else { return total }
            let filled = held + count
            let base = start + total - UInt64(held)
            total += UInt64(count)
            unsafe buffer.withUnsafeMutableBytes { bytes in
                let found = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<filled])
                unsafe search.search(found) { report($0, base + UInt64($1)) }
                let keep = min(Self.overlap, filled)
                unsafe bytes[..<keep].copyBytes(from: found[(filled - keep)...])
            }
            kept = min(Self.overlap, filled)
        }
    }
}
