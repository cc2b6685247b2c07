import Foundation
import Synchronization
import Testing

@testable import NotificationCore

struct PendingDeliveriesTests {
    /// What a content handler was called with.
    private final class Calls: Sendable {
        private let contents = Mutex<[String]>([])
        var all: [String] { contents.withLock { $0 } }
        func add(_ content: String) { contents.withLock { $0.append(content) } }
    }

    @Test func `finished work is shown, once`() {
        let pending = PendingDeliveries<String>()
        let calls = Calls()
        let delivery = pending.begin(best: "placeholder") { calls.add($0) }
        #expect(pending.finish(delivery, with: "text"))
        #expect(!pending.finish(delivery, with: "again"))
        pending.expire()
        #expect(calls.all == ["text"])
    }

    @Test func `time that runs out shows the best there is, and later work nothing`() {
        let pending = PendingDeliveries<String>()
        let calls = Calls()
        let delivery = pending.begin(best: "placeholder") { calls.add($0) }
        pending.expire()
        pending.expire()
        #expect(!pending.finish(delivery, with: "text"))
        #expect(calls.all == ["placeholder"])
    }

    @Test func `time that runs out answers every push of the process`() {
        let pending = PendingDeliveries<String>()
        let calls = Calls()
        let first = pending.begin(best: "one") { calls.add($0) }
        _ = pending.begin(best: "two") { calls.add($0) }
        #expect(pending.finish(first, with: "first"))
        pending.expire()
        #expect(calls.all == ["first", "two"])
    }

    @Test func `a handler that calls back into its delivery does not lock up`() {
        let pending = PendingDeliveries<String>()
        let calls = Calls()
        let delivery = pending.begin(best: "placeholder") { content in
            calls.add(content)
            pending.expire()
        }
        pending.finish(delivery, with: "text")
        #expect(calls.all == ["text"])
    }

    @Test func `of work and expiry on two threads exactly one is first, 2,000 times`() async {
        for _ in 0..<2_000 {
            let pending = PendingDeliveries<String>()
            let calls = Calls()
            let delivery = pending.begin(best: "placeholder") { calls.add($0) }
            await withTaskGroup { group in
                group.addTask { _ = pending.finish(delivery, with: "text") }
                group.addTask { pending.expire() }
            }
            #expect(calls.all.count == 1)
        }
    }
}
