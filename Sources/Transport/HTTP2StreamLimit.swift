/// How many streams a peer may have open at once: what it was told, what it has confirmed, and how many there are.
///
/// Counted here and not by nghttp2, which ends the connection of a peer that goes beyond what it has confirmed: RFC 9113
/// section 5.1.2 asks for a stream error.
struct HTTP2StreamLimit {
    enum Verdict {
        case open
        /// Above a limit that the peer may not know of yet: refused, and not its fault.
        case refuse
        /// Above every limit that it may believe in, or so for too long.
        case violation
    }

    /// What the peer was told last.
    private(set) var announced: UInt32
    /// What it has confirmed; RFC 9113 section 6.5.2 sets no limit before.
    private var confirmed = UInt32.max
    /// One for each SETTINGS frame on its way, in order.
    private var unconfirmed: [UInt32] = []
    private(set) var openCount = 0
    /// Refused since the last announcement without being the peer's fault.
    private var forgivenCount = 0
    /// A peer may have as many on their way: the largest limit that APNs has been seen to give.
    private static let forgivenCountMax = 1000

    init(announced: UInt32) {
        self.announced = announced
        unconfirmed = [announced]
    }

    /// One more SETTINGS frame goes out.
    mutating func announce(_ limit: UInt32) {
        announced = limit
        forgivenCount = 0
        unconfirmed.append(limit)
    }

    /// The peer confirms the oldest of them.
    mutating func didReceiveAcknowledgement() {
        guard !unconfirmed.isEmpty else { return }
        confirmed = unconfirmed.removeFirst()
    }

    /// Another stream begins; counted only when it may.
    mutating func open() -> Verdict {
        guard openCount >= announced else {
            openCount += 1
            return .open
        }
        guard openCount < confirmed, forgivenCount < Self.forgivenCountMax else { return .violation }
        forgivenCount += 1
        return .refuse
    }

    /// One that was let in has ended.
    mutating func close() {
        openCount -= 1
    }
}

/// nghttp2 gets each limit with its highest bit set, and so never reaches it; the peer gets it without.
extension HTTP2StreamLimit {
    private static let mark: UInt32 = 1 << 31

    /// What nghttp2 is told in place of `limit`, which is below 2^31.
    static func marked(_ limit: UInt32) -> UInt32 { limit | mark }

    /// Takes the mark out of a SETTINGS frame (RFC 9113 section 6.5) that is about to leave.
    ///
    /// - Parameter frame: one whole frame of any type; any but SETTINGS stays as it is.
    /// - Returns: the frame's bytes as the peer gets them; nil when nothing has to change.
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
