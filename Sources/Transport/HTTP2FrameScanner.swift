/// Looks at the frames that come to a server before nghttp2 does, which keeps silent about those that it throws away:
/// DATA for streams that are over, unknown types, what follows a malformed head. Nothing is judged here but how much of it
/// there is.
struct HTTP2FrameScanner {
    /// What one piece of bytes held.
    struct Findings {
        /// Frames that carry nothing, as far as their heads tell.
        var idleFrameCount = 0
        /// A header block has become longer than any request's.
        var isBlockTooLarge = false
    }

    private enum FrameType {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let continuation: UInt8 = 9
    }

    private static let headByteCount = 9
    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4

    /// Of the client's preface (RFC 9113 section 3.4).
    private var prefaceByteCount = 24
    private var headIndex = 0
    private var type: UInt8 = 0
    private var flags: UInt8 = 0
    /// Of the frame at hand.
    private var payloadByteCount = 0
    private var blockByteCount = 0
    private var continuationCount = 0
    /// A header block has begun, then, and its last byte has not come (RFC 9113 section 4.3).
    private(set) var blockBegan: MonotonicTime?

    /// Takes what arrived, whole, in pieces of any length.
    mutating func scan(_ bytes: Span<UInt8>, settings: HTTP2Settings, now: MonotonicTime) -> Findings {
        var findings = Findings()
        var index = min(prefaceByteCount, bytes.count)
        prefaceByteCount -= index
        while index < bytes.count {
            if headIndex < Self.headByteCount {
                takeHead(bytes[index])
                index += 1
                if headIndex == Self.headByteCount { didBegin(settings, now, &findings) }
            } else {
                let byteCount = min(payloadByteCount, bytes.count - index)
                index += byteCount
                payloadByteCount -= byteCount
            }
            if headIndex == Self.headByteCount, payloadByteCount == 0 { didEnd() }
        }
        return findings
    }

    /// RFC 9113 section 4.1: three bytes of length, type, flags, and the stream, which does not matter here.
    private mutating func takeHead(_ byte: UInt8) {
        switch headIndex {
        case 0: payloadByteCount = Int(byte)
        case 1, 2: payloadByteCount = payloadByteCount << 8 | Int(byte)
        case 3: type = byte
        case 4: flags = byte
        default: break
        }
        headIndex += 1
    }

    private mutating func didBegin(_ settings: HTTP2Settings, _ now: MonotonicTime, _ findings: inout Findings) {
        switch type {
        case FrameType.headers:
            (blockBegan, blockByteCount, continuationCount) = (now, payloadByteCount, 0)
        case FrameType.continuation:
            blockByteCount += payloadByteCount
            continuationCount += 1
        case FrameType.data where payloadByteCount == 0 && flags & Self.endStream == 0: findings.idleFrameCount += 1
        case (FrameType.continuation + 1)...: findings.idleFrameCount += 1
        default: break
        }
        if blockByteCount > settings.headerBlockByteCountMax || continuationCount > settings.continuationCountMax {
            findings.isBlockTooLarge = true
        }
    }

    private mutating func didEnd() {
        headIndex = 0
        guard type == FrameType.headers || type == FrameType.continuation, flags & Self.endHeaders != 0 else { return }
        (blockBegan, blockByteCount, continuationCount) = (nil, 0, 0)
    }
}
