/// Chooses ends of body frames so that a peer with the protocol's first window returns all of it.
///
/// Peers return a window when half is used (nghttp2, Netty), and check after each frame. After a frame across the half,
/// the rest is less, and waits for bytes that cannot come. Frames that end at the half and the whole leave no rest.
struct SendPace {
    /// RFC 9113 section 6.9.2.
    static let windowByteCount = 65_535
    private static let halfByteCount = windowByteCount / 2 + 1

    /// Within the current window's worth of bytes.
    private var position = 0

    /// Maximum length of the next frame; a wider window needs no marks.
    func byteCountToMark(window: Int) -> Int {
        guard window <= Self.windowByteCount else { return .max }
        return (position < Self.halfByteCount ? Self.halfByteCount : Self.windowByteCount) - position
    }

    mutating func didSend(_ byteCount: Int) {
        position = (position + byteCount) % Self.windowByteCount
    }
}

/// All outgoing bodies of a session, with one call per piece: each access to a session is checked for exclusivity.
struct OutgoingBodies {
    private var pace = SendPace()
    private(set) var unsentByteCount = 0
    /// Slot of the last cut body; negative: none.
    private var cutSlot = -1

    var isCut: Bool { cutSlot >= 0 }

    func byteCountToMark(window: Int) -> Int { pace.byteCountToMark(window: window) }

    mutating func didSubmit(_ byteCount: Int, insteadOf dropped: Int = 0) { unsentByteCount += byteCount - dropped }

    mutating func didSend(_ byteCount: Int, of slot: Int, isEnd: Bool) {
        unsentByteCount -= byteCount
        pace.didSend(byteCount)
        if !isEnd { cutSlot = slot } else if cutSlot == slot { cutSlot = -1 }
    }

    mutating func didFree(_ slot: Int, unsentByteCount byteCount: Int) {
        unsentByteCount -= byteCount
        if cutSlot == slot { cutSlot = -1 }
    }
}
