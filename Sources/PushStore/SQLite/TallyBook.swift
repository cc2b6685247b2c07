/// The tallies as of the last transaction that holds, for all threads, with what is asked for often kept ready.
struct TallyBook {
    private struct Queue {
        var totalCount = 0
        /// Of tenants that have something queued.
        var counts: [Int64: Int] = [:]
    }

    private(set) var counts: [TallyTable.Key: Int] = [:]
    private var numbers: [TenantID: Int64] = [:]
    private var queues = Lane.allCases.map { _ in Queue() }

    /// - Parameters:
    ///   - change: how many more; below zero for fewer.
    ///   - key: whose, where and in which state.
    ///   - tenant: the name that the file has for the key's number; nil where it has none.
    mutating func add(_ change: Int, to key: TallyTable.Key, of tenant: TenantID?) {
        let count = counts[key, default: 0] + change
        counts[key] = count
        if let tenant { numbers[tenant] = key.tenant }
        guard key.state == .queued else { return }
        let lane = Int(key.lane.rawValue)
        queues[lane].totalCount += change
        queues[lane].counts[key.tenant] = count > 0 ? count : nil
    }

    /// - Returns: how many are queued in a lane, the tenant's own and all tenants'.
    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) {
        let queue = queues[Int(lane.rawValue)]
        return (numbers[tenant].flatMap { queue.counts[$0] } ?? 0, queue.totalCount)
    }

    /// - Parameters:
    ///   - lane: a queue.
    ///   - last: the tenant whose turn was the last one.
    /// - Returns: the numbers of tenants that have something queued, the next one first.
    func waitingTenants(_ lane: Lane, behind last: Int64 = .min) -> [Int64] {
        let sorted = queues[Int(lane.rawValue)].counts.keys.sorted()
        let next = sorted.firstIndex { $0 > last } ?? 0
        return Array(sorted[next...] + sorted[..<next])
    }
}
