import Glibc

/// Standard output without a buffer: written lines outlive this process, whatever its end.
enum ProbeOutput {
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(1, $0.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            // The reader is gone.
            guard count > 0 else { return }
            written += count
        }
    }

    static func exit(_ code: Int32) -> Never { Glibc.exit(code) }
}
