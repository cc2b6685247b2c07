/// Finds the end of a request's head in pieces, scanning each byte once.
///
/// Lines end with CR LF only: parsers disagree about a bare LF (RFC 9112 section 2.2 leaves it open).
struct HTTP1HeadEnd {
    enum Finding: Equatable {
        /// With the empty line.
        case head(byteCount: Int)
        case incomplete
        /// Line with a bare LF.
        case malformed
    }

    private var scannedByteCount = 0
    private var lineStart = 0

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
