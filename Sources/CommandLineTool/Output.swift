import Glibc
import Platform

/// Standard output for results, standard error for all else.
package enum Output {
    package static func print(_ text: String) throws(CommandError) { try write(Array((text + "\n").utf8)) }

    package static func write(_ bytes: [UInt8]) throws(CommandError) {
        guard writeAll(bytes, to: STDOUT_FILENO) else {
            throw .failed("standard output could not be written (\(systemText(errno))); nothing more was printed")
        }
    }

    package static func complain(_ text: String) {
        let start = hasProgress.withLock { $0 } ? eraser : ""
        // No place is left to report a failure.
        _ = writeAll(Array((start + text + "\n").utf8), to: STDERR_FILENO)
    }

    private static let hasProgress = Guarded(false)
    /// Empties a terminal's line.
    private static let eraser = "\r\u{1B}[K"

    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Shows progress on a terminal, in a line that the next call replaces; nothing in a pipe.
    package static func progress(_ text: String, isLast: Bool) {
        guard isErrorTerminal else { return }
        // Lost progress does no harm.
        _ = writeAll(Array(("\r" + text + (isLast ? "\n" : "")).utf8), to: STDERR_FILENO)
    }

    /// Replaces a terminal's last line, without a line feed.
    static func replaceLine(_ text: String) {
        hasProgress.withLock { $0 = !text.isEmpty }
        _ = writeAll(Array((eraser + text.prefix(Columns.width - 1)).utf8), to: STDERR_FILENO)
    }

    package static func systemText(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
