import Platform

/// Mappings of a process (proc(5)).
package enum MemoryRegions {
    private static let byteCountMax: UInt64 = 1 << 34

    /// Writable ones, without reservations of more than 16 GiB.
    package static func writable(of process: Int32) throws(AuditError) -> [Range<UInt64>] {
        let path = "/proc/\(process)/maps"
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: path, code: errno) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { region(String(decoding: $0, as: UTF8.self)) }
    }

    /// Parses "7f…-7f… rw-p …"; nil for other permissions.
    private static func region(_ line: String) -> Range<UInt64>? {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[1].hasPrefix("rw") else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1], ends[1] - ends[0] <= byteCountMax else { return nil }
        return ends[0]..<ends[1]
    }
}
