import Networking

/// Number of POSTs due at a planned rate. A value: the clock is the caller's.
struct FloodPace: Equatable, Sendable {
    private let perSecond: Int
    private let start: MonotonicTime
    private var plannedCount = 0

    init(perSecond: Int, start: MonotonicTime) {
        precondition(perSecond >= 1)
        self.perSecond = perSecond
        self.start = start
    }

    /// - Parameter now: Never earlier than in the call before.
    /// - Returns: POSTs that have become due since that call.
    mutating func take(at now: MonotonicTime) -> Int {
        let elapsed = Double(max(0, now.nanoseconds - start.nanoseconds)) / 1e9
        let count = max(plannedCount, Int(elapsed * Double(perSecond)))
        defer { plannedCount = count }
        return count - plannedCount
    }
}
