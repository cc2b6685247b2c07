import PushStore
import Testing

@testable import PushService

struct OwnerShareTests {
    private let stuck: TenantID
    private let quick: TenantID
    private var limits = ServiceLimits()

    init() throws {
        (stuck, quick) = (try TenantID("stuck"), try TenantID("quick"))
        limits.inFlightCountMax = 64
    }

    private func flow(isShared: Bool) -> DispatchFlow {
        var flow = DispatchFlow(inFlightMax: limits.inFlightCountMax, bucket: DeviceBucket(limits))
        flow.adopt(limits, isShared: isShared)
        return flow
    }

    /// Reserves one by one, each for a device of its own, until there is no room.
    private func reserve(_ flow: inout DispatchFlow, _ tickets: inout Int, of owner: TenantID) -> Int {
        var count = 0
        while true {
            let device = DeviceBucket.Key(shardHash: UInt64(tickets))
            guard flow.reserve(tickets..<tickets + 1, for: [device], replacing: [nil], in: .urgent, of: owner, now: 0)
            else { return count }
            tickets += 1
            count += 1
        }
    }

    @Test func `a tenant whose pushes have no answers leaves room for others, and alone it has all`() {
        var tickets = 1
        var alone = flow(isShared: false)
        #expect(reserve(&alone, &tickets, of: stuck) == 64)
        var shared = flow(isShared: true)
        #expect(reserve(&shared, &tickets, of: stuck) == 32)
        #expect(reserve(&shared, &tickets, of: quick) == 16)
    }

    @Test func `what is queued of a crowded tenant waits, and no more is taken, until some of its own has its end`() {
        var tickets = 1
        var flow = flow(isShared: true)
        while flow.next(now: 0) != nil {}
        _ = reserve(&flow, &tickets, of: stuck)
        var (late, next) = (DispatchFlowTests.item(tickets), DispatchFlowTests.item(tickets + 1))
        (late.owner, next.owner) = (stuck, quick)
        flow.didTake([late, next], from: .urgent, isAll: true)
        let sent = DispatchFlow.Marked(ticket: tickets + 1, postponedBy: nil)
        let marked = flow.next(now: 0)
        #expect(marked == .mark([sent]))
        #expect(flow.isCrowded(stuck) && !flow.isCrowded(quick))
        let crowded = flow.crowdedOwners(in: .urgent)
        #expect(crowded == [stuck])
        flow.didMark([sent], lost: [])
        let nothing = flow.next(now: 0)
        #expect(nothing == nil)
        for ticket in 1...3 { flow.didAnswer(ticket) }
        guard case .finish(let batch)? = flow.next(now: 0) else {
            Issue.record("an answer is handed in")
            return
        }
        flow.didFinish(batch)
        let look = flow.next(now: 0)
        #expect(look == .take(.urgent, limit: 256, retryLimit: 64), "the look is repeated")
        let last = flow.next(now: 250_000_000)
        #expect(last == .mark([DispatchFlow.Marked(ticket: tickets, postponedBy: nil)]))
    }
}
