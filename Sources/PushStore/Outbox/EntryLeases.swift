package import Envelope

/// Leases in memory: after a crash a leased entry is queued, and one in flight is not.
package struct EntryLeases {
    private struct Held {
        let number: UInt64
        let epoch: Int64
        /// nil during its mark's write.
        var until: Timestamp?
    }

    private var held: [EntryID: Held] = [:]
    private var lastNumber: UInt64 = 0
    private var lookCount = 0
    /// Entries marked since the oldest running query began, which may still see them as queued.
    private var gone: Set<EntryID> = []

    package init() {}

    /// Call before a query's snapshot.
    package mutating func beginLook() { lookCount += 1 }

    package mutating func endLook() {
        lookCount -= 1
        if lookCount == 0 { gone = [] }
    }

    /// - Returns: nil if it is leased.
    package mutating func lease(_ standing: EntryStanding, under owner: ShardLease, demand: TakeDemand) -> Lease? {
        guard hold(standing.id, under: owner, until: demand.leasedUntil, now: demand.now) else { return nil }
        return Lease(standing: standing, shardLease: owner, number: lastNumber)
    }

    /// - Returns: false if it is leased.
    package mutating func hold(_ id: EntryID, under owner: ShardLease, until: Timestamp, now: Timestamp) -> Bool {
        guard isFree(id, under: owner, now: now) else { return false }
        lastNumber += 1
        held[id] = Held(number: lastNumber, epoch: owner.epoch, until: until)
        return true
    }

    /// An earlier owner's lease is void.
    package func isFree(_ id: EntryID, under owner: ShardLease, now: Timestamp) -> Bool {
        guard let holder = held[id], holder.epoch >= owner.epoch else { return !gone.contains(id) }
        return holder.until.map { $0 <= now } ?? false
    }

    /// Removes the time limit; only `end` releases it then.
    ///
    /// - Returns: false for a void lease.
    package mutating func mark(_ lease: Lease) -> Bool {
        guard let holder = held[lease.id], holder.number == lease.number else { return false }
        held[lease.id]?.until = nil
        return true
    }

    /// Call with the mark on the disk.
    package mutating func didMark(_ lease: Lease) {
        if lookCount > 0, held[lease.id]?.number == lease.number { gone.insert(lease.id) }
        end(lease)
    }

    package mutating func end(_ lease: Lease) {
        guard held[lease.id]?.number == lease.number else { return }
        held[lease.id] = nil
    }

    /// Entries that no query of this owner need return.
    package func held(from owned: ShardLeases, now: Timestamp) -> [EntryID] {
        held.keys.filter { id in owned[id.shard].map { !isFree(id, under: $0, now: now) } ?? false }
    }
}
