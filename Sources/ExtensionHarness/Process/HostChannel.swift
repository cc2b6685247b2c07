internal import CLinux
internal import Platform
internal import UserNotifications

/// Host's end of the socket to its device.
///
/// Unchecked: only the one thread that calls `nextOrder` uses `buffer`; a report is sent whole, under a lock.
final class HostChannel: @unchecked Sendable {
    private static let descriptor: Int32 = 3
    /// Unused zero: the thread sanitizer does not support a lock around nothing.
    private let sending = Guarded(0)
    private var buffer = LineBuffer()

    /// - Returns: Nil if no device started this process.
    init?() {
        var status = stat()
        guard unsafe fstat(Self.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    }

    /// Explains the program when it is started by hand.
    static func explain() {
        let text = "This program hosts a notification service extension; a Device of ExtensionHarness starts it.\n"
        // A closed standard error cannot be helped.
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
    }

    /// Waits for the device's next order; nil at the end.
    func nextOrder() -> HostOrder? {
        while true {
            // The device is trusted: an unreadable line is another version's.
            if let line = buffer.next() { return HostCoding.message(HostOrder.self, line: line) }
            var chunk = [UInt8](repeating: 0, count: 16_384)
            let count = unsafe read(Self.descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer.append(chunk[..<count])
        }
    }

    /// Returns once the report is written, so that no later act of the extension overtakes it.
    func send(_ report: HostReport) {
        // Drops what JSON cannot hold; the time limit ends the device's wait.
        guard let line = HostCoding.line(report) else { return }
        sending.withLock { _ in
            var rest = line[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe clinux_send(Self.descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
