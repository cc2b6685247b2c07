/// Peer's limit of open streams. Enforced here because nghttp2 ends the connection of a peer beyond the
/// acknowledged limit; RFC 9113 section 5.1.2 asks for a stream error.
struct HTTP2StreamLimit {
    enum Verdict {
        case open
        /// Above a limit that the peer may not know yet: refused, but not its fault.
        case refuse
        /// Above every limit that the peer may assume, or too often.
        case violation
    }

    /// The last limit sent.
    private(set) var announced: UInt32
    /// Acknowledged limit; RFC 9113 section 6.5.2 sets none before.
    private var confirmed = UInt32.max
    /// One for each SETTINGS frame on its way, in order.
    private var unconfirmed: [UInt32] = []
    private(set) var openCount = 0
    /// Blameless refusals since the last announcement.
    private var forgivenCount = 0
    /// Streams that may be on their way: the largest limit seen from APNs.
    private static let forgivenCountMax = 1000

    init(announced: UInt32) {
        self.announced = announced
        unconfirmed = [announced]
    }

    mutating func announce(_ limit: UInt32) {
        announced = limit
        forgivenCount = 0
        unconfirmed.append(limit)
    }

    mutating func didReceiveAcknowledgement() {
        guard !unconfirmed.isEmpty else { return }
        confirmed = unconfirmed.removeFirst()
    }

    mutating func open() -> Verdict {
        guard openCount >= announced else {
            openCount += 1
            return .open
        }
        guard openCount < confirmed, forgivenCount < Self.forgivenCountMax else { return .violation }
        forgivenCount += 1
        return .refuse
    }

    mutating func close() {
        openCount -= 1
    }
}

/// nghttp2 gets each limit with its highest bit set, which it never reaches; the peer gets it without.
extension HTTP2StreamLimit {
    private static let mark: UInt32 = 1 << 31

    static func marked(_ limit: UInt32) -> UInt32 { limit | mark }

    /// Clears the mark in an outgoing SETTINGS frame (RFC 9113 section 6.5); nil for any other frame.
    static func unmarked(_ frame: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let (headByteCount, entryByteCount) = (9, 6)
        // Type 4, and no acknowledgement.
        guard unsafe frame.count > headByteCount && frame[3] == 4 && frame[4] & 1 == 0 else { return nil }
        var bytes = unsafe Array(frame)
        for start in stride(from: headByteCount, to: bytes.count - entryByteCount + 1, by: entryByteCount)
        where bytes[start] == 0 && bytes[start + 1] == 3 {
            bytes[start + 2] &= 0x7F
        }
        return bytes
    }
}
