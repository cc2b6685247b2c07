import PushStore

/// Direct sending of new notifications, without queue, take and mark.
///
/// Waiting items go first. With a backlog all are queued, for fair shares of tenants and retries.
extension DispatchFlow {
    /// A larger request is a broadcast.
    static let handOverCountMax = 64

    /// Reserves room for a request's notifications, all or none. Each ends with `didAnswer`, or all with `didNotStore`.
    ///
    /// - Returns: true if they may be stored as `sending`.
    mutating func reserve(
        _ tickets: Range<Ticket>,
        for devices: [DeviceBucket.Key],
        replacing collapses: [CollapseKey?],
        through clients: [Int] = [],
        in lane: Lane,
        of owner: TenantID? = nil,
        now: Int64
    ) -> Bool {
        // While writes fail, the queue is the safe place.
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

    /// True if each client has streams beyond the items waiting in this queue and more urgent ones.
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

    /// - Returns: false if one would be in flight beside its collapse id; then none has begun.
    private mutating func begin(_ keys: [CollapseKey?]) -> Bool {
        for (index, key) in keys.enumerated() {
            guard let key, !collapses.begin(key) else { continue }
            for begun in keys[..<index] { letNext(begun) }
            return false
        }
        return true
    }

    mutating func didNotStore(_ tickets: Range<Ticket>) {
        for ticket in tickets { abandon(ticket) }
    }
}
