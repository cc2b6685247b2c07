internal import Envelope

/// Who has what in hand of what is queued. In memory alone: what a process had leased is queued for the next one, and what
/// is on its way is not queued.
struct LeaseBook {
    private struct Held {
        let number: UInt64
        /// nil while its mark is being written: then only its end gives it back.
        var until: Timestamp?
    }

    private var held: [EntryID: Held] = [:]
    private var lastNumber: UInt64 = 0
    private var lookCount = 0
    /// What was marked since the first look began that is under way: a look sees the file as it was when it began, and may
    /// find it queued.
    private var gone: Set<EntryID> = []

    /// A look at the queue begins: before it sees anything of the file.
    mutating func beginLook() { lookCount += 1 }

    mutating func endLook() {
        lookCount -= 1
        if lookCount == 0 { gone = [] }
    }

    /// - Returns: nil where somebody has it.
    mutating func lease(_ standing: EntryStanding, demand: TakeDemand) -> Lease? {
        guard hold(standing.id, until: demand.leasedUntil, now: demand.now) else { return nil }
        return Lease(standing: standing, number: lastNumber)
    }

    /// - Returns: false where somebody has it.
    mutating func hold(_ id: EntryID, until: Timestamp, now: Timestamp) -> Bool {
        guard isFree(id, now: now) else { return false }
        lastNumber += 1
        held[id] = Held(number: lastNumber, until: until)
        return true
    }

    func isFree(_ id: EntryID, now: Timestamp) -> Bool {
        guard let holder = held[id] else { return !gone.contains(id) }
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

    /// The mark is on the disk.
    mutating func didMark(_ lease: Lease) {
        if lookCount > 0, held[lease.id]?.number == lease.number { gone.insert(lease.id) }
        end(lease)
    }

    mutating func end(_ lease: Lease) {
        guard held[lease.id]?.number == lease.number else { return }
        held[lease.id] = nil
    }
}
