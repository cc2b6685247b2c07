import APNS
import Networking
import Testing

@testable import APNSSimulator
@testable import Bench

/// The verifier's rules for answers: which may follow one another, and what each does to the lane.
@Suite struct ProviderScheduleAnswerTests {
    private typealias Report = ProviderScheduleVerifier.Report
    private typealias Mistake = ProviderScheduleVerifier.Mistake

    private struct Exchange {
        var number: Int
        var connection = 0
        var token: Int64 = 0
        /// Nil: 200.
        var reason: Reason?
        var milliseconds: Int64 = 0
    }

    private func report(_ number: Int, _ reason: Reason? = nil, attemptCount: Int = 1) -> Report {
        let id = FaultSite.id(number)
        return Report(
            id: id,
            outcome: reason == nil ? .accepted : .rejected,
            attemptCount: attemptCount,
            answer: (id, reason)
        )
    }

    private func suspended(_ number: Int) -> Report {
        Report(id: FaultSite.id(number), outcome: .suspended, attemptCount: nil)
    }

    private func mistakes(
        _ exchanges: [Exchange],
        _ reports: [Report],
        streamed: [Set<APNSID>] = [],
        connections: [ConnectFault?] = []
    ) -> Set<Mistake> {
        var ledger = FaultLedger()
        for fault in connections { _ = ledger.didAccept(at: MonotonicTime(nanoseconds: 0), fault) }
        for exchange in exchanges {
            let id = FaultSite.id(exchange.number)
            let index = ledger.didReceive(
                id,
                on: exchange.connection,
                tokenIssuedAt: exchange.token,
                at: MonotonicTime(nanoseconds: exchange.milliseconds * 1_000_000)
            )
            if exchange.reason == nil { ledger.didProcess(id) }
            ledger.didFinishAnswer(to: index, status: exchange.reason?.status ?? 200, exchange.reason)
        }
        var judge = ProviderScheduleVerifier()
        var rules = ProviderScheduleVerifier.Rules()
        rules.streamed = streamed
        return judge.mistakes(in: reports, of: reports.map(\.id), ledger, rules: rules, faultRate: 1)
    }

    // MARK: One notification

    private func twice(_ reason: Reason, connection: Int = 0, token: Int64 = 0) -> Set<Mistake> {
        mistakes(
            [.init(number: 1, reason: reason), .init(number: 1, connection: connection, token: token)],
            [report(1, attemptCount: 2)]
        )
    }

    @Test(arguments: [
        Reason.badDeviceToken, .unregistered, .tooManyRequests, .internalServerError, .serviceUnavailable, .forbidden,
        .topicDisallowed, .invalidProviderToken,
    ])
    func `an answer is final`(_ reason: Reason) {
        #expect(twice(reason, connection: 1, token: 9_999) == [.repeatedAfterAnswer])
    }

    @Test(arguments: [Reason.shutdown, .unrelatedKeyIDInToken])
    func `what another server may take goes to another`(_ reason: Reason) {
        #expect(twice(reason, connection: 1) == [])
        #expect(twice(reason) == [.repeatedOnSameConnection])
    }

    @Test func `a token that was refused does not come again`() {
        #expect(twice(.expiredProviderToken, connection: 1, token: 1_260) == [])
        #expect(twice(.expiredProviderToken, connection: 1) == [.repeatedWithSameToken])
        #expect(twice(.expiredProviderToken, token: 1_260) == [.repeatedOnSameConnection])
        #expect(twice(.tooManyProviderTokenUpdates, token: 1_260) == [])
        #expect(twice(.tooManyProviderTokenUpdates) == [.repeatedWithSameToken])
    }

    @Test func `it may come again when its successor was too many, or the one before it is too old`() {
        let expired = Exchange(number: 1, reason: .expiredProviderToken)
        let successor = Exchange(number: 2, token: 1_260, reason: .tooManyProviderTokenUpdates)
        let told = [report(1, attemptCount: 2), report(2, .tooManyProviderTokenUpdates)]
        #expect(mistakes([expired, successor, .init(number: 1, connection: 1)], told) == [])
        let before = Exchange(number: 2)
        let tooMany = Exchange(number: 1, token: 1_260, reason: .tooManyProviderTokenUpdates)
        let both = [report(1, attemptCount: 2), report(2)]
        #expect(mistakes([before, tooMany, .init(number: 1, token: 1_260)], both) == [])
    }

    @Test func `a refused token is replaced once`() {
        let exchanges = (0..<3).map {
            Exchange(number: 1, connection: $0, token: Int64($0) * 1_260, reason: .expiredProviderToken)
        }
        #expect(mistakes(Array(exchanges.prefix(2)), [report(1, .expiredProviderToken, attemptCount: 2)]) == [])
        #expect(mistakes(exchanges, [report(1, .expiredProviderToken, attemptCount: 3)]) == [.repeatedAfterAnswer])
    }

    @Test func `tokens are twenty minutes apart`() {
        let exchanges = [Exchange(number: 1, token: 0), Exchange(number: 2, token: 1_199)]
        #expect(mistakes(exchanges, [report(1), report(2)]) == [.tokensTooOften])
    }

    // MARK: Order

    @Test func `answers of one connection are told in their order`() {
        let ids = Set([1, 2, 3].map(FaultSite.id))
        let exchanges = [Exchange(number: 1), Exchange(number: 2), Exchange(number: 3, connection: 1)]
        #expect(mistakes(exchanges, [report(3), report(1), report(2)], streamed: [ids]) == [])
        #expect(mistakes(exchanges, [report(2), report(1), report(3)], streamed: [ids]) == [.outOfOrder])
        #expect(mistakes(exchanges, [report(2), report(1), report(3)]) == [])
    }

    // MARK: The lane

    @Test func `a lane stands still when nothing good is known of its credential`() {
        let blame = Exchange(number: 1, reason: .invalidProviderToken)
        #expect(mistakes([blame], [report(1, .invalidProviderToken), suspended(2)]) == [])
        #expect(mistakes([], [suspended(2)]) == [.suspendedTooSoon])
        #expect(mistakes([], [suspended(2)], connections: [.goAway(.badCertificateEnvironment)]) == [])
        #expect(mistakes([], [suspended(2)], connections: [.goAway(.shutdown)]) == [.suspendedTooSoon])
        let next = Exchange(number: 2)
        #expect(mistakes([blame, next], [report(1, .invalidProviderToken), report(2)]) == [.sentThoughSuspended])
    }

    @Test(arguments: [Reason.forbidden, .topicDisallowed, .expiredProviderToken, .tooManyProviderTokenUpdates])
    func `what does not blame the credential stops no lane`(_ reason: Reason) {
        let mistakes = mistakes([.init(number: 1, reason: reason)], [report(1, reason), suspended(2)])
        #expect(mistakes == [.suspendedTooSoon])
    }

    @Test func `a credential that worked is believed twice more`() {
        let good = [Exchange(number: 1)]
        let blames = (2...4).map { Exchange(number: $0, reason: .invalidProviderToken) }
        let told = [report(1)] + (2...4).map { report($0, .invalidProviderToken) }
        #expect(mistakes(good + blames, told + [suspended(5)]) == [])
        #expect(mistakes(good + blames.prefix(2), told.prefix(3) + [suspended(5)]) == [.suspendedTooSoon])
    }

    // MARK: The breaker

    /// 51 refusals, then good answers: the first after a pause, the others at intervals.
    private func refusals(pause: Int64, apart: Int64 = 1) -> Set<Mistake> {
        let refused = (0..<51).map { Exchange(number: $0, reason: .badDeviceToken, milliseconds: Int64($0)) }
        let good = (0..<20).map { Exchange(number: 51 + $0, milliseconds: 50 + pause + Int64($0) * apart) }
        let reports = (0..<51).map { report($0, .badDeviceToken) } + (51..<71).map { report($0) }
        return mistakes(refused + good, reports)
    }

    @Test func `a lane whose pushes are refused stops for a while`() {
        #expect(refusals(pause: 1_000) == [])
        #expect(refusals(pause: 100) == [.goesOnUnderRefusals])
    }

    @Test(arguments: [(10, true), (11, false)])
    func `and then it sends one at a time, until ten were good`(_ goodCount: Int, _ isMistake: Bool) {
        var ledger = FaultLedger()
        func receive(_ number: Int, at milliseconds: Int64) -> Int {
            ledger.didReceive(FaultSite.id(number), at: MonotonicTime(nanoseconds: milliseconds * 1_000_000))
        }
        for number in 0..<51 {
            ledger.didFinishAnswer(to: receive(number, at: 0), status: 400, .badDeviceToken)
        }
        for number in 51..<51 + goodCount - 1 {
            ledger.didFinishAnswer(to: receive(number, at: 1_000), status: 200, nil)
        }
        let both = [receive(100, at: 1_001), receive(101, at: 1_001)]
        for index in both { ledger.didFinishAnswer(to: index, status: 200, nil) }
        let reports = (0..<51).map { report($0, .badDeviceToken) }
        var judge = ProviderScheduleVerifier()
        let rules = ProviderScheduleVerifier.Rules()
        let mistakes = judge.mistakes(in: reports, of: reports.map(\.id), ledger, rules: rules, faultRate: 1)
        #expect(mistakes == (isMistake ? [.goesOnUnderRefusals] : []))
    }
}
