private import Glibc

/// Resources of another process.
package struct ProcessReading: Sendable {
    /// User and system time of all threads since its start, in nanoseconds from the scheduler: /proc has steps of 10
    /// ms.
    package let cpuNanoseconds: Int
    /// RssAnon and VmSwap: its own memory.
    package let ownByteCount: Int
    package let descriptorCount: Int
    /// Bytes read past the page cache since its start: a registry larger than the cache costs more for each look-up.
    package let diskReadByteCount: Int

    init(cpuNanoseconds: Int, ownByteCount: Int, descriptorCount: Int, diskReadByteCount: Int = 0) {
        self.cpuNanoseconds = cpuNanoseconds
        self.ownByteCount = ownByteCount
        self.descriptorCount = descriptorCount
        self.diskReadByteCount = diskReadByteCount
    }

    /// Throws if there is no such process.
    package init(of id: Int32) throws(BenchError) {
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(id, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            throw .operationFailed
        }
        cpuNanoseconds = time.tv_sec * 1_000_000_000 + time.tv_nsec
        ownByteCount = try Self.contents("/proc/\(id)/status").split(separator: UInt8(ascii: "\n"))
            .filter { $0.starts(with: "RssAnon:".utf8) || $0.starts(with: "VmSwap:".utf8) }
            .reduce(0) { $0 + Self.number($1) * 1_024 }
        descriptorCount = try Self.names("/proc/\(id)/fd")
        // A kernel may not count it.
        let counts = (try? Self.contents("/proc/\(id)/io")) ?? []
        let line = counts.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "read_bytes:".utf8) }
        diskReadByteCount = line.map { Self.number($0) } ?? 0
    }

    package static func own() throws(BenchError) -> ProcessReading { try ProcessReading(of: getpid()) }

    static func number(_ text: ArraySlice<UInt8>) -> Int {
        text.reduce(0) { (48...57).contains($1) ? $0 * 10 + Int($1 - 48) : $0 }
    }

    static func contents(_ path: String) throws(BenchError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .operationFailed }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw .operationFailed }
        return Array(bytes[..<count])
    }

    private static func names(_ path: String) throws(BenchError) -> Int {
        guard let folder = unsafe opendir(path) else { throw .operationFailed }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // "." and ".."
        return count - 2
    }
}

/// Growth of a process between the middle and the end of a load, when one-time allocations are done.
package struct Flatness: Equatable, Sendable {
    /// Allowance for a table that doubles now and then.
    private static let byteCountSlack = 4_000_000

    package let isMemoryFlat: Bool
    package let areDescriptorsFlat: Bool

    package init(middle: ProcessReading, last: ProcessReading) {
        isMemoryFlat = last.ownByteCount <= middle.ownByteCount + middle.ownByteCount / 10 + Self.byteCountSlack
        areDescriptorsFlat = last.descriptorCount <= middle.descriptorCount
    }
}
