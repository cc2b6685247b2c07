package import APNS
private import APNSProvider
import APNSSimulator
import Networking

/// Checks a provider client over one run. A value: outcomes and the server's record in, mistakes out.
package struct ProviderScheduleVerifier: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case accepted
        case rejected
        /// Rejected with 503 Shutdown, to be sent elsewhere.
        case shutDown = "shut down"
        /// Not processed by the server: the caller may send it again.
        case notProcessed = "not processed"
        /// Not processed: the credential is suspended.
        case suspended
        case ambiguous
        /// Refused by a full queue in a call that does not wait.
        case queueFull = "queue full"
        case cancelledUnsent = "cancelled, not sent"
        case cancelledMaybeSent = "cancelled, maybe sent"
    }

    package struct Report: Sendable {
        package let id: APNSID
        package let outcome: Outcome
        /// Attempts as reported by the client; nil if it does not report them.
        package let attemptCount: Int?
        package let isMaybeDuplicate: Bool
        /// Notification named by the answer, and its reason; nil without an answer.
        package let answer: (id: APNSID, reason: Reason?)?
        package let duration: Duration
        /// The client's words, for the reader of a mistake.
        package let detail: String

        package init(
            id: APNSID,
            outcome: Outcome,
            attemptCount: Int?,
            isMaybeDuplicate: Bool = false,
            answer: (id: APNSID, reason: Reason?)? = nil,
            duration: Duration = .zero,
            detail: String = ""
        ) {
            self.id = id
            self.outcome = outcome
            self.attemptCount = attemptCount
            self.isMaybeDuplicate = isMaybeDuplicate
            self.answer = answer
            self.duration = duration
            self.detail = detail
        }
    }

    package struct Rules: Sendable {
        /// Notifications whose ambiguous attempts may be repeated.
        package var resendable: Set<APNSID> = []
        package var attemptCountMax = 5
        package var deadline = Duration.seconds(30)
        /// Burst of connects, and their minimum spacing in the long run.
        package var connectBurstCount = 16
        package var connectFloor = Duration.seconds(1)
        /// Notifications whose caller may have cancelled.
        package var cancelled: Set<APNSID> = []
        /// Notifications that a full queue may refuse.
        package var refusable: Set<APNSID> = []
        /// For each call, notifications whose answers are reported in order of arrival.
        package var streamed: [Set<APNSID>] = []
        /// Notifications whose caller may have stopped reading answers.
        package var mayGoUntold: Set<APNSID> = []

        package init() {}

        mutating func add(_ call: ScheduledCall, canBeFull: Bool) {
            let ids = call.notifications.map(\.id)
            if call.cancelDelay != nil { cancelled.formUnion(ids) }
            switch call.form {
            case .send, .batch: break
            case .trySend where canBeFull: refusable.formUnion(ids)
            case .trySend: break
            case .responses:
                streamed.append(Set(ids))
                if call.cancelDelay != nil { mayGoUntold.formUnion(ids) }
            }
        }
    }

    package enum Mistake: String, Sendable, CaseIterable {
        case noOutcome = "no outcome"
        case severalOutcomes = "more than one outcome"
        case acceptedNeverProcessed = "accepted, and never processed"
        case processedAfterAll = "reported as not processed, and was"
        case doubledUnmarked = "processed twice, and not marked"
        case doubledAgainstRules = "processed twice, and was not to be resent"
        case givenUpTooSoon = "not processed, and not sent again"
        case attemptsUnderstated = "sent more often than reported"
        case tooManyAttempts = "sent more often than allowed"
        case tooManyStreams = "more streams than allowed"
        case protocolBroken = "HTTP/2's rules broken"
        case connectsTooOften = "connects too often"
        case anothersAnswer = "another notification's answer"
        case outOfOrder = "reported in another order than answered"
        case cancelledUnasked = "cancelled without a request"
        case refusedUnasked = "no room, and was to wait"
        case repeatedAfterAnswer = "sent again after an answer that is final"
        case repeatedOnSameConnection = "sent again on a connection that was to be left"
        case repeatedWithSameToken = "sent again with the token that was refused"
        case tokensTooOften = "provider tokens made too often"
        case suspendedTooSoon = "suspended with too few refusals of the credential"
        case sentThoughSuspended = "goes on with a credential that never worked"
        case goesOnUnderRefusals = "goes on though most pushes are refused"
    }

    /// Attempts in the runs that count for the ratio.
    package private(set) var attemptCount = 0
    package private(set) var notificationCount = 0
    /// Maximum fault rate of a run that counts for the ratio.
    package static let faultRateMax = 0.05
    package static let attemptRatioMax = 1.1

    package init() {}

    /// Attempts ÷ notifications that were sent at all, over the runs with few faults.
    package var attemptRatio: Double { notificationCount == 0 ? 1 : Double(attemptCount) / Double(notificationCount) }

    /// - Parameters:
    ///   - reports: In order of arrival; sends that did not end have none.
    ///   - ledger: The server's record, after the client has closed.
    package mutating func mistakes(
        in reports: [Report],
        of sent: [APNSID],
        _ ledger: FaultLedger,
        rules: Rules,
        faultRate: Double
    ) -> Set<Mistake> {
        var mistakes: Set<Mistake> = []
        let reportsByID = Dictionary(grouping: reports, by: \.id)
        let tokens = TokenHistory(ledger)
        let requestsByID = Dictionary(grouping: ledger.requests, by: \.id)
        for id in sent {
            let entry = ledger[id]
            let reports = reportsByID[id] ?? []
            if reports.isEmpty, !rules.mayGoUntold.contains(id) { mistakes.insert(.noOutcome) }
            if reports.count > 1 { mistakes.insert(.severalOutcomes) }
            for report in reports {
                mistakes.formUnion(Self.mistakes(in: report, entry, rules))
                mistakes.formUnion(Self.mistakes(in: requestsByID[id] ?? [], of: report, tokens))
            }
            if entry.processedCount > 1, !rules.resendable.contains(id) { mistakes.insert(.doubledAgainstRules) }
            let attemptCount = max(entry.receivedCount, reports.first?.attemptCount ?? 0)
            // Unsent notifications would improve the ratio.
            guard faultRate <= Self.faultRateMax, attemptCount > 0 else { continue }
            notificationCount += 1
            self.attemptCount += attemptCount
        }
        if ledger.streamExcessCount > 0 { mistakes.insert(.tooManyStreams) }
        if ledger.protocolErrorCount > 0 { mistakes.insert(.protocolBroken) }
        if Self.connectsTooOften(ledger, rules) { mistakes.insert(.connectsTooOften) }
        if rules.streamed.contains(where: { Self.isOutOfOrder(reports, of: $0, ledger) }) {
            mistakes.insert(.outOfOrder)
        }
        return mistakes.union(Self.laneMistakes(in: reports, ledger))
    }

    static func mistakes(in report: Report, _ entry: FaultLedger.Entry, _ rules: Rules) -> Set<Mistake> {
        var mistakes: Set<Mistake> = []
        switch report.outcome {
        case .accepted:
            if entry.processedCount == 0 { mistakes.insert(.acceptedNeverProcessed) }
            if entry.processedCount > 1, !report.isMaybeDuplicate { mistakes.insert(.doubledUnmarked) }
        // An earlier attempt without an answer may have been processed; then the mark is set.
        case .rejected, .shutDown:
            if entry.processedCount > 0, !report.isMaybeDuplicate { mistakes.insert(.processedAfterAll) }
        case .notProcessed, .suspended, .queueFull, .cancelledUnsent:
            if entry.processedCount > 0 { mistakes.insert(.processedAfterAll) }
        case .ambiguous, .cancelledMaybeSent: break
        }
        if let answer = report.answer, answer.id != report.id { mistakes.insert(.anothersAnswer) }
        switch report.outcome {
        case .cancelledUnsent, .cancelledMaybeSent:
            if !rules.cancelled.contains(report.id) { mistakes.insert(.cancelledUnasked) }
        case .queueFull: if !rules.refusable.contains(report.id) { mistakes.insert(.refusedUnasked) }
        case .accepted, .rejected, .shutDown, .notProcessed, .suspended, .ambiguous: break
        }
        if let attemptCount = report.attemptCount {
            if entry.receivedCount > attemptCount { mistakes.insert(.attemptsUnderstated) }
            if [.notProcessed, .shutDown].contains(report.outcome), attemptCount > 0,
                attemptCount < rules.attemptCountMax, report.duration < rules.deadline / 2
            {
                mistakes.insert(.givenUpTooSoon)
            }
        }
        if entry.receivedCount > rules.attemptCountMax { mistakes.insert(.tooManyAttempts) }
        return mistakes
    }

    /// A token bucket over the connects at the server, with some slack for their different travel times.
    private static func connectsTooOften(_ ledger: FaultLedger, _ rules: Rules) -> Bool {
        let slackCount = 2
        var tokens = Double(rules.connectBurstCount + slackCount)
        var last = ledger.connections.first?.acceptedAt
        for connection in ledger.connections {
            let elapsed = last.map { connection.acceptedAt - $0 } ?? .zero
            last = connection.acceptedAt
            let earned = max(0, elapsed / rules.connectFloor)
            tokens = min(Double(rules.connectBurstCount + slackCount), tokens + earned) - 1
            if tokens < 0 { return true }
        }
        return false
    }
}
