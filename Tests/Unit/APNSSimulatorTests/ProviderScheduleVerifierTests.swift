import APNS
import Networking
import Testing

@testable import APNSSimulator
@testable import Bench

@Suite struct ProviderScheduleVerifierTests {
    private typealias Report = ProviderScheduleVerifier.Report
    private typealias Mistake = ProviderScheduleVerifier.Mistake

    private let id = FaultSite.id(1)

    private func mistakes(
        _ reports: [Report],
        received: Int = 1,
        processed: Int = 0,
        rules: ProviderScheduleVerifier.Rules = ProviderScheduleVerifier.Rules()
    ) -> Set<Mistake> {
        var ledger = FaultLedger()
        for _ in 0..<received { ledger.didReceive(id) }
        for _ in 0..<processed { ledger.didProcess(id) }
        var judge = ProviderScheduleVerifier()
        return judge.mistakes(in: reports, of: [id], ledger, rules: rules, faultRate: 1)
    }

    private func report(
        _ outcome: ProviderScheduleVerifier.Outcome,
        attemptCount: Int? = 1,
        isMaybeDuplicate: Bool = false,
        after duration: Duration = .zero
    ) -> Report {
        Report(
            id: id,
            outcome: outcome,
            attemptCount: attemptCount,
            isMaybeDuplicate: isMaybeDuplicate,
            duration: duration
        )
    }

    private var resending: ProviderScheduleVerifier.Rules { rules { $0.resendable = [id] } }

    private func rules(_ change: (inout ProviderScheduleVerifier.Rules) -> Void) -> ProviderScheduleVerifier.Rules {
        var rules = ProviderScheduleVerifier.Rules()
        change(&rules)
        return rules
    }

    @Test func `what is true is no mistake`() {
        #expect(mistakes([report(.accepted)], processed: 1) == [])
        #expect(mistakes([report(.rejected)]) == [])
        #expect(mistakes([report(.ambiguous)], processed: 1) == [])
        #expect(mistakes([report(.cancelledMaybeSent)], processed: 1, rules: rules { $0.cancelled = [id] }) == [])
        #expect(mistakes([report(.queueFull)], received: 0, rules: rules { $0.refusable = [id] }) == [])
        // It waited in vain.
        #expect(mistakes([report(.notProcessed, attemptCount: 0)], received: 0) == [])
        #expect(mistakes([report(.notProcessed, attemptCount: 5)], received: 5) == [])
        #expect(mistakes([report(.notProcessed, after: .seconds(30))]) == [])
        let doubled = report(.accepted, attemptCount: 2, isMaybeDuplicate: true)
        #expect(mistakes([doubled], received: 2, processed: 2, rules: resending) == [])
    }

    @Test func `who did not ask is not cancelled, and who waits finds room`() {
        #expect(mistakes([report(.cancelledUnsent)], received: 0) == [.cancelledUnasked])
        #expect(mistakes([report(.cancelledMaybeSent)]) == [.cancelledUnasked])
        #expect(mistakes([report(.queueFull)], received: 0) == [.refusedUnasked])
    }

    @Test func `an answer is told to whom it belongs`() {
        let other = Report(id: id, outcome: .accepted, attemptCount: 1, answer: (FaultSite.id(2), nil))
        #expect(mistakes([other], processed: 1) == [.anothersAnswer])
    }

    @Test func `who stopped to take answers is told of no more`() {
        #expect(mistakes([], rules: rules { $0.mayGoUntold = [id] }) == [])
    }

    @Test func `exactly one outcome`() {
        #expect(mistakes([]) == [.noOutcome])
        #expect(mistakes([report(.rejected), report(.rejected)]) == [.severalOutcomes])
    }

    @Test func `accepted is processed`() { #expect(mistakes([report(.accepted)]) == [.acceptedNeverProcessed]) }

    @Test(arguments: [
        ProviderScheduleVerifier.Outcome.notProcessed, .suspended, .queueFull, .cancelledUnsent, .rejected, .shutDown,
    ])
    func `what promises that nothing was done keeps it`(_ outcome: ProviderScheduleVerifier.Outcome) {
        let mistakes = mistakes([report(outcome, after: .seconds(30))], processed: 1)
        #expect(mistakes.contains(.processedAfterAll))
    }

    @Test func `processed twice is marked, and only where it may be`() {
        let unmarked = report(.accepted, attemptCount: 2)
        #expect(mistakes([unmarked], received: 2, processed: 2, rules: resending) == [.doubledUnmarked])
        let marked = report(.accepted, attemptCount: 2, isMaybeDuplicate: true)
        #expect(mistakes([marked], received: 2, processed: 2) == [.doubledAgainstRules])
        #expect(mistakes([report(.ambiguous, attemptCount: 2)], received: 2, processed: 2) == [.doubledAgainstRules])
    }

    @Test(arguments: [ProviderScheduleVerifier.Outcome.notProcessed, .shutDown])
    func `what was not processed is sent again while there is time`(_ outcome: ProviderScheduleVerifier.Outcome) {
        #expect(mistakes([report(outcome)]) == [.givenUpTooSoon])
    }

    @Test func `attempts are counted, and bounded`() {
        #expect(mistakes([report(.accepted)], received: 2, processed: 1) == [.attemptsUnderstated])
        #expect(mistakes([report(.rejected, attemptCount: 6)], received: 6) == [.tooManyAttempts])
    }

    @Test func `what the server saw of the connection counts`() {
        var judge = ProviderScheduleVerifier()
        var ledger = FaultLedger()
        ledger.didExceedStreams()
        ledger.didBreakProtocol()
        #expect(
            judge.mistakes(in: [], of: [], ledger, rules: ProviderScheduleVerifier.Rules(), faultRate: 1)
                == [.tooManyStreams, .protocolBroken]
        )
    }

    @Test(arguments: [(5, 1_000, false), (6, 1_000, true), (100, 1_000_000, false), (100, 500_000, true)])
    func `connects beyond a burst keep their distance`(_ count: Int, _ microseconds: Int64, _ isTooOften: Bool) {
        var rules = ProviderScheduleVerifier.Rules()
        rules.connectBurstCount = 3
        rules.connectFloor = .seconds(1)
        var ledger = FaultLedger()
        for index in 0..<count {
            _ = ledger.didAccept(at: MonotonicTime(nanoseconds: Int64(index) * microseconds * 1_000), nil)
        }
        var judge = ProviderScheduleVerifier()
        let mistakes = judge.mistakes(in: [], of: [], ledger, rules: rules, faultRate: 1)
        #expect(mistakes == (isTooOften ? [.connectsTooOften] : []))
    }

    @Test func `attempts are set against notifications that were sent, where faults are few`() {
        var judge = ProviderScheduleVerifier()
        var ledger = FaultLedger()
        for number in [1, 2, 2, 2, 3] { ledger.didReceive(FaultSite.id(number)) }
        let sent = [1, 2, 3, 4].map(FaultSite.id)
        let rules = ProviderScheduleVerifier.Rules()
        _ = judge.mistakes(in: [], of: sent, ledger, rules: rules, faultRate: 0.5)
        #expect(judge.attemptRatio == 1)
        _ = judge.mistakes(in: [], of: sent, ledger, rules: rules, faultRate: 0.05)
        #expect(judge.attemptRatio == 5.0 / 3.0)
    }
}
