import APNS
import Envelope
import PushStore
import PushStorePattern
import TestSupport
import Testing

@testable import PushService

/// One push in flight at a time among those that replace each other on a device. Values alone; `DispatchModelTests`
/// adds everything around them.
struct CollapseOrderTests {
    typealias Key = CollapseOrder<Int>.Key

    @Test func `the second of a collapse id waits until the first is answered, and others do not`() throws {
        var order = CollapseOrder<Int>(countMax: 2)
        let (talk, news) = (Key(try CollapseID("talk")), Key(try CollapseID("news")))
        let begun = [order.begin(talk), order.begin(talk), order.begin(news)]
        #expect(begun == [true, false, true])
        let waits = [order.wait(2, behind: talk), order.wait(3, behind: talk), order.wait(4, behind: talk)]
        #expect(waits == [true, true, false], "there is room for two")
        let ended = [order.end(news), order.end(talk), order.end(talk)]
        #expect(ended == [[], [2, 3], []] && order.count == 0)
        let again = order.begin(talk)
        #expect(again)
    }

    @Test func `who waits no longer is behind nobody, and leaves room`() {
        var order = CollapseOrder<Int>(countMax: 3)
        let (one, two) = (Key(value: 1), Key(value: 2))
        _ = (order.begin(one), order.begin(two))
        _ = (order.wait(10, behind: one), order.wait(11, behind: one), order.wait(12, behind: two))
        let removed = order.remove { $0 != 11 }
        #expect(Set(removed) == [10, 12] && order.count == 1)
        let hasRoom = order.wait(13, behind: two)
        let ended = [order.end(one), order.end(two)]
        #expect(hasRoom && ended == [[11], [13]])
    }

    // MARK: In the flow

    private static let talk = DispatchFlow.CollapseKey(value: 7)

    private static func flow(behindCountMax: Int = 1_024, burst: Int = 9) -> DispatchFlow {
        var bounds = DispatchFlow.Bounds()
        bounds.behindCountMax = behindCountMax
        let bucket = DeviceBucket(perMinute: 60, burst: burst, deviceCountMax: 100)
        var flow = DispatchFlow(inFlightMax: 64, bucket: bucket, bounds: bounds)
        _ = flow.next(now: 0)
        return flow
    }

    @Test func `those of one collapse id go one after another, each when the one before is answered`() {
        var flow = Self.flow()
        let items = (1...3).map { DispatchFlowTests.item($0, collapse: Self.talk) }
        flow.didTake(items + [DispatchFlowTests.item(4)], from: .urgent, isAll: true)
        #expect(DispatchFlowTests.marked(&flow, now: 0) == [1, 4])
        for ticket in 1...2 {
            flow.didAnswer(ticket)
            #expect(DispatchFlowTests.marked(&flow, now: 0) == [ticket + 1], "not before, and in their order")
        }
        #expect(!flow.isIdle)
    }

    @Test func `one that was not to be sent after all, or whose mark failed, keeps nobody`() {
        for isLost in [true, false] {
            var flow = Self.flow()
            flow.didTake((1...2).map { DispatchFlowTests.item($0, collapse: Self.talk) }, from: .urgent, isAll: true)
            guard case .mark(let batch)? = flow.next(now: 0) else {
                Issue.record("no mark")
                continue
            }
            #expect(batch.map(\.ticket) == [1])
            if isLost { flow.didMark(batch, lost: [1]) } else { flow.didFailToMark(batch, now: 0) }
            #expect(DispatchFlowTests.marked(&flow, now: 5_000_000_000) == [2], "\(isLost)")
        }
    }

    @Test func `one that waits for its device keeps nobody of another lane`() {
        var flow = Self.flow(burst: 1)
        let device = DeviceBucket.Key(shardHash: 1)
        flow.didTake([DispatchFlowTests.item(1, device: device)], from: .urgent, isAll: true)
        let second = DispatchFlowTests.item(2, device: device, collapse: Self.talk)
        flow.didTake([second], from: .urgent, isAll: true)
        #expect(DispatchFlowTests.marked(&flow, now: 0) == [1])
        // The device is not known to be the same: only the collapse id could hold it back.
        let third = DispatchFlowTests.item(3, lane: .normal, collapse: Self.talk)
        flow.didTake([third], from: .normal, isAll: true)
        #expect(DispatchFlowTests.marked(&flow, now: 0) == [3])
    }

    @Test func `what has no room to wait behind another is put off on the disk, and keeps nobody`() {
        var flow = Self.flow(behindCountMax: 1)
        flow.didTake((1...3).map { DispatchFlowTests.item($0, collapse: Self.talk) }, from: .urgent, isAll: true)
        guard case .mark(let batch)? = flow.next(now: 0) else {
            Issue.record("no mark")
            return
        }
        #expect(batch.map(\.ticket) == [1, 3] && batch.map(\.postponedBy) == [nil, .seconds(1)])
        flow.didMark(batch, lost: [])
        flow.didAnswer(3)
        #expect(DispatchFlowTests.marked(&flow, now: 0).isEmpty, "the first is still on its way")
        flow.didAnswer(1)
        #expect(DispatchFlowTests.marked(&flow, now: 0) == [2])
    }

    @Test func `a lease that ends and a drain give back what waits behind another`() {
        for isDrain in [true, false] {
            var flow = Self.flow()
            flow.didTake((1...2).map { DispatchFlowTests.item($0, collapse: Self.talk) }, from: .urgent, isAll: true)
            #expect(DispatchFlowTests.marked(&flow, now: 0) == [1])
            if isDrain { flow.drain() }
            let back = flow.next(now: isDrain ? 0 : 300_000_000_000)
            #expect(back == .giveBack([2]))
            flow.didAnswer(1)
            if case .finish(let batch)? = flow.next(now: 300_000_000_000) { flow.didFinish(batch) }
            #expect(flow.inFlight.isEmpty && flow.collapses.count == 0)
        }
    }

    @Test func `what would go out beside another of its collapse id has no room, and takes none from others`() {
        var flow = Self.flow(burst: 1)
        let (one, two) = (DeviceBucket.Key(shardHash: 1), DeviceBucket.Key(shardHash: 2))
        let other = DispatchFlow.CollapseKey(value: 8)
        let first = flow.reserve(1..<2, for: [one], replacing: [Self.talk], in: .urgent, now: 0)
        let both = flow.reserve(
            2..<4,
            for: [two, one],
            replacing: [other, Self.talk],
            in: .urgent,
            now: 9_000_000_000
        )
        let alone = flow.reserve(2..<3, for: [two], replacing: [other], in: .urgent, now: 9_000_000_000)
        #expect([first, both, alone] == [true, false, true])
        #expect(flow.scheduler.inFlight.urgent == 2)
        flow.didNotStore(1..<2)
        let last = flow.reserve(4..<5, for: [one], replacing: [Self.talk], in: .urgent, now: 9_000_000_000)
        #expect(last)
    }

    @Test func `what another lane has passed has lost its place, and nobody else`() {
        let start = Timestamp(milliseconds: 1_793_491_200_000)
        let (one, two) = (DeviceBucket.Key(shardHash: 1), DeviceBucket.Key(shardHash: 2))
        var devices = QueuedDevices(unknownUntil: start)
        #expect(devices.wasPassed(one, created: start), "of what was queued before nothing is known")
        let later = start.advanced(by: .milliseconds(1))
        #expect(!devices.wasPassed(one, created: later))
        devices.didLook(oldestDue: nil)
        devices.didPass(one)
        for (number, device) in [(1, one), (2, one), (3, two)] as [(UInt64, DeviceBucket.Key)] {
            let deadline = start.advanced(by: .seconds(60))
            devices.willQueue(StorePattern.apnsID(number), for: device, deadline: deadline, now: start)
        }
        #expect(!devices.wasPassed(one, created: later), "what went out before it came is older")
        devices.didPass(one)
        devices.didLeave(StorePattern.apnsID(1))
        #expect(devices.wasPassed(one, created: later) && !devices.wasPassed(two, created: later))
        devices.didLeave(StorePattern.apnsID(2))
        #expect(!devices.wasPassed(one, created: later))
    }
}
