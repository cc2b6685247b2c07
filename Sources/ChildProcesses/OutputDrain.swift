import Glibc
import Platform

/// Reads a process's output, so that it never blocks, and keeps the end for error messages.
package final class OutputDrain: Sendable {
    private struct State {
        var tail: [UInt8] = []
        var isEnded = false
    }

    private static let tailByteCountMax = 2_048
    private let state = Guarded(State())

    /// Begins; no other reader is allowed from then on.
    init(of process: ChildProcess) {
        // A duplicate: the process's own may be closed before the end is read.
        let descriptor = fcntl(process.output, F_DUPFD_CLOEXEC, 0)
        _ = DetachedThread.start(stackByteCount: 256 << 10) { [self] in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while descriptor >= 0 {
                let count = unsafe read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                keep(chunk[..<count])
            }
            close(descriptor)
            state.withLock { $0.isEnded = true }
        }
    }

    private func keep(_ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            state.tail += bytes.suffix(Self.tailByteCountMax)
            state.tail.removeFirst(max(0, state.tail.count - Self.tailByteCountMax))
        }
    }

    package var isEnded: Bool { state.withLock { $0.isEnded } }

    /// The last three lines.
    package var lastLines: String {
        let text = String(decoding: state.withLock { $0.tail }, as: UTF8.self)
        return text.split(separator: "\n").suffix(3).joined(separator: "\n")
    }
}
