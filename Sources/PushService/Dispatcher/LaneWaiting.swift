/// What was taken of one lane and has not been chosen, in the order it came.
struct LaneWaiting: Sendable {
    var fresh = ClientQueues()
    var retries = ClientQueues()
    /// Wait for their device, the one that waits the longest first.
    private(set) var held: [(item: DispatchFlow.Item, until: Int64)] = []
    /// How many a look at the store may still bring.
    var takingCount = 0
    /// Whether a look at the store may find something.
    var mayHaveMore = true
    /// When a retry is due that was queued here.
    var retriesAt: Int64?

    /// Those that wait for their device apart: one busy device must not fill its lane.
    var count: Int { fresh.count + retries.count + takingCount }
    var isEmpty: Bool { count == 0 && held.isEmpty }
    var firstHeld: Int64? { held.last?.until }

    mutating func append(_ item: DispatchFlow.Item) {
        if item.isRetry { retries.append(item) } else { fresh.append(item) }
    }

    /// - Returns: the oldest of those whose client has room.
    mutating func pop(isRetry: Bool, _ rooms: ClientRooms) -> DispatchFlow.Item? {
        isRetry ? retries.popFirst(where: rooms.admits) : fresh.popFirst(where: rooms.admits)
    }

    mutating func hold(_ item: DispatchFlow.Item, until time: Int64) {
        var low = 0
        var high = held.count
        // Behind those of the same time, which came before it: the end is the first to go.
        while low < high {
            let middle = (low + high) / 2
            if held[middle].until > time { low = middle + 1 } else { high = middle }
        }
        held.insert((item: item, until: time), at: low)
    }

    /// Those whose device has room again are the next of their lane, in the order in which they came: a device's keep
    /// theirs, also where one came back before another and was not chosen yet.
    mutating func bringBack(now: Int64) {
        guard let first = held.last, first.until <= now else { return }
        var back: [DispatchFlow.Item] = []
        while let last = held.last, last.until <= now {
            back.append(last.item)
            held.removeLast()
        }
        bringBack(back)
    }

    /// They take their places again: by their tickets, the order in which they came.
    mutating func bringBack(_ items: [DispatchFlow.Item]) {
        let back = items.sorted { $0.ticket < $1.ticket }
        fresh.insert(back.filter { !$0.isRetry })
        retries.insert(back.filter(\.isRetry))
    }

    mutating func bringDue(now: Int64) {
        guard let time = retriesAt, time <= now else { return }
        retriesAt = nil
        mayHaveMore = true
    }

    /// Those that have waited so long that their lease ends.
    mutating func removeStale(now: Int64) -> [DispatchFlow.Ticket] {
        let items = fresh.removeStale(now: now) + retries.removeStale(now: now)
        let tickets = items.map(\.ticket)
        if !tickets.isEmpty { mayHaveMore = true }
        return tickets
    }

    mutating func removeAll() -> [DispatchFlow.Ticket] {
        var tickets = held.map(\.item.ticket)
        held = []
        tickets += (fresh.removeAll() + retries.removeAll()).map(\.ticket)
        return tickets
    }
}
