import APNS
import PushStore

/// Decides the dispatcher's next step. Events in, effects out; no clock, store or socket.
///
///     take → (it waits in its lane) → mark → (the push is out) → answer → finish
///
/// Bounded are items in each queue, held ones, and those without a result on disk (the scheduler's limit): a full disk
/// or a silent APNs stops the taking. Times are nanoseconds of the monotonic clock.
struct DispatchFlow: Sendable {
    /// Number of an item, greater than earlier ones.
    typealias Ticket = Int
    typealias CollapseKey = CollapseOrder<Item>.Key

    struct Item: Equatable, Sendable {
        let ticket: Ticket
        let lane: Lane
        let isRetry: Bool
        /// nil if it will not be pushed.
        let device: DeviceBucket.Key?
        /// Key that only one item in flight has.
        let collapse: CollapseKey?
        /// End of the lease, with a margin: nanoseconds of the monotonic clock.
        let leasedUntil: Int64
        /// nil: no share is counted.
        var owner: TenantID?
        /// nil if it will not be pushed.
        var client: Int?
    }

    struct Marked: Equatable, Sendable {
        let ticket: Ticket
        /// Delay until it is queued again, instead of a push.
        let postponedBy: Duration?
        var waitCause = WaitCause.device
        /// True if its client cannot connect; it is queued again.
        var isUnreachable = false
    }

    struct Chosen: Sendable {
        let lane: Lane
        /// Blocks items with the same key until it is answered.
        var collapse: CollapseKey?
        var owner: TenantID?
        /// Client in which it holds room, until the client has the push.
        var client: Int?
    }

    enum Effect: Equatable, Sendable {
        /// Answered by `didTake` or `didFailToTake`.
        case take(Lane, limit: Int, retryLimit: Int)
        /// Answered by `didMark` or `didFailToMark`, then `didAnswer` for each in flight; before, for items not pushed.
        case mark([Marked])
        /// Answered by `didFinish` or `didFailToFinish`.
        case finish([Ticket])
        /// The flow has dropped these.
        case giveBack([Ticket])
    }

    struct Bounds: Sendable {
        /// Items of a queue, taken and not chosen.
        var waitingCountMax = 1_024
        /// Items of a queue on hold; further ones are postponed on disk.
        var heldCountMax = 1_024
        /// Items behind one with their collapse id, in all queues; further ones are postponed.
        var behindCountMax = 1_024
        var takeCountMax = 256
        var markCountMax = 256
        var finishCountMax = 512
        /// Concurrent writes of each kind.
        var writesAtOnceMax = 2
        /// Interval of takes without a wake, for earlier processes' entries and due retries.
        var pollNanoseconds: Int64 = 1_000_000_000
        /// Pause after a failed write; doubles.
        var pauseNanoseconds: (first: Int64, last: Int64) = (100_000_000, 5_000_000_000)
    }

    /// Delay without room to wait.
    private static let waitWithoutRoom = Duration.seconds(1)
    /// Delay while the owner's share is used.
    private static let waitOfCrowded = Duration.milliseconds(250)

    let bounds: Bounds
    var scheduler: LaneScheduler
    var bucket: DeviceBucket
    var waiting: [LaneWaiting]
    /// Chosen, and without a result on disk.
    var inFlight: [Ticket: Chosen] = [:]
    private var owned = SharedSlots<TenantID>()
    /// Limit of `inFlight` that owners share; nil with one owner.
    private var ownedCountMax: Int?
    /// Queues whose last take left out owners.
    private var lanesToLookAt: Set<Lane> = []
    var rooms = ClientRooms()
    var collapses: CollapseOrder<Item>
    /// Results to be written.
    var answered: [Ticket] = []
    var marksUnderWay = 0
    var finishesUnderWay = 0
    var failureCount = 0
    var pausedUntil = Int64.min
    private var pollAt = Int64.min
    private(set) var isDraining = false

    init(inFlightMax: Int, bucket: DeviceBucket, bounds: Bounds = Bounds()) {
        self.bounds = bounds
        self.bucket = bucket
        scheduler = LaneScheduler(inFlightMax: inFlightMax)
        waiting = Lane.allCases.map { _ in LaneWaiting() }
        collapses = CollapseOrder(countMax: bounds.behindCountMax)
    }

    /// - Parameter isShared: True with more than one owner.
    mutating func adopt(_ limits: ServiceLimits, isShared: Bool = false) {
        scheduler.adopt(inFlightMax: limits.inFlightCountMax)
        bucket.adopt(limits)
        ownedCountMax = isShared ? limits.inFlightCountMax : nil
    }

    // MARK: Owners

    /// True if an owner has as many in flight as are left: silent pushes must leave room for other owners.
    func isCrowded(_ owner: TenantID?, by count: Int = 1) -> Bool {
        guard let owner, let ownedCountMax else { return false }
        return owned[owner] + count > ownedCountMax - owned.total - count
    }

    /// Owners that a take leaves out, until any item ends.
    mutating func crowdedOwners(in lane: Lane) -> Set<TenantID> {
        let owners = owned.owners.filter { isCrowded($0) }
        if !owners.isEmpty { lanesToLookAt.insert(lane) }
        return Set(owners)
    }

    mutating func choose(_ ticket: Ticket, _ chosen: Chosen) {
        inFlight[ticket] = chosen
        if let owner = chosen.owner { owned.take(for: owner) }
    }

    mutating func endFlight(_ ticket: Ticket) -> Chosen? {
        guard let chosen = inFlight.removeValue(forKey: ticket) else { return nil }
        scheduler.didFinish(chosen.lane)
        if let owner = chosen.owner { owned.giveBack(of: owner) }
        wake(lanesToLookAt)
        lanesToLookAt = []
        return chosen
    }

    var isIdle: Bool {
        inFlight.isEmpty && marksUnderWay == 0 && finishesUnderWay == 0 && collapses.count == 0
            && waiting.allSatisfy(\.isEmpty)
    }

    func isHeld(_ isIt: (Ticket) -> Bool) -> Bool {
        waiting.contains { $0.held.contains { isIt($0.item.ticket) } }
    }

    // MARK: Next step

    /// Next effect; nil: none before the next event or `wakesAt`.
    mutating func next(now: Int64) -> Effect? {
        if isDraining, let tickets = takeEverything() { return .giveBack(tickets) }
        if let batch = nextFinish(now) { return .finish(batch) }
        // While writes fail, results first: they free all else.
        if failureCount > 0 {
            guard now >= pausedUntil, answered.isEmpty, finishesUnderWay == 0, marksUnderWay == 0 else { return nil }
        }
        guard !isDraining else { return nil }
        if let stale = takeStale(now) { return .giveBack(stale) }
        if let batch = nextMark(now) { return .mark(batch) }
        return nextTake(now)
    }

    /// Time of the next work without an event.
    func wakesAt(now: Int64) -> Int64? {
        var times = [pollAt]
        if failureCount > 0 { times.append(pausedUntil) }
        for lane in waiting {
            if let due = lane.firstHeld { times.append(due) }
            if let due = lane.retriesAt { times.append(due) }
        }
        return times.filter { $0 > now }.min()
    }

    private mutating func nextFinish(_ now: Int64) -> [Ticket]? {
        guard !answered.isEmpty, finishesUnderWay < (failureCount > 0 ? 1 : bounds.writesAtOnceMax) else { return nil }
        guard failureCount == 0 || now >= pausedUntil else { return nil }
        finishesUnderWay += 1
        let batch = Array(answered.prefix(bounds.finishCountMax))
        answered.removeFirst(batch.count)
        return batch
    }

    private mutating func nextMark(_ now: Int64) -> [Marked]? {
        guard marksUnderWay < (failureCount > 0 ? 1 : bounds.writesAtOnceMax) else { return nil }
        for index in waiting.indices { waiting[index].bringBack(now: now) }
        var batch: [Marked] = []
        while batch.count < bounds.markCountMax {
            let fresh = counts { $0.fresh.count(where: rooms.admits) }
            let retries = counts { $0.retries.count(where: rooms.admits) }
            guard let choice = scheduler.next(fresh: fresh, retries: retries) else { break }
            let index = choice.lane.index
            guard let item = waiting[index].pop(isRetry: choice.isRetry, rooms) else {
                scheduler.didFinish(choice.lane)
                break
            }
            guard let marked = choose(item, now: now) else {
                scheduler.didFinish(choice.lane)
                continue
            }
            batch.append(marked)
        }
        guard !batch.isEmpty else { return nil }
        marksUnderWay += 1
        return batch
    }

    /// - Returns: nil if it waits in memory.
    private mutating func choose(_ item: Item, now: Int64) -> Marked? {
        if isCrowded(item.owner) {
            if hold(item, for: Self.waitOfCrowded, now: now) { return nil }
            choose(item.ticket, Chosen(lane: item.lane))
            return Marked(ticket: item.ticket, postponedBy: Self.waitWithoutRoom, waitCause: .connection)
        }
        if rooms.isUnreachable(item.client) {
            choose(item.ticket, Chosen(lane: item.lane))
            return Marked(ticket: item.ticket, postponedBy: nil, isUnreachable: true)
        }
        if let key = item.collapse, !collapses.begin(key) {
            if collapses.wait(item, behind: key) { return nil }
            choose(item.ticket, Chosen(lane: item.lane))
            return Marked(ticket: item.ticket, postponedBy: Self.waitWithoutRoom)
        }
        let wait = item.device.flatMap { bucket.wait(for: $0, now: now) }
        if wait != nil { letNext(item.collapse) }
        if let wait, hold(item, for: wait, now: now) { return nil }
        // A postponed item uses no share.
        guard wait == nil else {
            choose(item.ticket, Chosen(lane: item.lane))
            return Marked(ticket: item.ticket, postponedBy: wait)
        }
        rooms.hold(item.client)
        let chosen = Chosen(lane: item.lane, collapse: item.collapse, owner: item.owner, client: item.client)
        choose(item.ticket, chosen)
        return Marked(ticket: item.ticket, postponedBy: nil)
    }

    /// Ends the key's flight; waiting items return to their queues in order.
    mutating func letNext(_ key: CollapseKey?) {
        guard let key else { return }
        let items = collapses.end(key)
        guard !items.isEmpty else { return }
        for index in waiting.indices {
            waiting[index].bringBack(items.filter { $0.lane == Lane.allCases[index] })
        }
    }

    /// - Returns: false without room to wait, or if the lease would end first.
    private mutating func hold(_ item: Item, for wait: Duration, now: Int64) -> Bool {
        let index = item.lane.index
        let due = now &+ Int64(wait / .nanoseconds(1))
        guard waiting[index].held.count < bounds.heldCountMax, due < item.leasedUntil else { return false }
        waiting[index].hold(item, until: due)
        return true
    }

    private mutating func nextTake(_ now: Int64) -> Effect? {
        if now >= pollAt {
            pollAt = now &+ bounds.pollNanoseconds
            for index in waiting.indices { waiting[index].mayHaveMore = true }
        }
        for lane in Lane.allCases {
            let index = lane.index
            waiting[index].bringDue(now: now)
            guard waiting[index].mayHaveMore, waiting[index].takingCount == 0 else { continue }
            let room = bounds.waitingCountMax - waiting[index].count
            // Many small takes cost too much.
            guard room >= min(bounds.takeCountMax, bounds.waitingCountMax) / 2 else { continue }
            let limit = min(room, bounds.takeCountMax)
            waiting[index].takingCount = limit
            waiting[index].mayHaveMore = false
            return .take(lane, limit: limit, retryLimit: max(1, limit / LaneScheduler.retryInterval))
        }
        return nil
    }

    private mutating func takeStale(_ now: Int64) -> [Ticket]? {
        var tickets: [Ticket] = []
        for index in waiting.indices { tickets += waiting[index].removeStale(now: now) }
        for item in collapses.remove(where: { $0.leasedUntil <= now }) {
            waiting[item.lane.index].mayHaveMore = true
            tickets.append(item.ticket)
        }
        return tickets.isEmpty ? nil : tickets
    }

    private mutating func takeEverything() -> [Ticket]? {
        var tickets = waiting.indices.flatMap { waiting[$0].removeAll() }
        tickets += collapses.remove { _ in true }.map(\.ticket)
        return tickets.isEmpty ? nil : tickets
    }

    var clients: Set<Int> { Set(waiting.flatMap { $0.fresh.clients + $0.retries.clients }) }

    /// Items that wait for a client in this queue and more urgent ones.
    func waitingCount(for client: Int, to lane: Lane = .background) -> Int {
        waiting[...lane.index].reduce(0) {
            $0 + $1.fresh.count(of: client) + $1.retries.count(of: client)
        }
    }

    func counts(_ count: (LaneWaiting) -> Int) -> LaneScheduler.Counts {
        LaneScheduler.Counts(urgent: count(waiting[0]), normal: count(waiting[1]), background: count(waiting[2]))
    }

    mutating func drain() { isDraining = true }
}
