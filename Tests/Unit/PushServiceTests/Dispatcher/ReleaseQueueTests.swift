import APNS
import PushStore
import Testing

@testable import PushService

struct ReleaseQueueTests {
    private static func app(_ bundleID: String, lane: Int = 1) -> SuspensionTable.Scope {
        SuspensionTable.Scope(lane: lane, bundleID: .named(bundleID))
    }

    private static func step(
        _ bundleID: String,
        _ amount: ReleaseQueue.Amount,
        lane: Int = 1
    ) throws -> ReleaseQueue.Step {
        ReleaseQueue.Step(
            tenant: try TenantID("acme"),
            topic: try Topic(bundleID: bundleID),
            app: app(bundleID, lane: lane),
            amount: amount
        )
    }

    @Test func `a few go first, and the rest when one of them was believed`() throws {
        var queue = ReleaseQueue()
        let few = try Self.step("com.example.a", .few)
        queue.add([few, few])
        #expect(queue.take(now: 0) == few && few.countMax == 10)
        #expect(queue.take(now: 0) == nil, "one at a time")
        queue.didEnd(few, count: 10, now: 0)
        #expect(queue.take(now: 1) == nil)
        queue.didPass(Self.app("com.example.b"))
        queue.didPass(Self.app("com.example.a", lane: 2))
        #expect(queue.take(now: 1) == nil, "another's answer")
        queue.didPass(Self.app("com.example.a"))
        let rest = try Self.step("com.example.a", .rest)
        #expect(queue.take(now: 1) == rest && rest.countMax == 500)
        queue.didEnd(rest, count: 500, now: 2)
        #expect(queue.take(now: 2) == rest, "there may be more")
        queue.didEnd(rest, count: 499, now: 3)
        #expect(queue.take(now: .max) == nil)
    }

    @Test func `without any answer the rest goes after a minute, and there is none behind fewer than a few`() throws {
        var queue = ReleaseQueue()
        let (one, other) = (try Self.step("com.example.a", .few), try Self.step("com.example.b", .few))
        queue.add([one, other])
        #expect(queue.take(now: 0) == one)
        queue.didEnd(one, count: 9, now: 0)
        #expect(queue.take(now: 0) == other)
        queue.didEnd(other, count: 10, now: 5)
        #expect(queue.take(now: ReleaseQueue.patienceNanoseconds + 4) == nil)
        #expect(queue.take(now: ReleaseQueue.patienceNanoseconds + 5) == (try Self.step("com.example.b", .rest)))
    }

    @Test func `as many as were parked are released, and not again what is parked meanwhile`() throws {
        var queue = ReleaseQueue()
        queue.add([try Self.step("com.example.a", .rest)])
        let first = queue.take(now: 0)
        var rest = try #require(first)
        rest.left = 1_001
        for left in [501, 1] {
            queue.didEnd(rest, count: 500, now: 0)
            let next = queue.take(now: 0)
            rest = try #require(next)
            #expect(rest.left == left)
        }
        queue.didEnd(rest, count: 500, now: 0)
        #expect(queue.take(now: .max) == nil)
    }

    @Test func `one push is enough to see, of what was suspended together`() throws {
        var queue = ReleaseQueue()
        let credential = SuspensionTable.Scope(lane: 1, bundleID: nil)
        let steps = try ["com.example.a", "com.example.b", "com.example.c"].map { try Self.step($0, .one(credential)) }
        let other = try Self.step("com.example.d", .one(Self.app("com.example.d")))
        queue.add(steps + [other])
        #expect(queue.take(now: 0) == steps[0] && steps[0].countMax == 1)
        queue.didEnd(steps[0], count: 0, now: 0)
        #expect(queue.take(now: 0) == steps[1])
        queue.didEnd(steps[1], count: 1, now: 0)
        #expect(queue.take(now: 0) == other)
    }

    @Test func `after a failure it pauses for a second and tries the same again`() throws {
        var queue = ReleaseQueue()
        let few = try Self.step("com.example.a", .few)
        queue.add([few])
        #expect(queue.take(now: 0) == few)
        queue.didEnd(few, count: nil, now: 0)
        #expect(queue.take(now: UpkeepTimes.second - 1) == nil)
        #expect(queue.take(now: UpkeepTimes.second) == few)
    }
}
