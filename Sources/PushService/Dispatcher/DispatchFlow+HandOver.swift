import PushStore

/// What goes out as soon as it is stored: without a stay in the queue, a look at it and a mark.
///
/// It overtakes nobody: what waits here has its room first, and so less room than that is no room. With a backlog
/// everything goes through the queue, where tenants have equal shares and retries theirs.
extension DispatchFlow {
    /// More than this is a broadcast, which waits for its turns.
    static let handOverCountMax = 64

    /// Takes room for the notifications of one request, or for none of them. Each that has room ends by `didAnswer`, or all
    /// by `didNotStore`.
    ///
    /// - Parameters:
    ///   - tickets: one for each device.
    ///   - devices: whom they are for, each once.
    ///   - collapses: what they replace, one for each; nil: nothing.
    ///   - clients: what each goes out through.
    ///   - lane: of all of them.
    ///   - owner: whose they are.
    ///   - now: nanoseconds of the monotonic clock.
    /// - Returns: whether they may be stored as on their way.
    mutating func reserve(
        _ tickets: Range<Ticket>,
        for devices: [DeviceBucket.Key],
        replacing collapses: [CollapseKey?],
        through clients: [Int] = [],
        in lane: Lane,
        of owner: TenantID? = nil,
        now: Int64
    ) -> Bool {
        // While writes fail the queue is the safe place.
        guard !isDraining, failureCount == 0, devices.count <= Self.handOverCountMax,
            !isCrowded(owner, by: devices.count), devices.allSatisfy({ bucket.hasRoom(for: $0, now: now) }),
            hasStreams(clients, in: lane), begin(collapses)
        else { return false }
        guard scheduler.reserve(tickets.count, in: lane, beside: counts(ofThoseWithRoom)) else {
            for key in collapses { letNext(key) }
            return false
        }
        for device in devices { _ = bucket.wait(for: device, now: now) }
        for (index, ticket) in tickets.enumerated() {
            let client = index < clients.count ? clients[index] : nil
            rooms.hold(client)
            choose(ticket, Chosen(lane: lane, collapse: collapses[index], owner: owner, client: client))
        }
        return true
    }

    private func ofThoseWithRoom(_ waiting: LaneWaiting) -> Int {
        waiting.fresh.count(where: rooms.admits) + waiting.retries.count(where: rooms.admits)
    }

    /// Whether each client has streams for its part, beside what waits for it in this lane and in more urgent ones.
    private func hasStreams(_ clients: [Int], in lane: Lane) -> Bool {
        guard let first = clients.first else { return true }
        if clients.allSatisfy({ $0 == first }) {
            return rooms.hasStreams(first, count: clients.count + waitingCount(for: first, to: lane))
        }
        return Set(clients).allSatisfy { client in
            let count = clients.count { $0 == client }
            return rooms.hasStreams(client, count: count + waitingCount(for: client, to: lane))
        }
    }

    /// - Returns: false where one of them would go beside another of its collapse id; then none has begun.
    private mutating func begin(_ keys: [CollapseKey?]) -> Bool {
        for (index, key) in keys.enumerated() {
            guard let key, !collapses.begin(key) else { continue }
            for begun in keys[..<index] { letNext(begun) }
            return false
        }
        return true
    }

    /// Nothing of it is on its way.
    mutating func didNotStore(_ tickets: Range<Ticket>) {
        for ticket in tickets { abandon(ticket) }
    }
}
