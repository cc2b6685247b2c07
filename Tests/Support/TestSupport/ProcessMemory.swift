#if os(Linux)
private import Platform

/// The writable memory of this process, read through /proc as a debugger would: freed blocks too, which no pointer may
/// touch.
package enum ProcessMemory {
    /// One search at a time: a search copies memory, and a second one would find the secret in that copy. The buffers
    /// are made once, because a search's own allocations would lie over the freed blocks that it searches.
    private static let buffers = Guarded(Buffers())

    private struct Buffers {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var maps = [UInt8](repeating: 0, count: 1 << 20)
    }

    /// True if memory holds the bytes whose complement is `inverted`. The complement keeps the search from finding
    /// itself.
    package static func contains(inverted: [UInt8]) throws -> Bool {
        try buffers.withLock { buffers in
            // A later search must not find the text in this one's buffers.
            defer { unsafe explicit_bzero(&buffers.chunk, buffers.chunk.count) }
            return try search(inverted, &buffers)
        }
    }

    private static func search(_ inverted: [UInt8], _ buffers: inout Buffers) throws -> Bool {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw ReadFailure(code: errno) }
        defer { close(memory) }
        let mapsByteCount = try readMaps(into: &buffers.maps)
        var position = 0
        while let region = nextWritableRegion(in: buffers.maps, byteCount: mapsByteCount, from: &position) {
            var address = region.lowerBound
            while address < region.upperBound {
                let wanted = min(buffers.chunk.count, region.upperBound - address)
                let count = unsafe pread(memory, &buffers.chunk, wanted, off_t(address))
                // Guard pages inside a region cannot be read; after them a region of its own begins.
                guard count > inverted.count else { break }
                if finds(inverted, in: buffers.chunk, count: count) { return true }
                // Chunks overlap, so that no text falls between two.
                address += count == wanted && address + count < region.upperBound ? count - inverted.count : count
            }
        }
        return false
    }

    private static func finds(_ inverted: [UInt8], in buffer: [UInt8], count: Int) -> Bool {
        unsafe buffer.withUnsafeBufferPointer { bytes in
            unsafe inverted.withUnsafeBufferPointer { needle in
                guard let start = bytes.baseAddress else { return false }
                let first = unsafe ~needle[0]
                var offset = 0
                while offset + needle.count <= count {
                    let hit = unsafe memchr(start + offset, Int32(first), count - offset - needle.count + 1)
                    guard let hit = unsafe hit else { return false }
                    offset = unsafe UnsafeRawPointer(hit) - UnsafeRawPointer(start)
                    var matched = 0
                    while matched < needle.count, unsafe bytes[offset + matched] == ~needle[matched] { matched += 1 }
                    if matched == needle.count { return true }
                    offset += 1
                }
                return false
            }
        }
    }

    private static func readMaps(into maps: inout [UInt8]) throws -> Int {
        let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ReadFailure(code: errno) }
        defer { close(file) }
        var filled = 0
        while true {
            let room = maps.count - filled
            let offset = filled
            let count = unsafe maps.withUnsafeMutableBytes { bytes in
                unsafe read(file, bytes.baseAddress.map { unsafe $0 + offset }, room)
            }
            guard count >= 0 else { throw ReadFailure(code: errno) }
            guard count > 0 else { return filled }
            filled += count
            guard filled < maps.count else { throw ReadFailure(code: ENOBUFS) }
        }
    }

    /// The next readable and writable mapping, without the huge reservations of a sanitizer's shadow. Lines are
    /// `from-to perms …`, in hexadecimal (proc(5)).
    private static func nextWritableRegion(
        in maps: [UInt8],
        byteCount: Int,
        from position: inout Int
    ) -> Range<Int>? {
        while position < byteCount {
            let lower = number(in: maps, at: &position)
            position += 1
            let upper = number(in: maps, at: &position)
            let isWritable = maps[position + 1] == UInt8(ascii: "r") && maps[position + 2] == UInt8(ascii: "w")
            while position < byteCount, maps[position] != UInt8(ascii: "\n") { position += 1 }
            position += 1
            if isWritable, lower < upper, upper - lower <= 1 << 30 { return lower..<upper }
        }
        return nil
    }

    /// Reads up to the first character that is no digit.
    private static func number(in maps: [UInt8], at position: inout Int) -> Int {
        var number = 0
        while true {
            let digit: UInt8
            switch maps[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = maps[position] - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = maps[position] - UInt8(ascii: "a") + 10
            default: return number
            }
            // Addresses of the kernel's own page are beyond Int; they are never writable.
            number = number << 4 | Int(digit)
            position += 1
        }
    }
}

package struct ReadFailure: Error {
    let code: Int32
}
#endif
