import PushStore

extension DispatchFlow {
    mutating func wake(_ lanes: some Sequence<Lane>) {
        for lane in lanes { waiting[lane.index].mayHaveMore = true }
    }

    mutating func willHaveMore(_ lane: Lane, at time: Int64) {
        let index = lane.index
        waiting[index].retriesAt = min(waiting[index].retriesAt ?? time, time)
    }

    /// - Parameter isAll: True if the store had no others.
    mutating func didTake(_ items: [Item], from lane: Lane, isAll: Bool) {
        let index = lane.index
        waiting[index].takingCount = 0
        // Keeps a notification that came meanwhile.
        if !isAll { waiting[index].mayHaveMore = true }
        for item in items { waiting[index].append(item) }
    }

    mutating func didFailToTake(from lane: Lane, now: Int64) {
        let index = lane.index
        waiting[index].takingCount = 0
        willHaveMore(lane, at: now &+ bounds.pollNanoseconds)
    }

    /// - Parameter lost: no longer the dispatcher's; the others are in flight.
    mutating func didMark(_ batch: [Marked], lost: [Ticket]) {
        marksUnderWay -= 1
        failureCount = 0
        for ticket in lost { abandon(ticket) }
    }

    mutating func didMarkNothing() { marksUnderWay -= 1 }

    /// The client has the push; it takes its held room.
    mutating func didHandIn(_ ticket: Ticket) {
        guard var chosen = inFlight[ticket], let client = chosen.client else { return }
        rooms.release(client, isHandedIn: true)
        chosen.client = nil
        inFlight[ticket] = chosen
    }

    mutating func didFailToMark(_ batch: [Marked], now: Int64) {
        marksUnderWay -= 1
        for marked in batch {
            guard let lane = abandon(marked.ticket) else { continue }
            waiting[lane.index].mayHaveMore = true
        }
        pause(now)
    }

    mutating func didAnswer(_ ticket: Ticket) {
        guard var chosen = inFlight[ticket] else { return }
        answered.append(ticket)
        if let client = chosen.client {
            rooms.release(client, isHandedIn: false)
            chosen.client = nil
            inFlight[ticket] = chosen
        }
        letNext(chosen.collapse)
    }

    mutating func didFinish(_ batch: [Ticket]) {
        finishesUnderWay -= 1
        failureCount = 0
        for ticket in batch { release(ticket) }
    }

    /// Puts the results back, ahead of others.
    mutating func didFailToFinish(_ batch: [Ticket], now: Int64) {
        finishesUnderWay -= 1
        answered.insert(contentsOf: batch, at: 0)
        pause(now)
    }

    private mutating func release(_ ticket: Ticket) {
        _ = endFlight(ticket)
    }

    @discardableResult
    mutating func abandon(_ ticket: Ticket) -> Lane? {
        guard let chosen = endFlight(ticket) else { return nil }
        rooms.release(chosen.client, isHandedIn: false)
        letNext(chosen.collapse)
        return chosen.lane
    }

    private mutating func pause(_ now: Int64) {
        failureCount = min(failureCount + 1, 20)
        let (first, last) = bounds.pauseNanoseconds
        pausedUntil = now &+ min(last, first << Int64(min(failureCount - 1, 16)))
    }
}
