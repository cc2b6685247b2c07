import Networking

/// Bounds a server's time for responses of 429 (RFC 6585 section 4). A value: the clock is the caller's.
///
/// A client that ignores `Retry-After` asks again at once. A connection whose refusal is not paid for is not read until
/// it is; its requests wait in TCP's own buffers, where they cost nothing.
struct RefusalBudget {
    struct Measure: Sendable {
        /// Share of the loop's time for all refusals: 5,000 a second. At threefold load a server may lose a tenth; the
        /// rest of that pays for more concurrent requests.
        var percentMax = 4
        /// Cost of one refused POST of 1 KB, from TLS to TLS.
        var nanosecondsEach: Int64 = 8_000
        /// Refusals paid for in advance: a short crowd is no flood.
        var burst: Int64 = 256
        /// Refusals a second that never hold a connection: enough for clients that heed `Retry-After`.
        var countOfConnection = 8
        /// Longest hold, in nanoseconds: the least `Retry-After`.
        var holdMax: Int64 = 1_000_000_000

        /// Nanoseconds until one more is paid for.
        var interval: Int64 { nanosecondsEach * 100 / Int64(percentMax) }
    }

    struct Share {
        fileprivate var count = 0
        fileprivate var began = MonotonicTime(nanoseconds: .min / 2)
    }

    private static let second: Int64 = 1_000_000_000

    private let measure: Measure
    private var paidAt = MonotonicTime(nanoseconds: 0)
    private(set) var holdCount = 0

    init(_ measure: Measure = Measure()) {
        precondition((1...100).contains(measure.percentMax) && measure.nanosecondsEach > 0 && measure.holdMax > 0)
        self.measure = measure
    }

    /// Counts one more refusal. `now` never goes back.
    ///
    /// - Returns: End of the connection's hold, at most `holdMax` from now; nil for none.
    mutating func refuse(_ share: inout Share, at now: MonotonicTime) -> MonotonicTime? {
        if now.nanoseconds - share.began.nanoseconds >= Self.second { share = Share(count: 0, began: now) }
        share.count += 1
        // Debt beyond the longest hold is forgiven.
        let latest = now.adding(nanoseconds: measure.burst * measure.interval + measure.holdMax)
        paidAt = min(max(paidAt, now).adding(nanoseconds: measure.interval), latest)
        let end = paidAt.adding(nanoseconds: -measure.burst * measure.interval)
        guard end > now, share.count > measure.countOfConnection else { return nil }
        return end
    }

    mutating func didHold() { holdCount += 1 }
}
