import Networking

/// Bounds a server's time for responses of 429 (RFC 6585 section 4). A value: the clock is the caller's.
///
/// A client that ignores `Retry-After` asks again at once. A connection whose refusal is not paid for is not read until
/// it is; its requests wait in TCP's own buffers, where they cost nothing.
struct RefusalBudget {
    struct Measure: Sendable {
        /// Share of the loop's time for all refusals. At threefold load a server may lose a tenth; the rest of that pays
        /// for more concurrent requests.
        var percentMax = 2
        /// Bounds of a refusal's measured cost. Least: a POST of 1 KB among many, from TLS to TLS; 2,500 a second. Most:
        /// one that comes alone, with its own wake-up, calls of the system and look-up.
        var nanosecondsEach: ClosedRange<Int64> = 8_000...100_000
        /// Refusals paid for in advance: a short crowd is no flood.
        var burst: Int64 = 256
        /// Refusals a second that never hold a connection: enough for clients that heed `Retry-After`.
        var countOfConnection = 8
        /// Longest hold, in nanoseconds: the least `Retry-After`.
        var holdMax: Int64 = 1_000_000_000
    }

    struct Share {
        fileprivate var count = 0
        fileprivate var began = MonotonicTime(nanoseconds: .min / 2)
    }

    private static let second: Int64 = 1_000_000_000

    /// A cost is measured over at least as long.
    private static let windowMin: Int64 = 100_000_000

    private let measure: Measure
    private var paidAt = MonotonicTime(nanoseconds: 0)
    private(set) var holdCount = 0
    /// Cost of one refusal, in nanoseconds.
    private var each: Int64
    private var requestCount: Int64 = 0
    private var windowBegan: MonotonicTime?
    private var usageBefore = EventLoop.Usage()

    init(_ measure: Measure = Measure()) {
        precondition((1...100).contains(measure.percentMax) && measure.nanosecondsEach.lowerBound > 0)
        precondition(measure.holdMax > 0)
        self.measure = measure
        each = measure.nanosecondsEach.lowerBound
    }

    /// Nanoseconds until one more is paid for.
    var interval: Int64 { each * 100 / Int64(measure.percentMax) }

    /// Counts one more request, refused or not.
    mutating func didBegin() { requestCount += 1 }

    /// Takes a refusal's cost from the loop's work since the last measurement, if that was long ago: the mean time for a
    /// request if each had a turn of its own, the least if many share one. What is accepted costs more.
    mutating func measure(_ usage: EventLoop.Usage, at now: MonotonicTime) {
        if let began = windowBegan {
            guard now.nanoseconds - began.nanoseconds >= Self.windowMin else { return }
            let (least, most) = (measure.nanosecondsEach.lowerBound, measure.nanosecondsEach.upperBound)
            let count = max(1, requestCount)
            let mean = min(max((usage.nanoseconds - usageBefore.nanoseconds) / count, least), most)
            each = least + (mean - least) * min(usage.turnCount - usageBefore.turnCount, count) / count
        }
        (windowBegan, usageBefore, requestCount) = (now, usage, 0)
    }

    /// Counts one more refusal. `now` never goes back.
    ///
    /// - Returns: End of the connection's hold, at most `holdMax` from now; nil for none.
    mutating func refuse(_ share: inout Share, at now: MonotonicTime) -> MonotonicTime? {
        if now.nanoseconds - share.began.nanoseconds >= Self.second { share = Share(count: 0, began: now) }
        share.count += 1
        // Debt beyond the longest hold is forgiven.
        let latest = now.adding(nanoseconds: measure.burst * interval + measure.holdMax)
        paidAt = min(max(paidAt, now).adding(nanoseconds: interval), latest)
        let end = paidAt.adding(nanoseconds: -measure.burst * interval)
        guard end > now, share.count > measure.countOfConnection else { return nil }
        return end
    }

    mutating func didHold() { holdCount += 1 }
}
