import Networking

/// Scans frames before nghttp2, which silently discards some: on closed streams, of unknown types, after a malformed
/// head.
struct HTTP2FrameScanner {
    struct Findings {
        /// Frames without content, judged by their heads.
        var idleFrameCount = 0
        /// Server: all. Client: those on streams that the server has ended.
        var windowUpdateCount = 0
        /// HEADERS or DATA on a stream that the peer has ended or reset (RFC 9113 section 5.1).
        var isAfterEnd = false
        /// Header block beyond its limit.
        var isBlockTooLarge = false
    }

    private enum FrameType {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    private static let headByteCount = 9
    private static let endStream: UInt8 = 1
    private static let endHeaders: UInt8 = 4

    private let role: HTTP2Session.Role
    /// Rest of the client's preface (RFC 9113 section 3.4).
    private var prefaceByteCount: Int
    private var headIndex = 0
    private var type: UInt8 = 0
    private var flags: UInt8 = 0
    private var streamID: UInt32 = 0
    private var payloadByteCount = 0
    private var blockByteCount = 0
    private var continuationCount = 0
    /// Start of an unfinished header block (RFC 9113 section 4.3).
    private(set) var blockBegan: MonotonicTime?
    /// Server: opened by the scan. Client: by the session.
    var peerStreams = HTTP2PeerStreams()

    init(_ role: HTTP2Session.Role) {
        self.role = role
        prefaceByteCount = role == .server ? 24 : 0
    }

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

    /// Three bytes of length, type, flags, a reserved bit and the stream (RFC 9113 section 4.1).
    private mutating func takeHead(_ byte: UInt8) {
        switch headIndex {
        case 0: payloadByteCount = Int(byte)
        case 1, 2: payloadByteCount = payloadByteCount << 8 | Int(byte)
        case 3: type = byte
        case 4: flags = byte
        case 5: streamID = UInt32(byte & 0x7F)
        default: streamID = streamID << 8 | UInt32(byte)
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
        judgeStream(&findings)
        if blockByteCount > settings.headerBlockByteCountMax || continuationCount > settings.continuationCountMax {
            findings.isBlockTooLarge = true
        }
    }

    /// Clients' streams have odd numbers; nghttp2 ends the connection for others.
    private mutating func judgeStream(_ findings: inout Findings) {
        switch type {
        case FrameType.headers where streamID & 1 == 1, FrameType.data where streamID & 1 == 1:
            if type == FrameType.headers, role == .server { peerStreams.open(streamID) }
            switch peerStreams.receive(on: streamID, endsStream: flags & Self.endStream != 0) {
            case .expected: break
            case .excess: findings.idleFrameCount += 1
            case .afterEnd: findings.isAfterEnd = true
            }
        case FrameType.reset: peerStreams.end(streamID)
        case FrameType.windowUpdate where role == .server: findings.windowUpdateCount += 1
        case FrameType.windowUpdate where streamID & 1 == 1 && !peerStreams.isOpen(streamID):
            findings.windowUpdateCount += 1
        default: break
        }
    }

    private mutating func didEnd() {
        headIndex = 0
        guard type == FrameType.headers || type == FrameType.continuation, flags & Self.endHeaders != 0 else { return }
        (blockBegan, blockByteCount, continuationCount) = (nil, 0, 0)
    }
}
