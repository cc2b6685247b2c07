internal import APNS
internal import APNSProvider
internal import APNSSimulator
import Networking

/// Permitted actions after an answer, for its notification and for the credential.
///
/// - Source: docs/provider.md, "What the client does by itself".
extension ProviderScheduleVerifier {
    /// Apple's minimum between two provider tokens of a key.
    private static let tokenAgeSecondsMin: Int64 = 20 * 60

    struct TokenHistory {
        let times: [Int64]
        private let refusedAsTooMany: [Int64]

        init(_ ledger: FaultLedger) {
            times = Set(ledger.requests.compactMap(\.tokenIssuedAt)).sorted()
            refusedAsTooMany = ledger.requests.filter { $0.answer?.reason == .tooManyProviderTokenUpdates }
                .compactMap(\.tokenIssuedAt)
        }

        /// True if a refused token may come again: an expired one whose successor was refused as too many, or one too
        /// many whose predecessor has since grown too old.
        func mayReturn(_ token: Int64?, after reason: Reason?) -> Bool {
            guard let token else { return false }
            return reason == .expiredProviderToken
                ? refusedAsTooMany.contains { $0 > token } : times.contains { $0 < token }
        }
    }

    static func mistakes(
        in requests: [FaultLedger.Request],
        of report: Report,
        _ tokens: TokenHistory
    ) -> Set<Mistake> {
        switch report.outcome {
        // With such an outcome and without the mark, the client has read every written answer.
        case .accepted, .rejected, .shutDown, .notProcessed, .suspended: if report.isMaybeDuplicate { return [] }
        case .ambiguous, .queueFull, .cancelledUnsent, .cancelledMaybeSent: return []
        }
        var mistakes: Set<Mistake> = []
        var refusalCount = 0
        for (request, next) in zip(requests, requests.dropFirst()) {
            guard let answer = request.answer else { continue }
            let isElsewhere = request.connection != next.connection
            let hasOtherToken =
                request.tokenIssuedAt != next.tokenIssuedAt
                || tokens.mayReturn(request.tokenIssuedAt, after: answer.reason)
            switch answer.reason {
            case .shutdown: if !isElsewhere { mistakes.insert(.repeatedOnSameConnection) }
            case .expiredProviderToken, .unrelatedKeyIDInToken:
                refusalCount += 1
                if !isElsewhere { mistakes.insert(.repeatedOnSameConnection) }
                if answer.reason == .expiredProviderToken, !hasOtherToken { mistakes.insert(.repeatedWithSameToken) }
            case .tooManyProviderTokenUpdates:
                refusalCount += 1
                if !hasOtherToken { mistakes.insert(.repeatedWithSameToken) }
            default: mistakes.insert(.repeatedAfterAnswer)
            }
        }
        // Only once.
        if refusalCount > 1 { mistakes.insert(.repeatedAfterAnswer) }
        return mistakes
    }

    /// True if answers of one connection were reported in another order. Skips notifications that were sent twice:
    /// their reported answer is not certain.
    static func isOutOfOrder(_ reports: [Report], of ids: Set<APNSID>, _ ledger: FaultLedger) -> Bool {
        let requests = Dictionary(grouping: ledger.requests, by: \.id).compactMapValues { $0.count == 1 ? $0[0] : nil }
        var last: [Int: Int] = [:]
        for report in reports where ids.contains(report.id) && report.answer != nil {
            guard let request = requests[report.id], let answer = request.answer else { continue }
            if let before = last[request.connection], before > answer.number { return true }
            last[request.connection] = answer.number
        }
        return false
    }

    // MARK: The credential

    static func laneMistakes(in reports: [Report], _ ledger: FaultLedger) -> Set<Mistake> {
        var mistakes: Set<Mistake> = []
        let times = TokenHistory(ledger).times
        if zip(times, times.dropFirst()).contains(where: { $1 - $0 < tokenAgeSecondsMin }) {
            mistakes.insert(.tokensTooOften)
        }
        let told = KnownAnswers(reports, ledger)
        if reports.contains(where: { $0.outcome == .suspended }), !told.mayBeSuspended {
            mistakes.insert(.suspendedTooSoon)
        }
        if told.wentOnUnbelieved { mistakes.insert(.sentThoughSuspended) }
        if let standstill = Standstill(reports, ledger), !standstill.isLongEnough || standstill.hasCompany {
            mistakes.insert(.goesOnUnderRefusals)
        }
        return mistakes
    }

    /// The server's answers, and those that the client has certainly read: it reported them, and had no other.
    private struct KnownAnswers {
        private let ledger: FaultLedger
        /// Requests, in the order of their answers' ends.
        private let answered: [FaultLedger.Request]
        private let told: Set<APNSID>

        init(_ reports: [Report], _ ledger: FaultLedger) {
            self.ledger = ledger
            answered = ledger.requests.filter { $0.answer != nil }.sorted { $0.number < $1.number }
            told = Set(reports.filter { $0.answer != nil && ledger[$0.id].receivedCount == 1 }.map(\.id))
        }

        /// True if the blames of the credential may suffice to suspend it: one GOAWAY, three answers, or one answer
        /// before any good one.
        var mayBeSuspended: Bool {
            let goAway = ledger.connections.contains { connection in
                if case .goAway(let reason)? = connection.fault { reason.isOfCredential } else { false }
            }
            let blames = answered.filter(\.blamesCredential)
            if goAway || blames.count > 2 { return true }
            return blames.contains { blame in
                !answered.contains {
                    $0.connection == blame.connection && $0.number < blame.number && $0.isGood && told.contains($0.id)
                }
            }
        }

        /// True if a connection stayed in use whose very first answer was a blame, with nothing better known of the
        /// credential.
        var wentOnUnbelieved: Bool {
            let firsts = Dictionary(grouping: answered, by: \.connection).compactMapValues(\.first)
            return firsts.values.contains { first in
                guard let answer = first.answer, first.blamesCredential, told.contains(first.id),
                    !answered.contains(where: { $0.connection != first.connection && !$0.blamesCredential })
                else { return false }
                return ledger.requests.dropFirst(answer.requestCount).contains { $0.connection == first.connection }
            }
        }
    }

    /// Required pause after more than half of a hundred answers were refusals: a second without requests, then single
    /// ones.
    struct Standstill {
        /// Of `Breaker.windowAnswerCount` answers.
        private static let refusalCountMax = 50
        /// Less than the second: on a busy machine the last requests before it arrive late.
        private static let durationMin = Duration.milliseconds(500)
        private static let goodCountToEnd = 10

        /// True if no request came afterwards, or none for long enough.
        let isLongEnough: Bool
        /// True if two requests overlapped before enough single ones were good.
        let hasCompany: Bool
        /// True if enough were good afterwards to end the pause.
        let isOver: Bool

        /// - Returns: Nil if the number or time of the client's refusals is not certain: it may read one connection
        ///   long before another.
        init?(_ reports: [Report], _ ledger: FaultLedger) {
            let reportedCount = reports.count { $0.outcome == .rejected && $0.answer?.reason?.isProviderError == true }
            let refused = ledger.requests.filter { $0.answer?.reason?.isProviderError == true }
                .sorted { $0.number < $1.number }
            guard Set(ledger.requests.map(\.connection)).count == 1, ledger.answerCount <= 100,
                reportedCount > Self.refusalCountMax, refused.count > Self.refusalCountMax,
                let answer = refused[Self.refusalCountMax].answer
            else { return nil }
            let requests = ledger.requests
            let pauses = (answer.requestCount..<max(answer.requestCount, requests.count)).map { index in
                (index: index, duration: requests[index].receivedAt - requests[index - 1].receivedAt)
            }
            let longest = pauses.max { $0.duration < $1.duration }
            isLongEnough = longest.map { $0.duration >= Self.durationMin } ?? true
            let end = longest?.index ?? requests.count
            let single = requests.indices[end...].prefix(Self.goodCountToEnd)
            hasCompany = single.contains { index in requests[index].answer.map { $0.requestCount > index + 1 } ?? false
            }
            isOver = requests[end...].count { $0.answer?.status == 200 } > Self.goodCountToEnd
        }
    }
}

extension FaultLedger.Request {
    fileprivate var number: Int { answer?.number ?? .max }
    fileprivate var blamesCredential: Bool { answer?.reason?.isOfCredential ?? false }

    /// True for an answer that only an accepted credential gets.
    fileprivate var isGood: Bool {
        guard let answer else { return false }
        return answer.status == 200 || answer.reason.map { $0.status < 500 && $0.status != 403 } ?? false
    }
}

extension Reason {
    /// True if APNs rejects the credential.
    fileprivate var isOfCredential: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            true
        default: false
        }
    }

    /// True if Apple counts it against the provider.
    fileprivate var isProviderError: Bool { (400..<500).contains(status) && status != 410 }
}
