import PushStore
import TestSupport
import Testing

@testable import PushService

/// The flow alone, against a store and an APNs that are a few counters and a random source.
struct DispatchFlowTests {
    @Test func `whatever fails and in whatever order, nothing is lost, bounds hold, and all of it ends`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        var handedOverCount = 0
        for round in 0..<12 {
            var world = FlowWorld(seed: random.next())
            world.enqueue(Int.random(in: 1...1_500, using: &random))
            for step in 0..<1_000 {
                try world.step()
                if Int.random(in: 0..<200, using: &random) == 0 {
                    world.enqueue(Int.random(in: 1...200, using: &random))
                }
                if Int.random(in: 0..<4, using: &random) == 0 { world.offer(Int.random(in: 1...5, using: &random)) }
                if let fault = world.fault {
                    Issue.record("seed \(seed), round \(round), step \(step): \(fault)")
                    return
                }
            }
            world.failurePercent = 0
            var steps = 0
            while !world.isDone, world.fault == nil, steps < 1_000_000 {
                try world.step()
                steps += 1
            }
            #expect(world.fault == nil && world.isDone, "seed \(seed), round \(round): \(world.summary)")
            handedOverCount += world.handedOverCount
        }
        // A round may begin so full that there is never room.
        #expect(handedOverCount > 0, "seed \(seed): nothing had room")
    }

    @Test func `a drain gives back what was not begun, begins nothing, and is over when the rest has ended`() throws {
        let seed = RunSeed.here()
        var random = SeededRandom(seed: seed)
        for round in 0..<30 {
            var world = FlowWorld(seed: random.next())
            world.enqueue(Int.random(in: 1...3_000, using: &random))
            for _ in 0..<Int.random(in: 0..<400, using: &random) {
                try world.step()
                if Int.random(in: 0..<4, using: &random) == 0 { world.offer(Int.random(in: 1...5, using: &random)) }
            }
            world.drain()
            world.offer(1)
            world.failurePercent = 0
            var steps = 0
            while !world.flow.isIdle, world.fault == nil, steps < 100_000 {
                try world.step()
                steps += 1
            }
            #expect(world.fault == nil && world.flow.isIdle, "seed \(seed), round \(round): \(world.summary)")
            #expect(world.isEverythingSomewhere, "seed \(seed), round \(round): \(world.summary)")
        }
    }

    @Test func `what waits for a busy device holds nobody else up`() throws {
        let bucket = DeviceBucket(perMinute: 60, burst: 1, deviceCountMax: 100)
        var flow = DispatchFlow(inFlightMax: 64, bucket: bucket)
        let busy = DeviceBucket.Key(shardHash: 1)
        _ = flow.next(now: 0)
        let items = (1...3).map { Self.item($0, device: busy) } + [Self.item(4, device: .init(shardHash: 2))]
        flow.didTake(items, from: .urgent, isAll: true)
        let first = [Self.marked(&flow, now: 0), Self.marked(&flow, now: 999_999_999)]
        #expect(first == [[1, 4], []])
        #expect(flow.wakesAt(now: 999_999_999) == 1_000_000_000)
        let later = [Self.marked(&flow, now: 1_000_000_000), Self.marked(&flow, now: 2_000_000_000)]
        #expect(later == [[2], [3]])
    }

    @Test func `what waited for its device keeps its place, also where it came back and was not chosen`() throws {
        let bucket = DeviceBucket(perMinute: 60, burst: 1, deviceCountMax: 100)
        var flow = DispatchFlow(inFlightMax: 8, bucket: bucket)
        let busy = DeviceBucket.Key(shardHash: 1)
        _ = flow.next(now: 0)
        flow.didTake([Self.item(1, device: busy), Self.item(2, device: busy)], from: .urgent, isAll: true)
        #expect(Self.marked(&flow, now: 0) == [1], "the second waits for a second")
        flow.bucket.slowDown(busy, for: .seconds(3), now: 0)
        flow.didTake([Self.item(3, device: busy)] + (4...10).map { Self.item($0) }, from: .urgent, isAll: true)
        // The third waits for three tokens; the queue behind the device is full, so the second comes back and is not
        // chosen.
        #expect(Self.marked(&flow, now: 0) == Array(4...10))
        #expect(Self.marked(&flow, now: 1_000_000_000).isEmpty && Self.marked(&flow, now: 3_000_000_000).isEmpty)
        for ticket in 4...10 { flow.didAnswer(ticket) }
        if case .finish(let batch)? = flow.next(now: 4_000_000_000) { flow.didFinish(batch) }
        #expect(Self.marked(&flow, now: 4_000_000_000) == [2])
        #expect(Self.marked(&flow, now: 5_000_000_000) == [3])
    }

    @Test func `what cannot wait in memory for its device is postponed on the disk`() throws {
        var bounds = DispatchFlow.Bounds()
        bounds.heldCountMax = 1
        let bucket = DeviceBucket(perMinute: 60, burst: 1, deviceCountMax: 100)
        var flow = DispatchFlow(inFlightMax: 64, bucket: bucket, bounds: bounds)
        _ = flow.next(now: 0)
        flow.didTake((1...3).map { Self.item($0, device: .init(shardHash: 1)) }, from: .urgent, isAll: true)
        var batches: [DispatchFlow.Marked] = []
        while let effect = flow.next(now: 0) { if case .mark(let batch) = effect { batches += batch } }
        #expect(batches.map(\.ticket) == [1, 3])
        #expect(batches.map { $0.postponedBy != nil } == [false, true])
    }

    @Test func `what would wait for its device beyond its lease is postponed on the disk`() throws {
        let bucket = DeviceBucket(perMinute: 60, burst: 1, deviceCountMax: 100)
        var flow = DispatchFlow(inFlightMax: 64, bucket: bucket)
        _ = flow.next(now: 0)
        let busy = DeviceBucket.Key(shardHash: 1)
        flow.didTake(
            (1...2).map { Self.item($0, device: busy, leasedUntil: 1_000_000_000) },
            from: .urgent,
            isAll: true
        )
        let effect = flow.next(now: 0)
        let second = DispatchFlow.Marked(ticket: 2, postponedBy: .seconds(1))
        #expect(effect == .mark([DispatchFlow.Marked(ticket: 1, postponedBy: nil), second]))
    }

    @Test func `after a write that failed nothing is taken until outcomes are on the disk, and pauses double`() {
        var flow = DispatchFlow(inFlightMax: 64, bucket: DeviceBucket(perMinute: 60, burst: 9, deviceCountMax: 9))
        _ = flow.next(now: 0)
        flow.didTake([Self.item(1)], from: .urgent, isAll: true)
        let marked = Self.marked(&flow, now: 0)
        #expect(marked == [1])
        flow.didAnswer(1)
        var now: Int64 = 0
        for pause: Int64 in [100, 200, 400] {
            var batches: [[Int]] = []
            while let effect = flow.next(now: now) { if case .finish(let batch) = effect { batches.append(batch) } }
            #expect(batches == [[1]])
            flow.didFailToFinish([1], now: now)
            flow.wake(Lane.allCases)
            let early = flow.next(now: now + pause * 1_000_000 - 1)
            #expect(early == nil)
            now += pause * 1_000_000
        }
        let last = flow.next(now: now)
        #expect(last == .finish([1]))
        flow.didFinish([1])
        let next = flow.next(now: now)
        #expect(next != nil, "it takes again")
    }

    @Test func `a lane that had more is looked at again at once, and an empty one not before a ring or a second`() {
        var flow = DispatchFlow(inFlightMax: 64, bucket: DeviceBucket(perMinute: 60, burst: 9, deviceCountMax: 9))
        while flow.next(now: 0) != nil {}
        flow.didTake([Self.item(1)], from: .urgent, isAll: false)
        _ = Self.marked(&flow, now: 0)
        flow.didTake([], from: .urgent, isAll: true)
        let empty = flow.next(now: 999_999_999)
        flow.wake([.urgent])
        let woken = flow.next(now: 999_999_999)
        #expect(empty == nil && woken == .take(.urgent, limit: 256, retryLimit: 64))
        flow.didTake([], from: .urgent, isAll: false)
        let more = flow.next(now: 999_999_999)
        flow.didTake([], from: .urgent, isAll: true)
        let later = flow.next(now: 1_000_000_000)
        #expect(more == .take(.urgent, limit: 256, retryLimit: 64) && later == more)
    }

    @Test func `what has waited longer than its lease is given back`() {
        var flow = DispatchFlow(inFlightMax: 8, bucket: DeviceBucket(perMinute: 60, burst: 9, deviceCountMax: 9))
        while flow.next(now: 0) != nil {}
        flow.didTake((1...20).map { Self.item($0, lane: .background) }, from: .background, isAll: true)
        let begun = Self.marked(&flow, now: 0)
        #expect(begun == [1, 2, 3, 4])
        let later = flow.next(now: 300_000_000_000)
        #expect(later == .giveBack(Array(5...20)))
    }

    enum WayBack { case leaseEnds, leaseEndsBehindAnother, markFails }

    @Test(arguments: [WayBack.leaseEnds, .leaseEndsBehindAnother, .markFails])
    func `a lane to whose queue something goes back is looked at again before the second is over`(_ way: WayBack) {
        var flow = DispatchFlow(inFlightMax: 8, bucket: DeviceBucket(perMinute: 60, burst: 9, deviceCountMax: 9))
        while flow.next(now: 0) != nil {}
        for lane in Lane.allCases { flow.didTake([], from: lane, isAll: true) }
        let collapse = way == .leaseEndsBehindAnother ? DispatchFlow.CollapseKey(value: 7) : nil
        let leasedUntil: Int64 = way == .markFails ? 300_000_000_000 : 500_000_000
        let items = (1...5).map { Self.item($0, lane: .background, collapse: collapse, leasedUntil: leasedUntil) }
        flow.didTake(items, from: .background, isAll: true)
        // Half of eight may be background pushes, and one of those that replace each other.
        switch way {
        case .leaseEnds, .leaseEndsBehindAnother:
            _ = Self.marked(&flow, now: 0)
            let back = flow.next(now: 500_000_000)
            #expect(back == .giveBack(way == .leaseEnds ? [5] : [2, 3, 4, 5]))
        case .markFails:
            let first = flow.next(now: 0)
            let batch = (1...4).map { DispatchFlow.Marked(ticket: $0, postponedBy: nil) }
            #expect(first == .mark(batch))
            flow.didFailToMark(batch, now: 0)
            let rest = [DispatchFlow.Marked(ticket: 5, postponedBy: nil)]
            let second = flow.next(now: 100_000_000)
            #expect(second == .mark(rest))
            flow.didMark(rest, lost: [])
        }
        let next = flow.next(now: 500_000_000)
        #expect(next == .take(.background, limit: 256, retryLimit: 64))
    }

    @Test func `a reload's limits count from the next choice on, and who waits for its device waits on`() {
        var limits = ServiceLimits()
        (limits.inFlightCountMax, limits.pushesPerMinuteOfDevice, limits.pushBurstOfDevice) = (16, 60, 1)
        var flow = DispatchFlow(inFlightMax: limits.inFlightCountMax, bucket: DeviceBucket(limits))
        while flow.next(now: 0) != nil {}
        flow.didTake((1...40).map { Self.item($0) }, from: .urgent, isAll: true)
        #expect(Self.marked(&flow, now: 0) == Array(1...16))
        limits.inFlightCountMax = 20
        flow.adopt(limits)
        #expect(Self.marked(&flow, now: 0) == Array(17...20))
        limits.inFlightCountMax = 16
        flow.adopt(limits)
        flow.didAnswer(1)
        while case .finish(let batch)? = flow.next(now: 0) { flow.didFinish(batch) }
        #expect(Self.marked(&flow, now: 0).isEmpty, "19 are on their way")

        var bucket = DeviceBucket(limits)
        let busy = DeviceBucket.Key(shardHash: 1)
        #expect(bucket.wait(for: busy, now: 0) == nil && bucket.wait(for: busy, now: 0) == .seconds(1))
        (limits.pushesPerMinuteOfDevice, limits.pushBurstOfDevice, limits.bucketCountMax) = (6_000, 10, 1_000)
        bucket.adopt(limits)
        #expect((0..<10).count { _ in bucket.wait(for: busy, now: 1_000_000_000) == nil } == 10)
        #expect(bucket.wait(for: busy, now: 1_000_000_000) == .milliseconds(10))
    }

    static func item(
        _ ticket: Int,
        lane: Lane = .urgent,
        device: DeviceBucket.Key? = nil,
        collapse: DispatchFlow.CollapseKey? = nil,
        leasedUntil: Int64 = 300_000_000_000
    ) -> DispatchFlow.Item {
        DispatchFlow.Item(
            ticket: ticket,
            lane: lane,
            isRetry: false,
            device: device,
            collapse: collapse,
            leasedUntil: leasedUntil
        )
    }

    static func marked(_ flow: inout DispatchFlow, now: Int64) -> [Int] {
        var tickets: [Int] = []
        while let effect = flow.next(now: now) {
            guard case .mark(let batch) = effect else { continue }
            tickets += batch.map(\.ticket)
            flow.didMark(batch, lost: [])
        }
        return tickets
    }
}
