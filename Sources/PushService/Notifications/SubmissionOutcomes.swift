/// Last seconds' submissions that failed at the store. Shows faults that test writes miss, as a damaged page. Times are
/// nanoseconds of a monotonic clock.
struct SubmissionOutcomes: Sendable {
    /// Fewer failures may be one tenant's damaged row.
    private static let failureCountMin = 3
    private static let spanNanoseconds: Int64 = 4_000_000_000

    private struct Span {
        var storedCount = 0
        var failedCount = 0
    }

    private var current = Span()
    private var earlier = Span()
    private var currentBegan = Int64.min

    /// Ignores all but 201, 202 and 500s: they say nothing of the store.
    mutating func note(status: Int, now: Int64) {
        let isStored = status == 201 || status == 202
        guard isStored || status >= 500 else { return }
        advance(to: now)
        if isStored { current.storedCount += 1 } else { current.failedCount += 1 }
    }

    /// True if more failed than were stored; some seconds without submissions reset it.
    mutating func areFailing(now: Int64) -> Bool {
        advance(to: now)
        let failedCount = current.failedCount + earlier.failedCount
        return failedCount >= Self.failureCountMin && failedCount > current.storedCount + earlier.storedCount
    }

    private mutating func advance(to now: Int64) {
        guard currentBegan == .min || now - currentBegan >= Self.spanNanoseconds else { return }
        let isNext = currentBegan != .min && now - currentBegan < 2 * Self.spanNanoseconds
        earlier = isNext ? current : Span()
        current = Span()
        currentBegan = now
    }
}
