import Glibc

/// A part of an open file, which is closed when the last reference goes.
package final class HTTPFileSlice: Sendable {
    package let descriptor: Int32
    package let offset: UInt64
    package let byteCount: UInt64

    /// - Parameters:
    ///   - descriptor: open for reading; owned from now on.
    ///   - offset: the slice's first byte, counted from the file's.
    ///   - byteCount: all of it is there: a file that turns out shorter breaks the answer off.
    package init(owning descriptor: Int32, offset: UInt64, byteCount: UInt64) {
        self.descriptor = descriptor
        self.offset = offset
        self.byteCount = byteCount
    }

    deinit {
        close(descriptor)
    }
}

/// A slice of a file on its way to a client, piece by piece.
struct HTTPFileStream {
    /// The largest piece; each has the whole deadline of an answer.
    static let pieceByteCount = 1 << 16

    private let slice: HTTPFileSlice
    private var readByteCount: UInt64 = 0
    private var notedByteCount: UInt64 = 0

    /// - Returns: nil for a body that is not a file, or has no bytes.
    init?(_ body: HTTPAnswer.Body) {
        guard case .file(let slice) = body, slice.byteCount > 0 else { return nil }
        self.slice = slice
    }

    var isDone: Bool { readByteCount == slice.byteCount }

    /// Reads the next piece.
    ///
    /// - Returns: its length; 0 when the file is shorter than the slice, or cannot be read.
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

    /// Whether a whole piece was read since this was last true.
    mutating func hasNewPiece() -> Bool {
        guard readByteCount - notedByteCount >= UInt64(Self.pieceByteCount) else { return false }
        notedByteCount = readByteCount
        return true
    }
}
