/// Items by client, in order of arrival: a client without room blocks no other.
struct ClientQueues: Sendable {
    private var queues: [Int?: ItemQueue] = [:]
    private(set) var count = 0

    var clients: [Int] { queues.compactMap { $0.value.count > 0 ? $0.key : nil } }

    func count(of client: Int?) -> Int { queues[client]?.count ?? 0 }

    func count(where admits: (Int?) -> Bool) -> Int {
        queues.reduce(0) { $1.value.count > 0 && admits($1.key) ? $0 + $1.value.count : $0 }
    }

    mutating func append(_ item: DispatchFlow.Item) {
        queues[item.client, default: ItemQueue()].append(item)
        count += 1
    }

    /// Removes the admitted clients' oldest item.
    mutating func popFirst(where admits: (Int?) -> Bool) -> DispatchFlow.Item? {
        var best: (client: Int?, ticket: DispatchFlow.Ticket)?
        for (client, queue) in queues {
            guard let ticket = queue.first?.ticket, ticket < best?.ticket ?? .max, admits(client) else { continue }
            best = (client, ticket)
        }
        guard let best else { return nil }
        count -= 1
        return queues[best.client]?.popFirst()
    }

    /// Reinserts items that are sorted by ticket.
    mutating func insert(_ back: [DispatchFlow.Item]) {
        for (client, items) in Dictionary(grouping: back, by: \.client) {
            queues[client, default: ItemQueue()].insert(items)
        }
        count += back.count
    }

    /// Removes expired leases from the head of each queue.
    mutating func removeStale(now: Int64) -> [DispatchFlow.Item] {
        removeAll { $0.leasedUntil <= now }
    }

    /// Removes each client's leading matches; sorted by ticket.
    mutating func removeAll(while matches: (DispatchFlow.Item) -> Bool = { _ in true }) -> [DispatchFlow.Item] {
        var removed: [DispatchFlow.Item] = []
        for client in queues.keys {
            while let item = queues[client]?.first, matches(item) {
                removed.append(item)
                _ = queues[client]?.popFirst()
            }
        }
        count -= removed.count
        return removed.sorted { $0.ticket < $1.ticket }
    }
}

/// Items sorted by ticket.
struct ItemQueue: Sendable {
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

    mutating func insert(_ back: [DispatchFlow.Item]) {
        guard let last = back.last else { return }
        // Only the head, up to the last returning ticket, needs a merge.
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
