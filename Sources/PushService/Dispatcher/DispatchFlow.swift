import APNS
import PushStore

/// What the dispatcher does next: how much is taken from which lane, what is marked, what waits for its device, and
/// what is handed in. Events in, effects out; no clock, no store, no socket.
///
/// An item goes through it once:
///
///     take → (it waits in its lane) → mark → (the push is out) → answer → finish
///
/// Everything is bounded: what a lane holds, what waits for devices, and what is between its choice and its outcome
/// on the disk, which is the scheduler's limit. So a disk that is full, or an APNs that is silent, stops the taking
/// and nothing piles up.
struct DispatchFlow: Sendable {
    /// Names an item while it is here; the caller's, and greater than those before.
    typealias Ticket = Int
    typealias CollapseKey = CollapseOrder<Item>.Key

    struct Item: Equatable, Sendable {
        let ticket: Ticket
        let lane: Lane
        /// It has been tried before.
        let isRetry: Bool
        /// Whose bucket it takes from; nil for what will not be pushed.
        let device: DeviceBucket.Key?
        /// What it replaces, and is not sent together with; nil: nothing.
        let collapse: CollapseKey?
        /// Its lease is not to be relied on from then on: nanoseconds of the monotonic clock.
        let leasedUntil: Int64
        /// Whose it is; nil: nobody's share is counted.
        var owner: TenantID?
        /// The client that has to have room for it; nil for what will not be pushed.
        var client: Int?
    }

    /// An item that is to be marked, or put off.
    struct Marked: Equatable, Sendable {
        let ticket: Ticket
        /// Its device is busy and nobody can wait here for so long: instead of a push, it is queued again after this.
        let postponedBy: Duration?
        /// What it waits for then.
        var waitCause = WaitCause.device
        /// Its client reaches nobody: it is queued again.
        var isUnreachable = false
    }

    /// One that was chosen.
    struct Chosen: Sendable {
        let lane: Lane
        /// What it keeps others of back from, until it is answered.
        var collapse: CollapseKey?
        var owner: TenantID?
        /// The client in which it holds room; nil: none, or the client has it by now.
        var client: Int?
    }

    enum Effect: Equatable, Sendable {
        /// Answered by `didTake` or `didFailToTake`.
        case take(Lane, limit: Int, retryLimit: Int)
        /// Answered by `didMark` or `didFailToMark`, and then each that is on its way by `didAnswer`. Those that will not be
        /// pushed are answered before.
        case mark([Marked])
        /// Answered by `didFinish` or `didFailToFinish`.
        case finish([Ticket])
        /// They are forgotten here.
        case giveBack([Ticket])
    }

    struct Bounds: Sendable {
        /// Taken and not yet chosen, of one lane.
        var waitingCountMax = 1_024
        /// Of them, those that wait for their device's bucket; beyond it they are postponed on the disk.
        var heldCountMax = 1_024
        /// Beside them, those that wait until an older one of their collapse id is answered; beyond it as these.
        var behindCountMax = 1_024
        var takeCountMax = 256
        var markCountMax = 256
        var finishCountMax = 512
        /// Writes of each kind that are under way.
        var writesAtOnceMax = 2
        /// Without a ring: what was queued by a process before, and retries that come due.
        var pollNanoseconds: Int64 = 1_000_000_000
        /// After a failed write the first pause, which doubles up to the last.
        var pauseNanoseconds: (first: Int64, last: Int64) = (100_000_000, 5_000_000_000)
    }

    /// Of what has no room to wait for another of its collapse id.
    private static let waitWithoutRoom = Duration.seconds(1)
    /// Of what was taken before its owner had its share in flight.
    private static let waitOfCrowded = Duration.milliseconds(250)

    let bounds: Bounds
    var scheduler: LaneScheduler
    var bucket: DeviceBucket
    var waiting: [LaneWaiting]
    /// Chosen, and its outcome is not on the disk.
    var inFlight: [Ticket: Chosen] = [:]
    /// Of them, those of each owner.
    private var owned = SharedPlaces<TenantID>()
    /// What an owner may have of `inFlight`; nil: there is one owner, and it may have all.
    private var ownedCountMax: Int?
    /// Lanes in which a look has left out owners that had their share in flight.
    private var lanesToLookAt: Set<Lane> = []
    /// What has a stream to go out on.
    var rooms = ClientRooms()
    /// Those that wait for another of their collapse id.
    var collapses: CollapseOrder<Item>
    /// Have an outcome that is to be handed in.
    var answered: [Ticket] = []
    var marksUnderWay = 0
    var finishesUnderWay = 0
    /// Writes that failed in a row.
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

    /// Other limits from now on; what waits for its device waits on.
    ///
    /// - Parameters:
    ///   - limits: of the settings.
    ///   - isShared: whether there is more than one owner.
    mutating func adopt(_ limits: ServiceLimits, isShared: Bool = false) {
        scheduler.adopt(inFlightMax: limits.inFlightCountMax)
        bucket.adopt(limits)
        ownedCountMax = isShared ? limits.inFlightCountMax : nil
    }

    // MARK: Owners

    /// Whether an owner has as many in flight as are left of them all: one whose pushes have no answers, or no connection,
    /// leaves room for the others.
    func isCrowded(_ owner: TenantID?, by count: Int = 1) -> Bool {
        guard let owner, let ownedCountMax else { return false }
        return owned[owner] + count > ownedCountMax - owned.total - count
    }

    /// Those that a look at the queue leaves out. It is repeated once any push has its end.
    mutating func crowdedOwners(in lane: Lane) -> Set<TenantID> {
        let owners = owned.owners.filter { isCrowded($0) }
        if !owners.isEmpty { lanesToLookAt.insert(lane) }
        return Set(owners)
    }

    mutating func choose(_ ticket: Ticket, _ chosen: Chosen) {
        inFlight[ticket] = chosen
        if let owner = chosen.owner { owned.take(for: owner) }
    }

    /// - Returns: nil where it was not in flight.
    mutating func endFlight(_ ticket: Ticket) -> Chosen? {
        guard let chosen = inFlight.removeValue(forKey: ticket) else { return nil }
        scheduler.didFinish(chosen.lane)
        if let owner = chosen.owner { owned.giveBack(of: owner) }
        ring(lanesToLookAt)
        lanesToLookAt = []
        return chosen
    }

    /// Nothing is here and nothing is under way.
    var isIdle: Bool {
        inFlight.isEmpty && marksUnderWay == 0 && finishesUnderWay == 0 && collapses.count == 0
            && waiting.allSatisfy(\.isEmpty)
    }

    /// Whether one waits here for its device, or its owner's share.
    func isHeld(_ isIt: (Ticket) -> Bool) -> Bool {
        waiting.contains { $0.held.contains { isIt($0.item.ticket) } }
    }

    // MARK: What comes next

    /// Asked again until it is nil.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    /// - Returns: something to do; nil: nothing, before the next event or `wakesAt`.
    mutating func next(now: Int64) -> Effect? {
        if isDraining, let tickets = takeEverything() { return .giveBack(tickets) }
        if let batch = nextFinish(now) { return .finish(batch) }
        // While writing fails only what is done already is tried: it frees what everything else needs.
        if failureCount > 0 {
            guard now >= pausedUntil, answered.isEmpty, finishesUnderWay == 0, marksUnderWay == 0 else { return nil }
        }
        guard !isDraining else { return nil }
        if let stale = takeStale(now) { return .giveBack(stale) }
        if let batch = nextMark(now) { return .mark(batch) }
        return nextTake(now)
    }

    /// When `next` has something to do without any event; nil: never.
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

    /// - Returns: nil: it waits here, for another of its collapse id or for its device.
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
        // What is only put off is nobody's part of what is in flight.
        guard wait == nil else {
            choose(item.ticket, Chosen(lane: item.lane))
            return Marked(ticket: item.ticket, postponedBy: wait)
        }
        rooms.hold(item.client)
        let chosen = Chosen(lane: item.lane, collapse: item.collapse, owner: item.owner, client: item.client)
        choose(item.ticket, chosen)
        return Marked(ticket: item.ticket, postponedBy: nil)
    }

    /// Nobody of this collapse id is on the way: those who wait for it are the next of their lanes, in their order.
    mutating func letNext(_ key: CollapseKey?) {
        guard let key else { return }
        let items = collapses.end(key)
        guard !items.isEmpty else { return }
        for index in waiting.indices {
            waiting[index].bringBack(items.filter { $0.lane == Lane.allCases[index] })
        }
    }

    /// - Returns: false when there is no room to wait in, or the lease would end first.
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
            // Many small looks would cost more than they bring.
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

    /// The clients that something waits for.
    var clients: Set<Int> { Set(waiting.flatMap { $0.fresh.clients + $0.retries.clients }) }

    /// How many wait for a client, in the lanes down to one.
    func waitingCount(for client: Int, to lane: Lane = .background) -> Int {
        waiting[...lane.index].reduce(0) {
            $0 + $1.fresh.count(of: client) + $1.retries.count(of: client)
        }
    }

    func counts(_ count: (LaneWaiting) -> Int) -> LaneScheduler.Counts {
        LaneScheduler.Counts(urgent: count(waiting[0]), normal: count(waiting[1]), background: count(waiting[2]))
    }

    // MARK: Draining

    /// Takes nothing more and begins nothing more.
    mutating func drain() { isDraining = true }
}
