/// Finds where a request's head ends in bytes that come in pieces, and looks at each byte once.
///
/// Lines end with CR LF and nothing else: readers that take a bare LF, and those that do not, find different heads
/// (RFC 9112 section 2.2 leaves it open).
struct HTTP1HeadEnd {
    enum Finding: Equatable {
        /// So many bytes are the head, its empty line included.
        case head(byteCount: Int)
        case incomplete
        /// A line that ends with LF alone.
        case malformed
    }

    private var scannedByteCount = 0
    private var lineStart = 0

    /// Goes on where it stopped.
    ///
    /// - Parameter bytes: all that came of the request so far.
    /// - Returns: what there is of a head.
    mutating func find(in bytes: Span<UInt8>) -> Finding {
        while scannedByteCount < bytes.count {
            let index = scannedByteCount
            scannedByteCount += 1
            guard bytes[index] == UInt8(ascii: "\n") else { continue }
            guard index > lineStart, bytes[index - 1] == UInt8(ascii: "\r") else { return .malformed }
            if index - 1 == lineStart { return .head(byteCount: index + 1) }
            lineStart = index + 1
        }
        return .incomplete
    }
}
