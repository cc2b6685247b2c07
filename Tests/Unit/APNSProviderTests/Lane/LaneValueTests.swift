import APNS
import Networking
import Testing

@testable import APNSProvider

struct AdaptiveLimitTests {
    @Test func `refusals halve the limit, and good answers raise it step by step to where it was`() {
        var limit = AdaptiveLimit()
        #expect(limit.value == 1000)
        for _ in 0...AdaptiveLimit.refusalCountMax { limit.didAnswer(isRefusal: true) }
        #expect(limit.value == 500)
        var steps: [Int] = []
        for _ in 0..<9 {
            for _ in 0..<AdaptiveLimit.windowAnswerCount { limit.didAnswer(isRefusal: false) }
            steps.append(limit.value)
        }
        #expect(steps == [562, 624, 686, 748, 810, 872, 934, 996, 1000])
    }

    @Test func `under nothing but refusals one request at a time is left, never none`() {
        var limit = AdaptiveLimit()
        for _ in 0..<1000 { limit.didAnswer(isRefusal: true) }
        #expect(limit.value == 1)
    }

    @Test func `one refusal in ten answers changes nothing`() {
        var limit = AdaptiveLimit()
        for number in 0..<1000 { limit.didAnswer(isRefusal: number % 11 == 0) }
        #expect(limit.value == 1000)
    }
}

struct CutLimitTests {
    private static func limit(after intervals: [Int]) -> Int {
        var limit = CutLimit()
        for count in intervals {
            for _ in 0..<count { limit.didAnswer() }
            limit.didCut()
        }
        return limit.value
    }

    @Test func `a cut for every hundred answers leaves two requests on a connection`() {
        #expect(Self.limit(after: [100, 100, 100]) == 2)
        #expect(Self.limit(after: [0]) == 1 && Self.limit(after: [99, 99]) == 1)
    }

    @Test func `before the first cut it grows with every answer`() {
        var limit = CutLimit()
        #expect(limit.value == 32)
        for _ in 0..<100 { limit.didAnswer() }
        #expect(limit.value == 132)
        for _ in 0..<1_000 { limit.didAnswer() }
        #expect(limit.value == AdaptiveLimit.limitMax)
    }

    @Test func `one cut after a long peace limits nothing, and a few in a row almost all`() {
        #expect(Self.limit(after: [100_000]) == AdaptiveLimit.limitMax)
        let limits = (1...5).map { Self.limit(after: [100_000] + Array(repeating: 50, count: $0)) }
        #expect(limits == [23, 4, 2, 1, 1])
    }

    @Test func `answers without a cut raise it by one for each hundred`() {
        var limit = CutLimit()
        limit.didCut()
        var values: [Int] = []
        for _ in 0..<4 {
            for _ in 0..<CutLimit.answersPerRepetition { limit.didAnswer() }
            values.append(limit.value)
        }
        #expect(values == [2, 3, 4, 5])
        for _ in 0..<100_000 { limit.didAnswer() }
        #expect(limit.value == AdaptiveLimit.limitMax)
    }
}

struct BreakerTests {
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private static func openBreaker(at seconds: Int64) -> Breaker {
        var breaker = Breaker()
        for number in 0...Breaker.refusalCountMax {
            let hasOpened = breaker.didAnswer(isRefusal: true, at: time(seconds))
            #expect(hasOpened == (number == Breaker.refusalCountMax))
        }
        return breaker
    }

    @Test func `more refusals than good answers open it, and nothing is sent for a second`() {
        var breaker = Self.openBreaker(at: 10)
        func allowed(_ seconds: Int64) -> Int? { breaker.inFlightMax(at: Self.time(seconds)) }
        #expect(breaker.phase == .open(until: Self.time(11)))
        #expect(allowed(10) == 0)
        #expect(allowed(11) == 1)
    }

    @Test func `ten good answers one by one close it`() {
        var breaker = Self.openBreaker(at: 10)
        func allowed(_ seconds: Int64) -> Int? { breaker.inFlightMax(at: Self.time(seconds)) }
        _ = allowed(11)
        for number in 1...Breaker.goodCountToClose {
            #expect(allowed(11) == 1)
            let hasOpened = breaker.didAnswer(isRefusal: false, at: Self.time(11))
            #expect(!hasOpened)
            #expect((breaker.phase == .closed) == (number == Breaker.goodCountToClose))
        }
        #expect(allowed(11) == nil)
    }

    @Test func `each time it opens again the pause doubles, up to a minute`() {
        var breaker = Self.openBreaker(at: 0)
        var pauses: [Int64] = []
        for _ in 0..<8 {
            guard case .open(let end) = breaker.phase else { break }
            _ = breaker.inFlightMax(at: end)
            let hasOpened = breaker.didAnswer(isRefusal: true, at: end)
            #expect(hasOpened)
            guard case .open(let next) = breaker.phase else { break }
            pauses.append((next.nanoseconds - end.nanoseconds) / 1_000_000_000)
        }
        #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test func `half refusals are not enough`() {
        var breaker = Breaker()
        for number in 0..<1000 {
            let hasOpened = breaker.didAnswer(isRefusal: number % 2 == 0, at: Self.time(0))
            #expect(!hasOpened)
        }
        #expect(breaker.phase == .closed)
    }
}

struct ReconnectBackoffTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 3_600_000_000_000 + milliseconds * 1_000_000)
    }

    @Test func `a pool may grow at once, and then one connect a second is the floor`() {
        var backoff = ReconnectBackoff(ReconnectBackoff.Limits())
        for _ in 0..<16 {
            #expect(backoff.wait(at: Self.time(0)) == .zero)
            backoff.didStart(at: Self.time(0))
        }
        #expect(backoff.wait(at: Self.time(0)) == .seconds(1))
        #expect(backoff.wait(at: Self.time(1000)) == .zero)
        backoff.didStart(at: Self.time(1000))
        #expect(backoff.wait(at: Self.time(1000)) == .seconds(1))
    }

    @Test func `each failure in a row doubles the wait, between half and the whole of it, up to a minute`() {
        for jitter in [0.0, 0.999] {
            var backoff = ReconnectBackoff(ReconnectBackoff.Limits())
            var waits: [Duration] = []
            for _ in 0..<9 {
                backoff.didFail(at: Self.time(0), jitter: jitter)
                waits.append(backoff.wait(at: Self.time(0)))
            }
            let full = [1, 2, 4, 8, 16, 32, 60, 60, 60].map { Duration.seconds($0) }
            for (wait, full) in zip(waits, full) {
                #expect(jitter == 0 ? wait == full / 2 : wait > full / 2 && wait < full)
            }
        }
    }

    @Test func `something good takes the doubling back`() {
        var backoff = ReconnectBackoff(ReconnectBackoff.Limits())
        for _ in 0..<5 { backoff.didFail(at: Self.time(0), jitter: 0) }
        backoff.didSucceed()
        backoff.didFail(at: Self.time(60_000), jitter: 0)
        #expect(backoff.wait(at: Self.time(60_000)) == .milliseconds(500))
    }
}

struct CredentialStateTests {
    @Test(arguments: [Reason.invalidProviderToken, .badCertificate, .badEnvironmentKeyInToken])
    func `a credential that never worked is suspended by the first answer that blames it`(_ reason: Reason) {
        var lane = CredentialState()
        func isSuspended(by reason: Reason?) -> Bool { lane.didAnswer(reason) }
        #expect(isSuspended(by: reason))
        #expect(lane.suspension == reason)
    }

    @Test func `one that worked is suspended by three in a row`() {
        var lane = CredentialState()
        func isSuspended(by reason: Reason?) -> Bool { lane.didAnswer(reason) }
        #expect(!isSuspended(by: nil))
        #expect(!isSuspended(by: .invalidProviderToken))
        #expect(!isSuspended(by: .invalidProviderToken))
        #expect(!isSuspended(by: nil))
        #expect(!isSuspended(by: .invalidProviderToken))
        #expect(!isSuspended(by: .invalidProviderToken))
        #expect(isSuspended(by: .invalidProviderToken))
    }

    @Test(arguments: [Reason.badDeviceToken, .topicDisallowed, .forbidden, .unregistered, .tooManyRequests])
    func `what a push did wrong suspends nothing`(_ reason: Reason) {
        var lane = CredentialState()
        func isSuspended(by reason: Reason?) -> Bool { lane.didAnswer(reason) }
        for _ in 0..<10 { #expect(!isSuspended(by: reason)) }
    }

    @Test func `a GOAWAY that blames the credential suspends at once, and resuming begins anew`() {
        var lane = CredentialState()
        let isSuspendedByIdleness = lane.didGoAway(.idleTimeout)
        let isSuspended = lane.didGoAway(.badCertificateEnvironment)
        #expect(!isSuspendedByIdleness && isSuspended)
        lane.resume()
        #expect(lane.suspension == nil && !lane.isProven)
    }
}

struct ResendBudgetTests {
    @Test func `in the long run one push in ten may be repeated`() {
        var budget = ResendBudget()
        var resent = 0
        for _ in 0..<10_000 {
            budget.didSend()
            if budget.take() { resent += 1 }
        }
        #expect(resent == 1_010)
    }
}
