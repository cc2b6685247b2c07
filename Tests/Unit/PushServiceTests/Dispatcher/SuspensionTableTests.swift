import APNS
import Testing

@testable import PushService

struct SuspensionTableTests {
    /// A box for the table, so that an expectation can change it.
    private final class Shelf {
        private var book = SuspensionTable()
        var isEmpty: Bool { book.all.isEmpty }
        func suspend(_ scope: Scope, _ reason: Reason, now: Int64) -> Bool { book.suspend(scope, reason, now: now) }
        func admits(lane: Int, bundleID: String, tenant: String = "acme") -> Bool {
            book.admits(.init(lane: lane, bundleID: .named(bundleID), tenant: .named(tenant)))
        }
        func didPass(lane: Int, bundleID: String, tenant: String = "acme") -> [Scope] {
            book.didPass(.init(lane: lane, bundleID: .named(bundleID), tenant: .named(tenant)))
        }
        func didLearnNothing(lane: Int, bundleID: String) {
            book.didLearnNothing(.init(lane: lane, bundleID: .named(bundleID), tenant: .named("acme")))
        }
        func stops(lane: Int, bundleID: String, tenant: String) -> Bool {
            book.stops(.init(lane: lane, bundleID: .named(bundleID), tenant: .named(tenant)))
        }
        func takeDue(now: Int64) -> [Scope] { book.takeDue(now: now) }
    }

    private typealias Scope = SuspensionTable.Scope
    private let wait = SuspensionTable.probeNanoseconds

    @Test func `what is suspended is told once, and lets nothing through until it is time to see`() {
        let book = Shelf()
        #expect(book.admits(lane: 1, bundleID: "a"))
        #expect(book.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0))
        #expect(!book.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 10))
        #expect(!book.admits(lane: 1, bundleID: "a") && book.admits(lane: 2, bundleID: "a"))
        #expect(book.takeDue(now: wait).isEmpty, "counted from the last refusal")
        #expect(book.takeDue(now: wait + 10) == [Scope(lane: 1, bundleID: nil)])
        #expect(book.takeDue(now: wait + 10).isEmpty)
    }

    @Test func `one push goes to see; its refusal is no news, and its success brings all back`() {
        let book = Shelf()
        _ = book.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        _ = book.takeDue(now: wait)
        #expect(book.admits(lane: 1, bundleID: "a") && !book.admits(lane: 1, bundleID: "b"))
        #expect(!book.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: wait))
        #expect(!book.admits(lane: 1, bundleID: "a"))
        _ = book.takeDue(now: 2 * wait)
        #expect(book.admits(lane: 1, bundleID: "a"))
        #expect(book.didPass(lane: 1, bundleID: "a") == [Scope(lane: 1, bundleID: nil)])
        #expect(book.admits(lane: 1, bundleID: "a") && book.admits(lane: 1, bundleID: "b") && book.isEmpty)
    }

    @Test func `an app that is stopped leaves the others of its credential alone`() {
        let book = Shelf()
        _ = book.suspend(Scope(lane: 1, bundleID: .named("a")), .topicDisallowed, now: 0)
        #expect(!book.admits(lane: 1, bundleID: "a") && book.admits(lane: 1, bundleID: "b"))
        #expect(book.didPass(lane: 1, bundleID: "b").isEmpty && !book.admits(lane: 1, bundleID: "a"))
    }

    @Test func `what stops one tenant's app leaves another's with the same credential alone (abuse case 85)`() {
        let book = Shelf()
        let own = Scope(lane: 1, bundleID: .named("a"), tenant: .named("acme"))
        _ = book.suspend(own, .badDeviceToken, now: 0)
        #expect(!book.admits(lane: 1, bundleID: "a") && book.stops(lane: 1, bundleID: "a", tenant: "acme"))
        #expect(book.admits(lane: 1, bundleID: "a", tenant: "rival"))
        #expect(!book.stops(lane: 1, bundleID: "a", tenant: "rival"))
        #expect(book.takeDue(now: wait) == [own])
        #expect(book.didPass(lane: 1, bundleID: "a", tenant: "rival").isEmpty)
        #expect(book.admits(lane: 1, bundleID: "a") && book.didPass(lane: 1, bundleID: "a") == [own])
        #expect(book.isEmpty)
    }

    @Test func `an answer from before does not bring back what was stopped after it`() {
        let book = Shelf()
        _ = book.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        #expect(book.didPass(lane: 1, bundleID: "a").isEmpty && !book.admits(lane: 1, bundleID: "a"))
    }

    @Test func `a push that went to see and had no answer lets the next one go`() {
        let book = Shelf()
        _ = book.suspend(Scope(lane: 1, bundleID: nil), .invalidProviderToken, now: 0)
        _ = book.takeDue(now: wait)
        #expect(book.admits(lane: 1, bundleID: "a"))
        book.didLearnNothing(lane: 1, bundleID: "a")
        #expect(book.admits(lane: 1, bundleID: "b"))
    }
}
