import CNGHTTP2
import Networking

/// nghttp2's session decides when a head is sent, and knows the stream; its HEADERS frames get our own fields.
extension HTTP2Session {
    /// Payload that every peer takes (RFC 9113 section 6.5.2).
    private static let pieceByteCount = 1 << 14
    private static let headers: UInt8 = 1
    private static let continuation: UInt8 = 9
    private static let endHeaders: UInt8 = 4

    /// Called before nghttp2 sends a HEADERS frame, which is its next.
    func willWriteHead(streamID: Int32) {
        guard let slot = slot(of: streamID) else { return }
        writtenHead = streams[slot].didWriteHead()
    }

    /// Writes `head` in place of nghttp2's frame, with its flags and stream.
    func write(_ head: HTTP2Head, insteadOf frame: Span<UInt8>, into queue: inout ByteQueue) throws(HTTP2Error) {
        precondition(frame.count >= 9 && frame[3] == Self.headers)
        let block = try headerEncoder.encode { head.write(to: &$0) }
        var start = 0
        repeat {
            let end = min(block.count, start + Self.pieceByteCount)
            let flags = start == 0 ? frame[4] & ~Self.endHeaders : 0
            let frameHead: InlineArray<9, UInt8> = [
                0, UInt8((end - start) >> 8), UInt8(truncatingIfNeeded: end - start),
                start == 0 ? Self.headers : Self.continuation, end == block.count ? flags | Self.endHeaders : flags,
                frame[5], frame[6], frame[7], frame[8],
            ]
            queue.append(frameHead.span)
            queue.append(block.span.extracting(start..<end))
            start = end
        } while start < block.count
    }
}
