import APNS
import Testing

@testable import PushService

struct SuspensionTableTests {
    /// A box for the table, so that an expectation can change it.
    private final class SuspensionBox {
        private var suspensions = SuspensionTable()
        var isEmpty: Bool { suspensions.all.isEmpty }
        var liftCount: Int { suspensions.liftCount }
        func suspend(_ scope: Scope, _ reason: Reason, now: Int64) -> Bool {
            suspensions.suspend(scope, reason, now: now)
        }
        func admits(lane: Int, bundleID: String, tenant: String = "acme") -> Bool {
            suspensions.admits(.init(lane: lane, bundleID: .named(bundleID), tenant: .named(tenant)))
        }
        func didPass(lane: Int, bundleID: String, tenant: String = "acme") -> [Scope] {
            suspensions.didPass(.init(lane: lane, bundleID: .named(bundleID), tenant: .named(tenant)))
        }
        func didLearnNothing(lane: Int, bundleID: String) {
            suspensions.didLearnNothing(.init(lane: lane, bundleID: .named(bundleID), tenant: .named("acme")))
        }
        func stops(lane: Int, bundleID: String, tenant: String) -> Bool {
            suspensions.stops(.init(lane: lane, bundleID: .named(bundleID), tenant: .named(tenant)))
        }
        func takeDue(now: Int64) -> [Scope] { suspensions.takeDue(now: now) }
        func clear() { suspensions.clear() }
    }

    private typealias Scope = SuspensionTable.Scope
    private let wait = SuspensionTable.probeNanoseconds

    @Test func `what is suspended is told once, and lets nothing through until it is time to see`() {
        let suspensions = SuspensionBox()
        #expect(suspensions.admits(lane: 1, bundleID: "a"))
        #expect(suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0))
        #expect(!suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 10))
        #expect(!suspensions.admits(lane: 1, bundleID: "a") && suspensions.admits(lane: 2, bundleID: "a"))
        #expect(suspensions.takeDue(now: wait).isEmpty, "counted from the last refusal")
        #expect(suspensions.takeDue(now: wait + 10) == [Scope(lane: 1, bundleID: nil)])
        #expect(suspensions.takeDue(now: wait + 10).isEmpty)
    }

    @Test func `one push goes to see; its refusal is no news, and its success brings all back`() {
        let suspensions = SuspensionBox()
        _ = suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        _ = suspensions.takeDue(now: wait)
        #expect(suspensions.admits(lane: 1, bundleID: "a") && !suspensions.admits(lane: 1, bundleID: "b"))
        #expect(!suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: wait))
        #expect(!suspensions.admits(lane: 1, bundleID: "a"))
        _ = suspensions.takeDue(now: 2 * wait)
        #expect(suspensions.admits(lane: 1, bundleID: "a"))
        #expect(suspensions.didPass(lane: 1, bundleID: "a") == [Scope(lane: 1, bundleID: nil)])
        #expect(
            suspensions.admits(lane: 1, bundleID: "a") && suspensions.admits(lane: 1, bundleID: "b")
                && suspensions.isEmpty
        )
    }

    @Test func `an app that is stopped leaves the others of its credential alone`() {
        let suspensions = SuspensionBox()
        _ = suspensions.suspend(Scope(lane: 1, bundleID: .named("a")), .topicDisallowed, now: 0)
        #expect(!suspensions.admits(lane: 1, bundleID: "a") && suspensions.admits(lane: 1, bundleID: "b"))
        #expect(suspensions.didPass(lane: 1, bundleID: "b").isEmpty && !suspensions.admits(lane: 1, bundleID: "a"))
    }

    @Test func `what stops one tenant's app leaves another's with the same credential alone (abuse case 85)`() {
        let suspensions = SuspensionBox()
        let own = Scope(lane: 1, bundleID: .named("a"), tenant: .named("acme"))
        _ = suspensions.suspend(own, .badDeviceToken, now: 0)
        #expect(
            !suspensions.admits(lane: 1, bundleID: "a") && suspensions.stops(lane: 1, bundleID: "a", tenant: "acme")
        )
        #expect(suspensions.admits(lane: 1, bundleID: "a", tenant: "rival"))
        #expect(!suspensions.stops(lane: 1, bundleID: "a", tenant: "rival"))
        #expect(suspensions.takeDue(now: wait) == [own])
        #expect(suspensions.didPass(lane: 1, bundleID: "a", tenant: "rival").isEmpty)
        #expect(suspensions.admits(lane: 1, bundleID: "a") && suspensions.didPass(lane: 1, bundleID: "a") == [own])
        #expect(suspensions.isEmpty)
    }

    @Test func `an answer from before does not bring back what was stopped after it`() {
        let suspensions = SuspensionBox()
        _ = suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        #expect(suspensions.didPass(lane: 1, bundleID: "a").isEmpty && !suspensions.admits(lane: 1, bundleID: "a"))
    }

    @Test func `a good answer and a reload are counted as lifts, and an answer that lifts nothing is not`() {
        let suspensions = SuspensionBox()
        _ = suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        _ = suspensions.didPass(lane: 1, bundleID: "a")
        #expect(suspensions.liftCount == 0)
        _ = suspensions.takeDue(now: wait)
        _ = suspensions.didPass(lane: 1, bundleID: "a")
        #expect(suspensions.liftCount == 1)
        suspensions.clear()
        #expect(suspensions.liftCount == 2)
    }

    @Test func `a push that went to see and had no answer lets the next one go`() {
        let suspensions = SuspensionBox()
        _ = suspensions.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        _ = suspensions.takeDue(now: wait)
        #expect(suspensions.admits(lane: 1, bundleID: "a"))
        suspensions.didLearnNothing(lane: 1, bundleID: "a")
        #expect(suspensions.admits(lane: 1, bundleID: "b"))
    }
}
