/// Scan of all ids for one sender's count and earliest expiries. It advances a few pages with every new id, so no
/// check waits for a whole scan.
struct ExpirySweep: Equatable {
    static let batch = 256

    let slot: Int
    /// As of the start; another floor invalidates the sweep.
    let floor: UInt64
    private(set) var nextPage = 0
    /// Ids that expire after the floor.
    private(set) var total = 0
    /// Earliest, ascending, with their counts; at most `batch`.
    private var expiries: [UInt64] = []
    private var counts: [UInt64] = []

    init(slot: Int, floor: UInt64) {
        self.slot = slot
        self.floor = floor
    }

    var isDone: Bool { nextPage >= WindowLayout.recordPages.count }

    /// - Parameters:
    ///   - words: pages of records from `nextPage` on.
    ///   - bound: ids that expire by then do not count.
    mutating func look(through words: [UInt64], bound: UInt64) throws(ReplayWindowError) {
        for index in 0..<words.count / ReplayRecord.wordCount {
            guard try ReplayRecord.state(in: words, at: index) != .free,
                ReplayRecord.slot(in: words, at: index) == slot
            else { continue }
            let expiresAt = ReplayRecord.expiresAt(in: words, at: index)
            if expiresAt > bound { see(expiresAt) }
        }
        nextPage += words.count / WindowLayout.pageWordCount
    }

    mutating func see(_ expiresAt: UInt64) {
        total += 1
        var low = 0
        var high = expiries.count
        while low < high {
            let middle = (low + high) / 2
            if expiries[middle] < expiresAt { low = middle + 1 } else { high = middle }
        }
        if low < expiries.count, expiries[low] == expiresAt {
            counts[low] += 1
        } else if low < Self.batch {
            expiries.insert(expiresAt, at: low)
            counts.insert(1, at: low)
            if expiries.count > Self.batch {
                expiries.removeLast()
                counts.removeLast()
            }
        }
    }

    /// Expiry up to which an eviction frees a batch, and its number of ids.
    var threshold: (expiresAt: UInt64, count: Int)? {
        var count = 0
        for (index, expiresAt) in expiries.enumerated() {
            count += Int(counts[index])
            if count >= Self.batch { return (expiresAt, count) }
        }
        return expiries.last.map { ($0, count) }
    }
}

// The sweep's page: check, slot | next page | total | count of expiries, floor, then expiry << 16 | count for each. A
// torn page restarts the sweep.
extension ExpirySweep {
    var words: [UInt64] {
        var words: [UInt64] = [
            UInt64(slot) << 48 | UInt64(nextPage) << 32 | UInt64(min(total, 0xFFFF)) << 16 | UInt64(expiries.count),
            floor,
        ]
        for (expiresAt, count) in zip(expiries, counts) { words.append(expiresAt << 16 | min(count, 0xFFFF)) }
        return [WindowCheck.fold(words[...])] + words
    }

    init?(page: [UInt64]) {
        let count = Int(page[1] & 0xFFFF)
        guard count <= Self.batch, page[0] == WindowCheck.fold(page[1..<3 + count]) else { return nil }
        slot = Int(page[1] >> 48)
        nextPage = Int(page[1] >> 32 & 0xFFFF)
        total = Int(page[1] >> 16 & 0xFFFF)
        floor = page[2]
        for word in page[3..<3 + count] {
            expiries.append(word >> 16)
            counts.append(word & 0xFFFF)
        }
        // A finished sweep is never written.
        guard !isDone else { return nil }
    }
}
