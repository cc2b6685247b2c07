internal import Envelope

/// Who has what in hand. In memory alone: what a process had leased is queued for the next one.
struct LeaseBook {
    private struct Held {
        let number: UInt64
        let lane: Lane
        /// nil once it is marked: then only its end gives it back.
        var until: Timestamp?
    }

    private var held: [EntryID: Held] = [:]
    private var heldCounts = [Int](repeating: 0, count: Shard.count * Lane.allCases.count)
    private var lastNumber: UInt64 = 0

    /// How many of a lane's entries in a shard are in hand: so many more a look at the queue has to read.
    func count(_ lane: Lane, _ shard: Shard) -> Int { heldCounts[Self.place(lane, shard)] }

    /// - Returns: nil where somebody has it.
    mutating func lease(_ id: EntryID, lane: Lane, attemptCount: Int, demand: TakeDemand) -> Lease? {
        guard isFree(id, now: demand.now) else { return nil }
        lastNumber += 1
        let earlier = held.updateValue(Held(number: lastNumber, lane: lane, until: demand.leasedUntil), forKey: id)
        if earlier == nil { heldCounts[Self.place(lane, id.shard)] += 1 }
        return Lease(id: id, attemptCount: attemptCount, number: lastNumber)
    }

    func isFree(_ id: EntryID, now: Timestamp) -> Bool {
        guard let holder = held[id] else { return true }
        return holder.until.map { $0 <= now } ?? false
    }

    /// From now on only `end` gives it back.
    ///
    /// - Returns: whether the lease is still the one that counts.
    mutating func mark(_ lease: Lease) -> Bool {
        guard let holder = held[lease.id], holder.number == lease.number else { return false }
        held[lease.id]?.until = nil
        return true
    }

    mutating func end(_ lease: Lease) {
        guard let holder = held[lease.id], holder.number == lease.number else { return }
        held[lease.id] = nil
        heldCounts[Self.place(holder.lane, lease.id.shard)] -= 1
    }

    private static func place(_ lane: Lane, _ shard: Shard) -> Int { Int(lane.rawValue) * Shard.count + shard.index }
}
