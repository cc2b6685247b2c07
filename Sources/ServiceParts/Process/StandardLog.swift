import Envelope
import Platform

/// Writes log lines on its own thread: logging never blocks. While the reader stalls, some bytes wait; further lines
/// are dropped and counted.
package final class StandardLog: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var droppedCount = 0
        var isClosing = false
        /// True after the thread's end, or when nothing waits for it.
        var isEnded = false
    }

    private static let pauseMilliseconds: Int32 = 5
    private let state = Monitored(State())
    private let byteCountMax: Int
    private let milliseconds: @Sendable () -> UInt64

    /// - Parameters:
    ///   - descriptor: stays open.
    ///   - milliseconds: now, since 1970.
    package init?(
        descriptor: Int32 = STDOUT_FILENO,
        byteCountMax: Int = 4 << 20,
        milliseconds: @escaping @Sendable () -> UInt64
    ) {
        self.byteCountMax = byteCountMax
        self.milliseconds = milliseconds
        let state = state
        let hasStarted = DetachedThread.start(stackByteCount: 256 << 10) {
            while let (bytes, droppedCount) = Self.take(state, milliseconds) {
                guard !Self.write(bytes, to: descriptor) else {
                    // Lines of the next milliseconds share a call, and wake no thread. Signals are blocked here.
                    _ = poll(nil, 0, Self.pauseMilliseconds)
                    continue
                }
                // Not dropped: the line with the count.
                let lostCount = droppedCount + Self.lineCount(bytes) - (droppedCount > 0 ? 1 : 0)
                state.change { $0.droppedCount += lostCount }
            }
            state.change { $0.isEnded = true }
        }
        guard hasStarted else { return nil }
    }

    package func write(_ lines: [UInt8]) {
        let byteCountMax = byteCountMax
        state.change { state in
            guard !state.isClosing, state.lines.count + lines.count <= byteCountMax else {
                state.droppedCount += Self.lineCount(lines)
                return
            }
            state.lines += lines
        }
    }

    private static func lineCount(_ lines: [UInt8]) -> Int { lines.count { $0 == UInt8(ascii: "\n") } }

    /// Waits until all is written, a second at most for a stalled reader.
    package func close() {
        state.change { $0.isClosing = true }
        let state = state
        _ = DetachedThread.start(stackByteCount: 64 << 10) {
            // Counts rounds, so that the writer has its second even after a standstill.
            for _ in 0..<100 where !state.change({ $0.isEnded }) {
                _ = poll(nil, 0, 10)
            }
            state.change { $0.isEnded = true }
        }
        _ = state.wait { $0.isEnded ? true : nil }
    }

    /// Begins with the count of dropped lines; nil at the end.
    private static func take(
        _ state: Monitored<State>,
        _ milliseconds: @Sendable () -> UInt64
    ) -> (bytes: [UInt8], droppedCount: Int)? {
        let taken: (lines: [UInt8], droppedCount: Int)? = state.wait { state in
            guard !state.lines.isEmpty else { return state.isClosing ? .some(nil) : nil }
            defer {
                state.lines = []
                state.droppedCount = 0
            }
            return (state.lines, state.droppedCount)
        }
        guard let taken else { return nil }
        guard taken.droppedCount > 0 else { return (taken.lines, 0) }
        let time = Timestamp(milliseconds: milliseconds())
        let line = ServiceLog.line("log-dropped", .warning, at: time, [("count", taken.droppedCount)])
        return (line + taken.lines, taken.droppedCount)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Platform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // The descriptor was made non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
