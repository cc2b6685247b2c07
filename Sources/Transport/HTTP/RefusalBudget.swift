/// How much of a server's time goes into saying 429 (RFC 6585 section 4), and whom it stops to listen to when that is too
/// much. A value: the clock is the caller's.
///
/// A refusal is cheap and not free, and who does not heed `Retry-After` asks again as soon as it has one. Each is paid for in
/// the order in which it came; a connection whose refusal cannot be paid for at once is not read until it is. Its requests wait
/// in TCP's own buffers meanwhile, where they cost nothing, and its sender is as fast as it may be.
struct RefusalBudget {
    /// What refusals may take, and when a connection is held back.
    struct Measure: Sendable {
        /// Of the loop's time, for all of them together: 5,000 in a second. Of the tenth that a server may lose at three
        /// times what it takes, the rest goes into keeping more requests at once.
        var percentMax = 4
        /// Of one, from TLS to TLS: what a refused POST of 1 KB takes.
        var nanosecondsEach: Int64 = 8_000
        /// Paid for in advance: a moment's crowd is no flood.
        var burst: Int64 = 256
        /// In a second, from one connection that is never held back for them: who heeds `Retry-After` has no more.
        var countOfConnection = 8
        /// No connection waits longer: the least that `Retry-After` says.
        var holdMax: Int64 = 1_000_000_000

        /// The time in which one is paid for.
        var interval: Int64 { nanosecondsEach * 100 / Int64(percentMax) }
    }

    /// One connection's part in it.
    struct Share {
        fileprivate var count = 0
        fileprivate var began = MonotonicTime(nanoseconds: .min / 2)
    }

    private static let second: Int64 = 1_000_000_000

    private let measure: Measure
    /// When all of them will have been paid for.
    private var paidAt = MonotonicTime(nanoseconds: 0)
    /// How often a connection was held back.
    private(set) var holdCount = 0

    init(_ measure: Measure = Measure()) {
        precondition((1...100).contains(measure.percentMax) && measure.nanosecondsEach > 0 && measure.holdMax > 0)
        self.measure = measure
    }

    /// One more.
    ///
    /// - Parameters:
    ///   - share: of the connection whose request it was.
    ///   - now: never earlier than in the call before.
    /// - Returns: until when the connection is not to be read, at most `holdMax` from now; nil: it may go on.
    mutating func refuse(_ share: inout Share, at now: MonotonicTime) -> MonotonicTime? {
        if now.nanoseconds - share.began.nanoseconds >= Self.second { share = Share(count: 0, began: now) }
        share.count += 1
        // What is owed beyond the longest hold is forgiven: nobody will be held back for it.
        let latest = now.adding(nanoseconds: measure.burst * measure.interval + measure.holdMax)
        paidAt = min(max(paidAt, now).adding(nanoseconds: measure.interval), latest)
        let end = paidAt.adding(nanoseconds: -measure.burst * measure.interval)
        guard end > now, share.count > measure.countOfConnection else { return nil }
        return end
    }

    /// A connection is held back that was not before.
    mutating func didHold() { holdCount += 1 }
}
