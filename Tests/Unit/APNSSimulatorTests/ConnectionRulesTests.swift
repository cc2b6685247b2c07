import APNS
import Testing

@testable import APNSSimulator

struct ConnectionRulesTests {
    private func configuration(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(keys: [])
        change(&configuration)
        return configuration
    }

    @Test func `there is one stream until a push is accepted, and then there are all`() {
        var allowance = StreamAllowance(configuration())
        let limits = [false, true, true, false, true].map { allowance.didAnswer(isAccepted: $0) }
        #expect(limits == [nil, 1000, nil, nil, nil])
    }

    @Test func `by a setting each rejection leaves one stream, and the next accepted push all`() {
        var allowance = StreamAllowance(configuration { $0.connections.dropsToOneStream = true })
        let limits = [true, false, false, true, false].map { allowance.didAnswer(isAccepted: $0) }
        #expect(limits == [1000, 1, nil, 1000, 1])
    }

    @Test func `without the beginning of one stream nothing is said until a rejection`() {
        var allowance = StreamAllowance(
            configuration { configuration in
                configuration.startsWithOneStream = false
                configuration.connections.dropsToOneStream = true
            }
        )
        let limits = [true, false, true].map { allowance.didAnswer(isAccepted: $0) }
        #expect(limits == [nil, 1, 1000])
    }

    @Test func `errors end a connection above their share, once there are enough answers`() {
        var rules = ConnectionRules()
        (rules.errorPercentMax, rules.judgedAnswerCount) = (50, 4)
        var tolerance = ErrorTolerance(rules)
        let reasons: [Reason?] = [.badTopic, .badTopic, nil, nil, .badTopic]
        let ends = reasons.map { tolerance.didAnswer($0) }
        #expect(ends == [false, false, false, false, true])
    }

    @Test func `BadDeviceToken ends a connection sooner than other errors`() {
        var rules = ConnectionRules()
        (rules.errorPercentMax, rules.badTokenPercentMax, rules.judgedAnswerCount) = (50, 10, 5)
        var tolerance = ErrorTolerance(rules)
        for _ in 0..<5 { #expect(tolerance.didAnswer(nil) == false) }
        #expect(tolerance.didAnswer(.badTopic) == false)
        #expect(tolerance.didAnswer(.badDeviceToken) == true)
    }

    @Test func `a 410 is no error, and without a share nothing is`() {
        var rules = ConnectionRules()
        (rules.errorPercentMax, rules.judgedAnswerCount) = (1, 1)
        var tolerance = ErrorTolerance(rules)
        #expect(tolerance.didAnswer(.unregistered) == false)
        #expect(tolerance.didAnswer(.expiredToken) == false)
        var indifferent = ErrorTolerance(ConnectionRules())
        for _ in 0..<1000 { #expect(indifferent.didAnswer(.badDeviceToken) == false) }
    }

    @Test func `whoever comes back too quickly waits for the window, and nobody else does`() {
        var rules = ConnectionRules()
        (rules.reconnectCountMax, rules.reconnectWindowSeconds) = (2, 60)
        var gate = ReconnectLimiter(rules)
        let times: [Int64] = [0, 1, 2, 59, 60, 60, 61, 62]
        let admissions = times.map { gate.admit("192.0.2.1", now: $0) }
        #expect(admissions == [true, true, false, false, true, false, true, false])
        #expect(gate.admit("192.0.2.2", now: 62) == true)
    }

    @Test func `a clock that is set back lets everybody in, and a gate that is off does`() {
        var rules = ConnectionRules()
        rules.reconnectCountMax = 1
        var gate = ReconnectLimiter(rules)
        #expect(gate.admit("192.0.2.1", now: 1000) == true)
        #expect(gate.admit("192.0.2.1", now: 10) == true)
        var open = ReconnectLimiter(ConnectionRules())
        for _ in 0..<1000 { #expect(open.admit("192.0.2.1", now: 0) == true) }
    }

    @Test func `a gate remembers no more addresses than it may`() {
        var rules = ConnectionRules()
        (rules.reconnectCountMax, rules.reconnectWindowSeconds) = (1, 60)
        var gate = ReconnectLimiter(rules)
        for number in 0..<ReconnectLimiter.addressCountMax { #expect(gate.admit("\(number)", now: 0) == true) }
        // Beyond its memory it cannot tell them apart, and admits; known ones it still refuses.
        #expect(gate.admit("new", now: 1) == true)
        #expect(gate.admit("new", now: 1) == true)
        #expect(gate.admit("7", now: 1) == false)
        // Old entries make room.
        #expect(gate.admit("new", now: 100) == true)
        #expect(gate.admit("new", now: 100) == false)
    }
}
