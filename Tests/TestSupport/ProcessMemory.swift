private import Glibc
private import Synchronization

/// The writable memory of this process, read through /proc as a debugger would: freed blocks too, which no pointer may
/// touch.
package enum ProcessMemory {
    /// One search at a time: a search copies memory, and a second one would find the secret in that copy.
    private static let turn = Mutex(())

    /// Whether some place holds the bytes whose complement is `inverted`. The complement is given so that the search
    /// does not find itself.
    package static func contains(inverted: [UInt8]) throws -> Bool {
        try turn.withLock { _ in try search(inverted) }
    }

    private static func search(_ inverted: [UInt8]) throws -> Bool {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw ReadFailure(code: errno) }
        defer { close(memory) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        // What was found must not be found again in what this search leaves behind.
        defer { unsafe explicit_bzero(&buffer, buffer.count) }
        for region in try writableRegions() {
            var address = region.lowerBound
            while address < region.upperBound {
                let wanted = min(buffer.count, region.upperBound - address)
                let count = unsafe pread(memory, &buffer, wanted, off_t(address))
                // Guard pages inside a region cannot be read; what follows them is a region of its own.
                guard count > inverted.count else { break }
                if finds(inverted, in: buffer, count: count) { return true }
                // Chunks overlap, so that no place falls between two.
                address += count == wanted && address + count < region.upperBound ? count - inverted.count : count
            }
        }
        return false
    }

    private static func finds(_ inverted: [UInt8], in buffer: [UInt8], count: Int) -> Bool {
        unsafe buffer.withUnsafeBufferPointer { bytes in
            unsafe inverted.withUnsafeBufferPointer { needle in
                let first = unsafe ~needle[0]
                var offset = 0
                while offset + needle.count <= count {
                    guard
                        let hit = unsafe memchr(
                            bytes.baseAddress! + offset,
                            Int32(first),
                            count - offset - needle.count + 1
                        )
                    else { return false }
                    offset = unsafe UnsafeRawPointer(hit) - UnsafeRawPointer(bytes.baseAddress!)
                    var matched = 0
                    while matched < needle.count, unsafe bytes[offset + matched] == ~needle[matched] { matched += 1 }
                    if matched == needle.count { return true }
                    offset += 1
                }
                return false
            }
        }
    }

    /// Readable and writable mappings, without the huge reservations of a sanitizer's shadow.
    private static func writableRegions() throws -> [Range<Int>] {
        guard let file = unsafe fopen("/proc/self/maps", "re") else { throw ReadFailure(code: errno) }
        defer { unsafe fclose(file) }
        var regions: [Range<Int>] = []
        var line = [CChar](repeating: 0, count: 4096)
        while unsafe fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), bounds.count == 2, bounds[1] - bounds[0] <= 1 << 30 else { continue }
            regions.append(bounds[0]..<bounds[1])
        }
        return regions
    }
}

/// /proc could not be read.
package struct ReadFailure: Error {
    let code: Int32
}
