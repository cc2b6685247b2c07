/// Where frames of bodies end, so that a peer with the protocol's first window gives all of it back.
///
/// Peers give a window back when half of it is used up (nghttp2, Netty), and look after each frame. One that runs across
/// the half makes them see more than half, and then what is left is less than half: they keep that until more comes,
/// which cannot come. Frames that end at the half and at the whole leave nothing behind.
struct SendPace {
    /// RFC 9113 section 6.9.2.
    static let windowByteCount = 65_535
    private static let halfByteCount = windowByteCount / 2 + 1

    /// In the present window's worth of bytes.
    private var position = 0

    /// How long the next frame may be at most; a peer that has opened its window wider needs no marks.
    func byteCountToMark(window: Int) -> Int {
        guard window <= Self.windowByteCount else { return .max }
        return (position < Self.halfByteCount ? Self.halfByteCount : Self.windowByteCount) - position
    }

    mutating func didSend(_ byteCount: Int) {
        position = (position + byteCount) % Self.windowByteCount
    }
}

/// All outgoing bodies of a session. One value, and told once of each piece: each access to what a session holds is checked
/// for exclusivity.
struct OutgoingBodies {
    private var pace = SendPace()
    /// Submitted, and not yet bytes.
    private(set) var unsentByteCount = 0
    /// Whose body was the last to be cut; negative: none.
    private var cutSlot = -1

    /// Whether one body is out in part, and not to its end.
    var isCut: Bool { cutSlot >= 0 }

    func byteCountToMark(window: Int) -> Int { pace.byteCountToMark(window: window) }

    mutating func didSubmit(_ byteCount: Int, insteadOf dropped: Int = 0) { unsentByteCount += byteCount - dropped }

    mutating func didSend(_ byteCount: Int, of slot: Int, isEnd: Bool) {
        unsentByteCount -= byteCount
        pace.didSend(byteCount)
        if !isEnd { cutSlot = slot } else if cutSlot == slot { cutSlot = -1 }
    }

    /// What is left of a body never goes.
    mutating func didFree(_ slot: Int, unsentByteCount byteCount: Int) {
        unsentByteCount -= byteCount
        if cutSlot == slot { cutSlot = -1 }
    }
}
