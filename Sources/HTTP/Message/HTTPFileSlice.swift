import Glibc

/// Part of an open file, closed with the last reference.
package final class HTTPFileSlice: Sendable {
    package let descriptor: Int32
    package let offset: UInt64
    package let byteCount: UInt64

    /// - Parameters:
    ///   - descriptor: Open for reading; owned by the slice.
    ///   - byteCount: A shorter file breaks the answer off.
    package init(owning descriptor: Int32, offset: UInt64, byteCount: UInt64) {
        self.descriptor = descriptor
        self.offset = offset
        self.byteCount = byteCount
    }

    deinit {
        close(descriptor)
    }
}

struct HTTPFileStream {
    /// Largest piece; each has an answer's whole deadline.
    static let pieceByteCount = 1 << 16

    private let slice: HTTPFileSlice
    private var readByteCount: UInt64 = 0
    private var notedByteCount: UInt64 = 0

    /// - Returns: nil for a body without a file or bytes.
    init?(_ body: HTTPAnswer.Body) {
        guard case .file(let slice) = body, slice.byteCount > 0 else { return nil }
        self.slice = slice
    }

    var isDone: Bool { readByteCount == slice.byteCount }

    /// Returns 0 if the file is too short or unreadable.
    mutating func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let byteCount = Int(min(UInt64(min(buffer.count, Self.pieceByteCount)), slice.byteCount - readByteCount))
        let offset = off_t(clamping: slice.offset + readByteCount)
        var count = 0
        repeat {
            count = unsafe pread(slice.descriptor, buffer.baseAddress, byteCount, offset)
        } while count < 0 && errno == EINTR
        readByteCount += UInt64(max(0, count))
        return max(0, count)
    }

    /// True if a whole piece was read since the last true.
    mutating func hasNewPiece() -> Bool {
        guard readByteCount - notedByteCount >= UInt64(Self.pieceByteCount) else { return false }
        notedByteCount = readByteCount
        return true
    }
}
