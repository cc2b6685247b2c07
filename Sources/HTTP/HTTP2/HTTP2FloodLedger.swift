import Networking

/// Peer's costless frames, against its earnings. No clock.
///
/// Two habits are no floods: libcurl resets each answered stream, and every client enlarges windows for received DATA.
/// Answers and DATA earn these; only more counts.
struct HTTP2FloodLedger {
    private var resets: FloodGuard
    private var idleFrames: FloodGuard
    /// Clean streams that the peer may still reset.
    private var answerCount = 0
    private var windowUpdateCount = 0
    private static let earnedCountMax = 1 << 16

    init(_ settings: HTTP2Settings, now: MonotonicTime) {
        resets = FloodGuard(settings.resets, now: now)
        idleFrames = FloodGuard(settings.idleFrames, now: now)
    }

    // MARK: Earning

    mutating func didAnswer() {
        answerCount = min(answerCount + 1, Self.earnedCountMax)
    }

    /// Earns two window updates: the stream's and the connection's.
    mutating func didSendData() {
        windowUpdateCount = min(windowUpdateCount + 2, Self.earnedCountMax)
    }

    // MARK: Spending; false: too much

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

    /// An unanswered stream, reset by the peer or because of it.
    mutating func admitReset(now: MonotonicTime) -> Bool {
        resets.admit(now: now)
    }

    /// RST_STREAM for a closed stream.
    mutating func admitLateReset(now: MonotonicTime) -> Bool {
        guard answerCount == 0 else {
            answerCount -= 1
            return true
        }
        return resets.admit(now: now)
    }
}
