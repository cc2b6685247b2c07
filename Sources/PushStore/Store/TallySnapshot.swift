/// Tallies as of the last committed transaction, for all threads.
struct TallySnapshot {
    private struct Queue {
        var totalCount = 0
        /// Of tenants with queued entries.
        var counts: [Int64: Int] = [:]
    }

    private(set) var counts: [TallyTable.Key: Int] = [:]
    private var numbers: [TenantID: Int64] = [:]
    private var queues = Lane.allCases.map { _ in Queue() }

    /// - Parameter tenant: name of the key's number; nil if the file has none.
    mutating func add(_ change: Int, to key: TallyTable.Key, of tenant: TenantID?) {
        let count = counts[key, default: 0] + change
        counts[key] = count
        if let tenant { numbers[tenant] = key.tenant }
        guard key.state == .queued else { return }
        let lane = Int(key.lane.rawValue)
        queues[lane].totalCount += change
        queues[lane].counts[key.tenant] = count > 0 ? count : nil
    }

    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) {
        let queue = queues[Int(lane.rawValue)]
        return (numbers[tenant].flatMap { queue.counts[$0] } ?? 0, queue.totalCount)
    }

    /// - Returns: nil without queued entries.
    func waitingNumber(_ lane: Lane, of tenant: TenantID) -> Int64? {
        numbers[tenant].flatMap { queues[Int(lane.rawValue)].counts[$0] == nil ? nil : $0 }
    }

    /// - Returns: tenants with queued entries, by number, beginning after `last`.
    func waitingTenants(_ lane: Lane, behind last: Int64 = .min) -> [Int64] {
        let sorted = queues[Int(lane.rawValue)].counts.keys.sorted()
        let next = sorted.firstIndex { $0 > last } ?? 0
        return Array(sorted[next...] + sorted[..<next])
    }
}
