import APNS
import Testing

@testable import APNSSimulator
@testable import Bench

@Suite struct FaultPlanTests {
    @Test func `the same seed gives the same plan, another seed another`() {
        func choices(_ seed: UInt64) -> ([FaultPlan.Connection], [FaultPlan.Request]) {
            var plan = FaultPlan(seed: seed, faultRate: 0.5)
            return ((0..<20).map { _ in plan.nextConnection() }, (0..<200).map { _ in plan.nextRequest() })
        }
        #expect(choices(1) == choices(1))
        #expect(choices(1).1 != choices(2).1)
        #expect(choices(1).0 != choices(2).0)
    }

    @Test func `a connection more does not change what happens to requests`() {
        var plan = FaultPlan(seed: 7, faultRate: 0.5)
        var other = FaultPlan(seed: 7, faultRate: 0.5)
        _ = other.nextConnection()
        for _ in 0..<100 { #expect(plan.nextRequest() == other.nextRequest()) }
    }

    @Test(arguments: [0, 0.05, 0.5]) func `as many requests go wrong as the rate says`(_ rate: Double) {
        var plan = FaultPlan(seed: 3, faultRate: rate)
        let count = (0..<20_000).count { _ in plan.nextRequest().fault != nil }
        #expect(abs(Double(count) / 20_000 - rate) < 0.01)
    }

    @Test func `a spell of refusals ends, and a revocation does not`() {
        func reasons(_ spell: FaultPlan.Spell) -> [Reason?] {
            var plan = FaultPlan(seed: 11, faultRate: 0, spell: spell)
            return (0..<20).map { _ in
                guard case .rejected(let reason)? = plan.nextRequest().fault else { return nil }
                return reason
            }
        }
        let refused = reasons(.refusals(count: 5))
        #expect(refused.prefix(5).allSatisfy { $0?.status == 400 } && refused.dropFirst(5).allSatisfy { $0 == nil })
        let revoked = reasons(.revocation(after: 5))
        #expect(revoked.prefix(5).allSatisfy { $0 == nil })
        #expect(revoked.dropFirst(5).allSatisfy { $0 == .invalidProviderToken })
    }

    @Test func `every reason comes that is about the credential, or about later`() {
        var plan = FaultPlan(seed: 5, faultRate: 1)
        var reasons: Set<Reason> = []
        for _ in 0..<5_000 {
            if case .rejected(let reason)? = plan.nextRequest().fault { reasons.insert(reason) }
        }
        #expect(
            reasons.isSuperset(of: [
                .expiredProviderToken, .invalidProviderToken, .tooManyProviderTokenUpdates, .forbidden,
                .topicDisallowed, .unrelatedKeyIDInToken, .tooManyRequests, .internalServerError, .serviceUnavailable,
                .shutdown,
            ])
        )
    }

    @Test func `every kind of fault comes`() {
        var plan = FaultPlan(seed: 5, faultRate: 1)
        func kind(_ fault: Any) -> String { String(String(describing: fault).prefix { $0 != "(" }) }
        var kinds: Set<String> = []
        for _ in 0..<5_000 {
            let connection = plan.nextConnection()
            if let fault = connection.connectFault { kinds.insert("connect " + kind(fault)) }
            switch plan.nextRequest().fault {
            case .connection(.settings(let settings), _)?: kinds.insert("settings " + kind(settings))
            case .connection(let fault, _)?: kinds.insert("connection " + kind(fault))
            case let fault?: kinds.insert("request " + kind(fault))
            case nil: break
            }
        }
        #expect(kinds.filter { $0.hasPrefix("connect ") }.count == 9)
        #expect(kinds.filter { $0.hasPrefix("connection ") }.count == 8)
        #expect(kinds.filter { $0.hasPrefix("settings ") }.count == 5)
        #expect(kinds.filter { $0.hasPrefix("request ") }.count == 12)
    }
}
