import CLinux
import Glibc
import Platform

/// Line about long work on a terminal, after its first second. None in a pipe.
package final class ProgressLine: Sendable {
    private struct Signals {
        let end: Int32
        let ended: Int32
    }

    /// nil without a terminal.
    private let signals: Signals?

    /// Shows a text and its seconds, each second.
    ///
    /// - Parameter text: called on another thread.
    package init(_ text: @escaping @Sendable () -> String) {
        let signals = Signals(end: clinux_eventfd(), ended: clinux_eventfd())
        guard Output.isErrorTerminal, signals.end >= 0, signals.ended >= 0,
            DetachedThread.start(
                stackByteCount: 256 << 10,
                {
                    var second = 0
                    while !Self.waits(for: signals.end, milliseconds: 1_000) {
                        second += 1
                        Output.replaceLine("\(text()), \(second) s")
                    }
                    if second > 0 { Output.replaceLine("") }
                    _ = clinux_eventfd_signal(signals.ended)
                }
            )
        else {
            for descriptor in [signals.end, signals.ended] where descriptor >= 0 { close(descriptor) }
            self.signals = nil
            return
        }
        self.signals = signals
    }

    /// Form for a file written from another one.
    package convenience init(_ text: String, from source: String, to path: String) {
        let (text, all) = (TerminalText.safe(text), Self.byteCount(of: source))
        self.init {
            all > 0 ? "\(text): \(min(100, Self.byteCount(of: path) * 100 / all)) %" : text
        }
    }

    /// Erases the line: the result follows.
    package func end() {
        guard let signals else { return }
        _ = clinux_eventfd_signal(signals.end)
        _ = Self.waits(for: signals.ended, milliseconds: -1)
        for descriptor in [signals.end, signals.ended] { close(descriptor) }
    }

    /// - Returns: false on timeout.
    private static func waits(for descriptor: Int32, milliseconds: Int32) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&event, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    private static func byteCount(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
