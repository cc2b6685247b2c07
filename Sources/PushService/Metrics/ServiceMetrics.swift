package import APNS
import Envelope
package import PushStore
import ServiceParts

/// Counters. Labels come from types or the configuration, not from outside.
package struct ServiceMetrics: Sendable {
    /// Results of attempts, beside the reasons of APNs.
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

    package enum Rejection: String, CaseIterable, Sendable {
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

    package enum FallbackEnd: String, CaseIterable, Sendable {
        case sent
        /// Fallback not sent, or answered without a 2xx.
        case failed
        /// Possibly sent, and not sent again.
        case uncertain
    }

    struct AppCounts: Sendable {
        /// By lane.
        var accepted = [UInt64](repeating: 0, count: Lane.allCases.count)
        var sent = [UInt64](repeating: 0, count: Lane.allCases.count)
        var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
        var reasons: [Reason: UInt64] = [:]
    }

    /// Times and webhook calls of one tenant.
    struct TenantCounts: Sendable {
        var acceptLatency = Histogram()
        var answerLatency = Histogram()
        var webhook = WebhookCounts()
    }

    /// Calls of a tenant's webhook since the start.
    struct WebhookCounts: Equatable, Sendable {
        var answered = 0
        var failed = 0
        var lastAnswered: Timestamp?
        var lastFailed: Timestamp?
        /// Nothing of the receiver's.
        var lastFailure = ""
    }

    package static let appCountMax = 256

    private static let other = "other"

    /// The last is `other`.
    private(set) var apps: [String] = []
    /// In the order of `apps`.
    private(set) var counts: [AppCounts] = []
    private var places: [String: Int] = [:]
    private var lastPlace = (app: "", index: 0)
    private(set) var refusals = [UInt64](repeating: 0, count: Rejection.allCases.count)
    private(set) var rejectedRecipients: UInt64 = 0
    private(set) var uncertainCommits: UInt64 = 0
    private(set) var receipts: UInt64 = 0
    private(set) var receiptsAwaited: UInt64 = 0
    private(set) var fallbacks = [UInt64](repeating: 0, count: FallbackEnd.allCases.count)
    private(set) var acceptLatency = Histogram()
    private(set) var answerLatency = Histogram()
    /// Configured ones.
    private(set) var tenants: [TenantID: TenantCounts] = [:]
    package var queueDepth = LaneScheduler.Counts()
    /// Age of the oldest entry, in seconds.
    package var queueAge = LaneScheduler.Counts()
    /// Age of the longest overdue fallback.
    package var fallbackAgeSeconds = 0
    /// Age of the oldest token; nil without one.
    package var providerTokenAgeSeconds: Int?
    /// Credentials, and apps of other ones.
    package var suspensionCount = 0
    package var deliveries: [DeliveryRates.Place: DeliveryRates.Counts] = [:]
    /// Seconds since 1970; nil without one.
    package var certificatesEnd: Int64?

    package init(apps: [String]) { adopt(apps: apps) }

    /// Known apps keep their counts; notifications of removed ones count as `other`.
    package mutating func adopt(apps configured: [String]) {
        let wanted = Set(configured)
        var known = apps.dropLast().filter(wanted.contains)
        var seen = Set(known)
        for app in configured where known.count < Self.appCountMax && seen.insert(app).inserted { known.append(app) }
        let next = known + [Self.other]
        counts = next.map { app in
            let place = app == Self.other ? apps.indices.last : places[app]
            return place.map { counts[$0] } ?? AppCounts()
        }
        apps = next
        places = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($0.element, $0.offset) })
        lastPlace = ("", next.count - 1)
    }

    package mutating func didAccept(
        _ count: Int,
        app: String,
        tenant: TenantID? = nil,
        lane: Lane,
        microseconds: Int64
    ) {
        let place = place(app)
        counts[place].accepted[Self.index(lane)] &+= UInt64(max(0, count))
        acceptLatency.observe(microseconds: microseconds)
        if let tenant { tenants[tenant, default: TenantCounts()].acceptLatency.observe(microseconds: microseconds) }
    }

    package mutating func didSend(app: String, lane: Lane) {
        let place = place(app)
        counts[place].sent[Self.index(lane)] &+= 1
    }

    /// - Parameters:
    ///   - reason: counted in place of `outcome`.
    ///   - microseconds: from the request to the answer.
    package mutating func didFinish(
        _ outcome: Outcome,
        app: String,
        tenant: TenantID? = nil,
        reason: Reason? = nil,
        microseconds: Int64? = nil
    ) {
        let place = place(app)
        if let reason {
            counts[place].reasons[reason, default: 0] &+= 1
        } else {
            counts[place].outcomes[Self.index(outcome)] &+= 1
        }
        guard let microseconds else { return }
        answerLatency.observe(microseconds: microseconds)
        if let tenant { tenants[tenant, default: TenantCounts()].answerLatency.observe(microseconds: microseconds) }
    }

    /// - Parameter failure: of the call; nil: it was answered with a 2xx.
    mutating func didCall(_ tenant: TenantID, failure: String?, at time: Timestamp) {
        var webhook = tenants[tenant]?.webhook ?? WebhookCounts()
        if let failure {
            webhook.failed += 1
            webhook.lastFailed = time
            webhook.lastFailure = failure
        } else {
            webhook.answered += 1
            webhook.lastAnswered = time
        }
        tenants[tenant, default: TenantCounts()].webhook = webhook
    }

    /// Drops tenants that are no longer configured.
    mutating func keep(tenants configured: Set<TenantID>) {
        tenants = tenants.filter { configured.contains($0.key) }
    }

    package mutating func didRefuse(_ refusal: Rejection) { refusals[Self.index(refusal)] &+= 1 }
    /// Recipients that partial submissions left out.
    mutating func didNotLearnCommit() { uncertainCommits &+= 1 }
    package mutating func didReject(_ count: Int) { rejectedRecipients &+= UInt64(max(0, count)) }

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

    private mutating func place(_ app: String) -> Int {
        if app != lastPlace.app { lastPlace = (app, places[app] ?? apps.count - 1) }
        return lastPlace.index
    }

    /// Few cases: a search is as quick as a table.
    static func index<Case: CaseIterable & Equatable>(_ value: Case) -> Int {
        var index = 0
        for other in Case.allCases {
            if other == value { return index }
            index += 1
        }
        return 0
    }
}
