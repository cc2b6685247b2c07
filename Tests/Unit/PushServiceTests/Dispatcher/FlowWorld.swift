import PushStore
import TestSupport

@testable import PushService

/// A seeded store and APNs for a flow: calls return late and in any order, some fail, some entries are lost to others,
/// some are retried.
struct FlowWorld {
    private enum Call {
        case take(Lane, limit: Int)
        case mark([DispatchFlow.Marked])
        case push(Int)
        case store(Range<Int>)
        case finish([Int])
    }

    static let inFlightMax = 100
    private(set) var flow: DispatchFlow
    private var random: SeededRandom
    private var queued: [Lane: Int] = [:]
    private var calls: [Call] = []
    private var taken: [Int: Lane] = [:]
    private var marked: Set<Int> = []
    private var answered: Set<Int> = []
    private var postponed: Set<Int> = []
    /// Collapse key of each ticket, and the ticket in flight for each key.
    private var collapses: [Int: DispatchFlow.CollapseKey] = [:]
    private var onTheWay: [DispatchFlow.CollapseKey: Int] = [:]
    private var enqueuedCount = 0
    private var endedCount = 0
    private var lastTicket = 0
    private var now: Int64 = 0
    private var isDraining = false
    var failurePercent = 10
    private(set) var fault: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        flow = DispatchFlow(
            inFlightMax: Self.inFlightMax,
            bucket: DeviceBucket(perMinute: 6_000, burst: 3, deviceCountMax: 1_000)
        )
    }

    var isDone: Bool { endedCount == enqueuedCount && calls.isEmpty }
    var isEverythingSomewhere: Bool { queued.values.reduce(0, +) + endedCount == enqueuedCount && taken.isEmpty }
    var summary: String {
        "\(enqueuedCount) enqueued, \(endedCount) ended, \(queued.values.reduce(0, +)) queued, \(taken.count) taken"
    }

    mutating func enqueue(_ count: Int) {
        enqueue(count, pick(Lane.allCases))
    }

    private mutating func enqueue(_ count: Int, _ lane: Lane) {
        queued[lane, default: 0] += count
        enqueuedCount += count
        flow.wake([lane])
    }

    private(set) var handedOverCount = 0

    /// One request's notifications: sent once stored where there is room, else queued.
    mutating func offer(_ count: Int) {
        let lane = pick(Lane.allCases)
        let first = lastTicket + 1
        let tickets = first..<first + count
        let devices = (0..<count).map { _ in DeviceBucket.Key(shardHash: UInt64.random(in: 0..<400, using: &random)) }
        // Those that wait for their device hold no reservation.
        let own = flow.waiting[lane.index]
        let waiting = own.fresh.count + own.retries.count
        let keys = (0..<count).map { _ in key() }
        guard flow.reserve(tickets, for: devices, replacing: keys, in: lane, now: now) else {
            return enqueue(count, lane)
        }
        if isDraining { fault = "room while draining" }
        if waiting > 0, marked.count + waiting + count > Self.inFlightMax, lane != .urgent { fault = "overtook" }
        lastTicket += count
        enqueuedCount += count
        handedOverCount += count
        for (ticket, key) in zip(tickets, keys) {
            taken[ticket] = lane
            marked.insert(ticket)
            collapses[ticket] = key
            begin(ticket)
        }
        calls.append(.store(tickets))
    }

    mutating func drain() {
        isDraining = true
        flow.drain()
    }

    /// Advances the clock, lets one call return, and begins what the flow then wants.
    mutating func step() throws {
        now += Int64.random(in: 0...20_000_000, using: &random)
        if !calls.isEmpty { end(calls.remove(at: Int.random(in: 0..<calls.count, using: &random))) }
        while let effect = flow.next(now: now) { begin(effect) }
        check()
    }

    private mutating func begin(_ effect: DispatchFlow.Effect) {
        switch effect {
        case .take(let lane, let limit, let retryLimit):
            if isDraining { fault = "took while draining" }
            if limit < 1 || retryLimit < 1 { fault = "wanted nothing" }
            if calls.contains(where: { if case .take(lane, _) = $0 { true } else { false } }) {
                fault = "two looks at one lane"
            }
            calls.append(.take(lane, limit: limit))
        case .mark(let batch):
            if isDraining { fault = "began while draining" }
            for one in batch {
                if taken[one.ticket] == nil || !marked.insert(one.ticket).inserted { fault = "marked twice" }
                if one.postponedBy != nil { postponed.insert(one.ticket) } else { begin(one.ticket) }
            }
            calls.append(.mark(batch))
        case .finish(let batch):
            for ticket in batch where !answered.contains(ticket) { fault = "finished without an outcome" }
            calls.append(.finish(batch))
        case .giveBack(let tickets):
            for ticket in tickets {
                if marked.contains(ticket) { fault = "gave back what was marked" }
                requeue(ticket)
            }
        }
    }

    private mutating func end(_ call: Call) {
        let fails = Int.random(in: 0..<100, using: &random) < failurePercent
        switch call {
        case .take(let lane, let limit):
            if fails { return flow.didFailToTake(from: lane, now: now) }
            let count = min(limit, queued[lane] ?? 0)
            queued[lane, default: 0] -= count
            let items = (0..<count).map { _ in
                lastTicket += 1
                taken[lastTicket] = lane
                collapses[lastTicket] = key()
                return DispatchFlow.Item(
                    ticket: lastTicket,
                    lane: lane,
                    isRetry: Bool.random(using: &random),
                    device: Bool.random(using: &random)
                        ? .init(shardHash: UInt64.random(in: 0..<40, using: &random)) : nil,
                    collapse: collapses[lastTicket],
                    leasedUntil: now + Int64.random(in: 1...5_000_000_000, using: &random)
                )
            }
            flow.didTake(items, from: lane, isAll: count < limit)
        case .mark(let batch):
            if fails {
                for one in batch { requeue(one.ticket) }
                return flow.didFailToMark(batch, now: now)
            }
            let lost = batch.map(\.ticket).filter { _ in Int.random(in: 0..<50, using: &random) == 0 }
            for ticket in lost { end(ticket) }
            flow.didMark(batch, lost: lost)
            for one in batch where !lost.contains(one.ticket) { calls.append(.push(one.ticket)) }
        case .store(let tickets):
            guard fails else {
                for ticket in tickets { calls.append(.push(ticket)) }
                return
            }
            // The sender gets an error.
            for ticket in tickets { end(ticket) }
            flow.didNotStore(tickets)
        case .push(let ticket):
            answered.insert(ticket)
            leaveWay(ticket)
            flow.didAnswer(ticket)
        case .finish(let batch):
            if fails { return flow.didFailToFinish(batch, now: now) }
            flow.didFinish(batch)
            for ticket in batch {
                if postponed.contains(ticket) || Int.random(in: 0..<8, using: &random) == 0, let lane = taken[ticket] {
                    flow.willHaveMore(lane, at: now + 10_000_000)
                    requeue(ticket)
                } else {
                    end(ticket)
                }
            }
        }
    }

    private mutating func key() -> DispatchFlow.CollapseKey? {
        Bool.random(using: &random) ? .init(value: Int.random(in: 0..<200, using: &random)) : nil
    }

    private mutating func begin(_ ticket: Int) {
        guard let key = collapses[ticket] else { return }
        if onTheWay.updateValue(ticket, forKey: key) != nil { fault = "two of one collapse id are on their way" }
    }

    private mutating func leaveWay(_ ticket: Int) {
        if let key = collapses[ticket], onTheWay[key] == ticket { onTheWay[key] = nil }
    }

    private mutating func requeue(_ ticket: Int) {
        guard let lane = forget(ticket) else { return }
        queued[lane, default: 0] += 1
    }

    private mutating func end(_ ticket: Int) {
        guard forget(ticket) != nil else { return }
        endedCount += 1
    }

    private mutating func forget(_ ticket: Int) -> Lane? {
        marked.remove(ticket)
        answered.remove(ticket)
        leaveWay(ticket)
        collapses[ticket] = nil
        postponed.remove(ticket)
        guard let lane = taken.removeValue(forKey: ticket) else {
            fault = "ended twice"
            return nil
        }
        return lane
    }

    private mutating func check() {
        let bounds = flow.bounds
        for lane in Lane.allCases {
            let waiting = taken.count { $0.value == lane && !marked.contains($0.key) }
            if waiting > bounds.waitingCountMax + 2 * bounds.heldCountMax + bounds.behindCountMax {
                fault = "\(waiting) wait in \(lane)"
            }
        }
        if marked.count > Self.inFlightMax { fault = "\(marked.count) are on their way" }
        let marks = calls.count { if case .mark = $0 { true } else { false } }
        let finishes = calls.count { if case .finish = $0 { true } else { false } }
        if max(marks, finishes) > bounds.writesAtOnceMax { fault = "too many writes at once" }
        if queued.values.reduce(0, +) + taken.count + endedCount != enqueuedCount { fault = "lost: \(summary)" }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}
