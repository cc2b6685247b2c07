private import Glibc

/// Memory that iOS would count against an extension: this process's own. On Linux that is RssAnon, RssShmem and VmSwap;
/// file pages, which RSS and PSS include, are shared.
struct FootprintReading: ~Copyable {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 4_096)

    init() throws(BenchError) {
        descriptor = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .operationFailed }
    }

    deinit { close(descriptor) }

    mutating func byteCount() throws(BenchError) -> Int {
        let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw .operationFailed }
        var total = 0
        for line in buffer[..<count].split(separator: UInt8(ascii: "\n")) {
            for name in ["RssAnon:", "RssShmem:", "VmSwap:"] where line.starts(with: name.utf8) {
                let digits = line.dropFirst(name.utf8.count).filter { (48...57).contains($0) }
                total += digits.reduce(0) { $0 * 10 + Int($1 - 48) } * 1_024
            }
        }
        return total
    }
}
