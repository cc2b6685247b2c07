/// What a server's peer spends that costs it nothing, against what it has earned. No clock of its own.
///
/// Two things look like floods and are none: libcurl resets each stream that it has the answer of, and every client
/// enlarges windows for the DATA that it gets. So both are earned, by answers and by DATA, and count only beyond that.
struct HTTP2FloodLedger {
    private var resets: FloodGuard
    private var idleFrames: FloodGuard
    /// Streams that ended well, and that the peer may still reset.
    private var answerCount = 0
    private var windowUpdateCount = 0
    /// More than that is no client's habit.
    private static let earnedCountMax = 1 << 16

    init(_ settings: HTTP2Settings, now: MonotonicTime) {
        resets = FloodGuard(settings.resets, now: now)
        idleFrames = FloodGuard(settings.idleFrames, now: now)
    }

    // MARK: Earning

    mutating func didAnswer() {
        answerCount = min(answerCount + 1, Self.earnedCountMax)
    }

    /// The peer may enlarge the stream's window and the connection's for it.
    mutating func didSendData() {
        windowUpdateCount = min(windowUpdateCount + 2, Self.earnedCountMax)
    }

    // MARK: Spending; false: too much

    /// A frame that carries nothing.
    mutating func admitIdleFrame(now: MonotonicTime) -> Bool {
        idleFrames.admit(now: now)
    }

    mutating func admitWindowUpdate(now: MonotonicTime) -> Bool {
        guard windowUpdateCount == 0 else {
            windowUpdateCount -= 1
            return true
        }
        return idleFrames.admit(now: now)
    }

    /// A stream without an answer that the peer broke off, or that we had to.
    mutating func admitReset(now: MonotonicTime) -> Bool {
        resets.admit(now: now)
    }

    /// RST_STREAM for a stream that is over.
    mutating func admitLateReset(now: MonotonicTime) -> Bool {
        guard answerCount == 0 else {
            answerCount -= 1
            return true
        }
        return resets.admit(now: now)
    }
}
