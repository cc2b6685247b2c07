/// Items in the order in which they came, apart by the client that they go out through: those of a client without room keep
/// no other's back. A value.
struct ClientQueues: Sendable {
    private var queues: [Int?: ItemQueue] = [:]
    private(set) var count = 0

    /// The clients of those that wait.
    var clients: [Int] { queues.compactMap { $0.value.count > 0 ? $0.key : nil } }

    func count(of client: Int?) -> Int { queues[client]?.count ?? 0 }

    func count(where admits: (Int?) -> Bool) -> Int {
        queues.reduce(0) { $1.value.count > 0 && admits($1.key) ? $0 + $1.value.count : $0 }
    }

    mutating func append(_ item: DispatchFlow.Item) {
        queues[item.client, default: ItemQueue()].append(item)
        count += 1
    }

    /// - Returns: the one that came first of the clients that match.
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

    /// Each before those that came after it.
    ///
    /// - Parameter back: by their tickets, as the queues are.
    mutating func insert(_ back: [DispatchFlow.Item]) {
        for (client, items) in Dictionary(grouping: back, by: \.client) {
            queues[client, default: ItemQueue()].insert(items)
        }
        count += back.count
    }

    /// Those whose lease ends, and that were taken before any whose lease does not.
    mutating func removeStale(now: Int64) -> [DispatchFlow.Item] {
        removeAll { $0.leasedUntil <= now }
    }

    /// - Returns: of each client the first ones that match, all by their tickets.
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

/// Items by their tickets, the first one first. A value.
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

    /// Each before those that came after it.
    ///
    /// - Parameter back: by their tickets, as this queue is.
    mutating func insert(_ back: [DispatchFlow.Item]) {
        guard let last = back.last else { return }
        // Behind those that came back and were not chosen none of before them waits.
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
