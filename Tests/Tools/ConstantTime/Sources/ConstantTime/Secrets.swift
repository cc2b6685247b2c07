import Audit
import CValgrind
import Envelope
import Platform
import Primitives

/// Values that valgrind calls undefined.
enum Secrets {
    static func random(_ byteCount: Int) -> SecretBytes {
        var random = SystemRandom()
        return random.secret(byteCount: byteCount).withBytes { copy($0) }
    }

    static func copy(_ bytes: RawSpan) -> SecretBytes {
        var copy = SecretBytes(copying: bytes)
        copy.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { unsafe cvalgrind_make_secret($0.baseAddress, $0.count) }
        }
        return copy
    }

    static func mark(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe cvalgrind_make_secret($0.baseAddress, $0.count) }
    }

    /// Part of a text that is public otherwise.
    static func text(_ text: String, secret range: Range<Int>) -> SecretBytes {
        let bytes = SecretBytes(copying: unsafe Array(text.utf8).span.bytes)
        bytes.withBytes { mark($0.extracting(range)) }
        return bytes
    }

    /// Marks each copy of a value in this process's memory, wherever a library keeps it.
    ///
    /// - Returns: the number of copies.
    static func markAll(_ value: [UInt8]) throws -> Int {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        let own = unsafe chunk.withUnsafeBytes { UInt64(UInt(bitPattern: $0.baseAddress)) }
        // Marked last: one of them is the value itself.
        var addresses: [UInt64] = []
        for region in try MemoryRegions.writable(of: getpid()) {
            // Chunks may overlap.
            for start in stride(from: region.lowerBound, to: region.upperBound, by: chunk.count - value.count) {
                let wanted = min(chunk.count, Int(region.upperBound - start))
                let read = unsafe pread(memory, &chunk, wanted, off_t(start))
                guard read > value.count else { break }
                for offset in 0...(read - value.count)
                where chunk[offset] == value[0] && chunk[offset..<offset + value.count].elementsEqual(value) {
                    let address = start + UInt64(offset)
                    guard !(own..<own + UInt64(chunk.count)).contains(address) else { continue }
                    addresses.append(address)
                }
            }
        }
        for address in addresses {
            unsafe cvalgrind_make_secret(UnsafeRawPointer(bitPattern: UInt(address)), value.count)
        }
        return addresses.count
    }

    static func array(_ bytes: [UInt8]) -> [UInt8] {
        var copy = bytes
        unsafe copy.withUnsafeMutableBytes { unsafe cvalgrind_make_secret($0.baseAddress, $0.count) }
        return copy
    }

    static func frameWithSecretPadding() -> [UInt8] {
        let frame = Frame(
            messageID: [UInt8](repeating: 1, count: 16),
            sentAt: 1,
            expiresAt: 2,
            senderKey: [UInt8](repeating: 2, count: 32),
            flags: [],
            body: Array("{\"a\":1}".utf8)
        )
        var bytes = frame.bytes(byteCount: 2_822)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            let padding = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[140...])
            unsafe cvalgrind_make_secret(padding.baseAddress, padding.count)
        }
        return bytes
    }
}
