/// Items of one queue, taken and not chosen.
struct LaneWaiting: Sendable {
    var fresh = ClientQueues()
    var retries = ClientQueues()
    /// The longest wait first.
    private(set) var held: [(item: DispatchFlow.Item, until: Int64)] = []
    /// Items that a take may still bring.
    var takingCount = 0
    var mayHaveMore = true
    var retriesAt: Int64?

    /// Without held items: one busy device must not fill its queue.
    var count: Int { fresh.count + retries.count + takingCount }
    var isEmpty: Bool { count == 0 && held.isEmpty }
    var firstHeld: Int64? { held.last?.until }

    mutating func append(_ item: DispatchFlow.Item) {
        if item.isRetry { retries.append(item) } else { fresh.append(item) }
    }

    mutating func pop(isRetry: Bool, _ rooms: ClientRooms) -> DispatchFlow.Item? {
        isRetry ? retries.popFirst(where: rooms.admits) : fresh.popFirst(where: rooms.admits)
    }

    mutating func hold(_ item: DispatchFlow.Item, until time: Int64) {
        var low = 0
        var high = held.count
        // Behind items with the same time: the end goes first.
        while low < high {
            let middle = (low + high) / 2
            if held[middle].until > time { low = middle + 1 } else { high = middle }
        }
        held.insert((item: item, until: time), at: low)
    }

    /// Returns due items to their places, in their devices' order.
    mutating func bringBack(now: Int64) {
        guard let first = held.last, first.until <= now else { return }
        var back: [DispatchFlow.Item] = []
        while let last = held.last, last.until <= now {
            back.append(last.item)
            held.removeLast()
        }
        bringBack(back)
    }

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
