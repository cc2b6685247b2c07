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
    ///   - lane: of all of them.
    ///   - now: nanoseconds of the monotonic clock.
    /// - Returns: whether they may be stored as on their way.
    mutating func reserve(
        _ tickets: Range<Ticket>,
        for devices: [DeviceBucket.Key],
        in lane: DispatchLane,
        now: Int64
    ) -> Bool {
        // While writes fail the queue is the safe place.
        guard !isDraining, failureCount == 0, devices.count <= Self.handOverCountMax,
            devices.allSatisfy({ bucket.hasRoom(for: $0, now: now) }),
            scheduler.reserve(tickets.count, in: lane, beside: counts { $0.fresh.count + $0.retries.count })
        else { return false }
        for device in devices { _ = bucket.wait(for: device, now: now) }
        for ticket in tickets { inFlight[ticket] = lane }
        return true
    }

    /// Nothing of it is on its way.
    mutating func didNotStore(_ tickets: Range<Ticket>) {
        for ticket in tickets { release(ticket) }
    }
}
