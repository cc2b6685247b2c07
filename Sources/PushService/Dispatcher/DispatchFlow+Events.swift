import PushStore

/// What the flow is told.
extension DispatchFlow {
    /// Something may be there to take.
    mutating func ring(_ lanes: some Sequence<Lane>) {
        for lane in lanes { waiting[lane.index].mayHaveMore = true }
    }

    /// Something will be there to take.
    ///
    /// - Parameters:
    ///   - lane: where.
    ///   - time: when, in nanoseconds of the monotonic clock.
    mutating func willHaveMore(_ lane: Lane, at time: Int64) {
        let index = lane.index
        waiting[index].retriesAt = min(waiting[index].retriesAt ?? time, time)
    }

    /// - Parameters:
    ///   - items: what was taken, the longest due first; no more than was asked for.
    ///   - lane: from which lane.
    ///   - isAll: nothing else was there.
    mutating func didTake(_ items: [Item], from lane: Lane, isAll: Bool) {
        let index = lane.index
        waiting[index].takingCount = 0
        // A ring that came meanwhile counts.
        if !isAll { waiting[index].mayHaveMore = true }
        for item in items { waiting[index].append(item) }
    }

    mutating func didFailToTake(from lane: Lane, now: Int64) {
        let index = lane.index
        waiting[index].takingCount = 0
        willHaveMore(lane, at: now &+ bounds.pollNanoseconds)
    }

    /// - Parameters:
    ///   - batch: everything that was to be marked. Who is not lost is on the way, and answers.
    ///   - lost: those of the batch that may not be sent: they are not the dispatcher's any more.
    mutating func didMark(_ batch: [Marked], lost: [Ticket]) {
        marksUnderWay -= 1
        failureCount = 0
        for ticket in lost { abandon(ticket) }
    }

    /// Nothing was written: none of the batch was to be pushed.
    mutating func didMarkNothing() { marksUnderWay -= 1 }

    /// Its client has it, in the room that was held for it.
    mutating func didHandIn(_ ticket: Ticket) {
        guard let client = inFlight[ticket]?.client else { return }
        rooms.release(client, isHandedIn: true)
        inFlight[ticket]?.client = nil
    }

    /// Nothing of it was marked, and all of it is queued as before.
    mutating func didFailToMark(_ batch: [Marked], now: Int64) {
        marksUnderWay -= 1
        for marked in batch {
            guard let lane = abandon(marked.ticket) else { continue }
            waiting[lane.index].mayHaveMore = true
        }
        pause(now)
    }

    /// An item that is on its way has an outcome.
    mutating func didAnswer(_ ticket: Ticket) {
        guard let chosen = inFlight[ticket] else { return }
        answered.append(ticket)
        inFlight[ticket]?.client = nil
        rooms.release(chosen.client, isHandedIn: false)
        letNext(chosen.collapse)
    }

    mutating func didFinish(_ batch: [Ticket]) {
        finishesUnderWay -= 1
        failureCount = 0
        for ticket in batch { release(ticket) }
    }

    /// Its outcomes are handed in again, before all others.
    mutating func didFailToFinish(_ batch: [Ticket], now: Int64) {
        finishesUnderWay -= 1
        answered.insert(contentsOf: batch, at: 0)
        pause(now)
    }

    private mutating func release(_ ticket: Ticket) {
        _ = endFlight(ticket)
    }

    /// It is not on its way, and has no answer.
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
