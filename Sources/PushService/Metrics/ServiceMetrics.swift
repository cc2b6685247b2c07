package import APNS
package import PushStore

/// What the service counts. Every label's values are known, lanes and reasons by their types and apps by the
/// configuration: nothing that a stranger sends makes a new series.
package struct ServiceMetrics: Sendable {
    /// What became of an attempt, beside the reasons of APNs.
    package enum Outcome: String, CaseIterable, Sendable {
        case accepted = "Accepted"
        case unknownReason = "UnknownReason"
        case notProcessed = "NotProcessed"
        case ambiguous = "Ambiguous"
        case notSendable = "NotSendable"
        case suspended = "Suspended"
        case expired = "Expired"
        case superseded = "Superseded"
    }

    /// Why a request was not taken.
    package enum Refusal: String, CaseIterable, Sendable {
        case unauthorized
        case endedKey = "ended-key"
        case rate
        case quota
        case invalid
        case plainText = "plain-text"
        case tooLarge = "too-large"
        case storage
        case draining
    }

    /// How a fallback ended.
    package enum FallbackEnd: String, CaseIterable, Sendable {
        case sent
        /// Not sent, or not taken with a 2xx.
        case failed
        /// It may have been sent, and is not sent again.
        case uncertain
    }

    /// Apps beyond this share the label `other`.
    package static let appCountMax = 256

    private static let other = "other"

    /// Bundle ids, in the order of their counters; the last is `other`.
    private(set) var apps: [String] = []
    private var places: [String: Int] = [:]
    /// Of the look before.
    private var lastPlace = (app: "", index: 0)
    private(set) var accepted: [UInt64] = []
    private(set) var sent: [UInt64] = []
    private(set) var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
    private(set) var reasons: [Reason: UInt64] = [:]
    private(set) var refusals = [UInt64](repeating: 0, count: Refusal.allCases.count)
    private(set) var receipts: UInt64 = 0
    private(set) var receiptsAwaited: UInt64 = 0
    private(set) var fallbacks = [UInt64](repeating: 0, count: FallbackEnd.allCases.count)
    private(set) var acceptLatency = Histogram()
    private(set) var answerLatency = Histogram()
    /// Set by whoever knows, before the text is made.
    package var queueDepth = LaneScheduler.Counts()
    /// Of the oldest, in seconds.
    package var queueAge = LaneScheduler.Counts()
    /// Of the fallback that is due the longest, in seconds.
    package var fallbackAgeSeconds = 0
    /// Of the oldest provider token, in seconds; nil without one.
    package var providerTokenAgeSeconds: Int?
    /// Credentials, and apps of one, that nothing is sent with.
    package var suspensionCount = 0
    /// What became of today's notifications, by app and region; set by whoever knows, and bounded there.
    package var deliveries: [DeliveryRates.Place: DeliveryRates.Counts] = [:]
    /// When the first certificate ends, seconds since 1970; nil without one. How many days that is, is said when the text
    /// is made: a process may run for longer than a certificate.
    package var certificatesEnd: Int64?

    /// - Parameter apps: the configured bundle ids; the first `appCountMax` have a series each.
    package init(apps: [String]) { adopt(apps: apps) }

    /// Other apps are configured from now on. Those that stay keep their series and counts, before those that are new;
    /// those that are gone have none any more, and what is still on its way of them counts as `other`.
    ///
    /// - Parameter configured: the bundle ids; `appCountMax` of them have a series each.
    package mutating func adopt(apps configured: [String]) {
        let wanted = Set(configured)
        var known = apps.dropLast().filter(wanted.contains)
        var seen = Set(known)
        for app in configured where known.count < Self.appCountMax && seen.insert(app).inserted { known.append(app) }
        let next = known + [Self.other]
        accepted = moved(accepted, to: next)
        sent = moved(sent, to: next)
        apps = next
        places = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($0.element, $0.offset) })
        lastPlace = ("", next.count - 1)
    }

    private func moved(_ counts: [UInt64], to next: [String]) -> [UInt64] {
        let laneCount = Lane.allCases.count
        return next.flatMap { app -> ArraySlice<UInt64> in
            let place = app == Self.other ? apps.indices.last : places[app]
            guard let place else { return ArraySlice(repeating: 0, count: laneCount) }
            return counts[place * laneCount..<(place + 1) * laneCount]
        }
    }

    /// Notifications that are on disk.
    package mutating func didAccept(_ count: Int, app: String, lane: Lane, microseconds: Int64) {
        let place = place(app, lane)
        accepted[place] &+= UInt64(max(0, count))
        acceptLatency.observe(microseconds: microseconds)
    }

    package mutating func didSend(app: String, lane: Lane) {
        let place = place(app, lane)
        sent[place] &+= 1
    }

    /// An attempt has its end.
    ///
    /// - Parameters:
    ///   - outcome: what became of it.
    ///   - reason: Apple's, if it gave one that we know; then that is counted.
    ///   - microseconds: from the request to the answer; nil without one.
    package mutating func didFinish(_ outcome: Outcome, reason: Reason? = nil, microseconds: Int64? = nil) {
        if let reason { reasons[reason, default: 0] &+= 1 } else { outcomes[Self.index(outcome)] &+= 1 }
        if let microseconds { answerLatency.observe(microseconds: microseconds) }
    }

    /// So many had no time left while they waited.
    package mutating func didExpire(_ count: Int) { outcomes[Self.index(Outcome.expired)] &+= UInt64(max(0, count)) }

    package mutating func didRefuse(_ refusal: Refusal) { refusals[Self.index(refusal)] &+= 1 }
    package mutating func didAwaitReceipt() { receiptsAwaited &+= 1 }
    package mutating func didReceive() { receipts &+= 1 }
    package mutating func didEndFallback(_ end: FallbackEnd, count: Int = 1) {
        fallbacks[Self.index(end)] &+= UInt64(max(0, count))
    }

    /// Whole days, rounded down: an hour after the end is day -1.
    package static func days(from now: Int64, to end: Int64) -> Int {
        let rest = end.subtractingReportingOverflow(now)
        guard !rest.overflow else { return now < 0 ? .max : .min }
        return Int((rest.partialValue >= 0 ? rest.partialValue : rest.partialValue - 86_399) / 86_400)
    }

    private mutating func place(_ app: String, _ lane: Lane) -> Int {
        // Neighbours are mostly of one app.
        if app != lastPlace.app { lastPlace = (app, places[app] ?? apps.count - 1) }
        return lastPlace.index * Lane.allCases.count + Self.index(lane)
    }

    /// At most eight cases: looking is as quick as a table.
    static func index<Case: CaseIterable & Equatable>(_ value: Case) -> Int {
        var index = 0
        for other in Case.allCases {
            if other == value { return index }
            index += 1
        }
        return 0
    }
}
