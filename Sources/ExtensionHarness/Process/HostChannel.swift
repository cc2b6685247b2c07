internal import CLinux
internal import Platform
internal import UserNotifications

/// The host's end of the socket that its device gave it.
///
/// Unchecked: `buffer` is touched only by the one thread that calls `nextOrder`; a report is sent whole, under a lock.
final class HostChannel: @unchecked Sendable {
    private static let descriptor: Int32 = 3
    /// Zero and unused: the thread sanitizer cannot bear a lock around nothing.
    private let sending = Guarded(0)
    private var buffer = LineBuffer()

    /// - Returns: nil where no device started this process.
    init?() {
        var status = stat()
        guard unsafe fstat(Self.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    }

    /// For somebody who started the program by hand.
    static func explain() {
        let text = "This program hosts a notification service extension; a Device of ExtensionHarness starts it.\n"
        // Nothing is left to be done about a standard error that is closed.
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
    }

    /// Waits for what the device wants next; nil when it wants nothing more.
    func nextOrder() -> HostOrder? {
        while true {
            // What the device sends is ours: a line that cannot be read is one of another version.
            if let line = buffer.next() { return HostCoding.message(HostOrder.self, line: line) }
            var chunk = [UInt8](repeating: 0, count: 16_384)
            let count = unsafe read(Self.descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer.append(chunk[..<count])
        }
    }

    /// Returns when the device has it, so that what the extension does next cannot overtake it.
    func send(_ report: HostReport) {
        // A report that JSON cannot hold would leave the device waiting: it is told nothing, and the time limit decides.
        guard let line = HostCoding.line(report) else { return }
        sending.withLock { _ in
            var rest = line[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe clinux_send(Self.descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                // The device is gone, and with it whoever would be told.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
