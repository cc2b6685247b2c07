import Glibc

/// Lines of standard input, in bounded memory.
package struct InputLines: ~Copyable {
    package enum Line: Equatable {
        /// Without its line feed.
        case whole([UInt8])
        /// Skipped.
        case tooLong
    }

    private static let chunkByteCount = 1 << 16

    private let byteCountMax: Int
    private var chunk = [UInt8](repeating: 0, count: InputLines.chunkByteCount)
    private var buffer: [UInt8] = []
    private var takenCount = 0
    /// Bytes of `buffer` without a further line feed.
    private var searchedCount = 0
    private var isSkipping = false
    private var isOver = false

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// - Parameter pause: called before each read, which may wait for input.
    /// - Returns: nil at the end.
    package mutating func next(pause: () throws(CommandError) -> Void) throws(CommandError) -> Line? {
        while true {
            if let end = buffer[searchedCount...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(to: end, after: end + 1)
            }
            searchedCount = buffer.count
            if buffer.count - takenCount > byteCountMax {
                isSkipping = true
                forget(to: buffer.count)
            }
            guard !isOver else {
                return takenCount < buffer.count || isSkipping ? take(to: buffer.count, after: buffer.count) : nil
            }
            try pause()
            try read()
        }
    }

    private mutating func take(to end: Int, after next: Int) -> Line {
        let line =
            isSkipping || end - takenCount > byteCountMax ? Line.tooLong : .whole(Array(buffer[takenCount..<end]))
        isSkipping = false
        takenCount = next
        searchedCount = next
        return line
    }

    private mutating func forget(to end: Int) {
        buffer.removeSubrange(..<end)
        searchedCount -= end
        takenCount = 0
    }

    private mutating func read() throws(CommandError) {
        forget(to: takenCount)
        let count = unsafe Glibc.read(STDIN_FILENO, &chunk, Self.chunkByteCount)
        if count < 0, errno == EINTR { return }
        guard count >= 0 else { throw .failed("standard input: \(Output.systemText(errno)) (read)") }
        isOver = count == 0
        buffer += chunk[..<count]
    }
}
