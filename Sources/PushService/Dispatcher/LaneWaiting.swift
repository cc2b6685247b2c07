/// What was taken of one lane and has not been chosen, in the order it came.
struct LaneWaiting: Sendable {
    struct Queue: Sendable {
        private var items: [DispatchFlow.Item] = []
        private var head = 0

        var count: Int { items.count - head }
        var first: DispatchFlow.Item? { count > 0 ? items[head] : nil }

        mutating func append(_ item: DispatchFlow.Item) { items.append(item) }

        mutating func popFirst() -> DispatchFlow.Item? {
            guard let item = first else { return nil }
            head += 1
            if head >= 256, head * 2 >= items.count {
                items.removeFirst(head)
                head = 0
            }
            return item
        }

        /// Each before those that came after it.
        ///
        /// - Parameter back: by their tickets, as this queue is.
        mutating func insert(_ back: [DispatchFlow.Item]) {
            guard let last = back.last else { return }
            // Behind those that came back and were not chosen nobody of before them waits.
            var merged: [DispatchFlow.Item] = []
            var rest = back[...]
            while let item = first, item.ticket < last.ticket {
                while let next = rest.first, next.ticket < item.ticket { merged.append(rest.removeFirst()) }
                merged.append(item)
                _ = popFirst()
            }
            items.replaceSubrange(..<head, with: merged + rest)
            head = 0
        }
    }

    var fresh = Queue()
    var retries = Queue()
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

    mutating func pop(isRetry: Bool) -> DispatchFlow.Item? { isRetry ? retries.popFirst() : fresh.popFirst() }

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
        var tickets: [DispatchFlow.Ticket] = []
        while let item = fresh.first, item.leasedUntil <= now {
            tickets.append(item.ticket)
            _ = fresh.popFirst()
        }
        while let item = retries.first, item.leasedUntil <= now {
            tickets.append(item.ticket)
            _ = retries.popFirst()
        }
        if !tickets.isEmpty { mayHaveMore = true }
        return tickets
    }

    mutating func removeAll() -> [DispatchFlow.Ticket] {
        var tickets = held.map(\.item.ticket)
        held = []
        while let item = fresh.popFirst() ?? retries.popFirst() { tickets.append(item.ticket) }
        return tickets
    }
}
