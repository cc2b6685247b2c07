internal import Platform
internal import Primitives

/// Newest pairs of an index: entries by trace, device, apns-id or receipt.
///
/// An SQLite index of random keys would write a page for each entry. So pairs stay in memory until `pairCountMax` are
/// written at once as a sorted run. A start rebuilds memory from the entries newer than the last run.
struct TraceMemory {
    static let pairCountMax = 32_768

    private(set) var pairs: [TracePair] = []
    /// Each pair's previous one in its row, by position; -1 for none.
    private var earlier: [Int32] = []
    /// Each row's newest pair, by position; -1 for none.
    private var newest: [Int32] = []
    /// Odd and random, so that traces cannot be chosen to share a row.
    private let factor: UInt64

    private static let rowBitCount: UInt64 = 15

    init() {
        var random = SystemRandom()
        factor = random.bytes(count: 8).reduce(1) { $0 << 8 | UInt64($1) } | 1
    }

    mutating func append(_ more: [TracePair]) {
        if newest.isEmpty { newest = Array(repeating: -1, count: 1 << Int(Self.rowBitCount)) }
        for pair in more {
            let row = row(pair.hash)
            earlier.append(newest[row])
            newest[row] = Int32(truncatingIfNeeded: pairs.count)
            pairs.append(pair)
        }
    }

    mutating func removeAll() {
        pairs.removeAll(keepingCapacity: true)
        earlier.removeAll(keepingCapacity: true)
        for row in newest.indices { newest[row] = -1 }
    }

    /// - Returns: candidates, newest first.
    func entries(_ hash: Int64, limit: Int = .max) -> [Int64] {
        guard !newest.isEmpty else { return [] }
        var entries: [Int64] = []
        var place = newest[row(hash)]
        while place >= 0, entries.count < limit {
            let pair = pairs[Int(place)]
            if pair.hash == hash { entries.append(pair.entry) }
            place = earlier[Int(place)]
        }
        return entries
    }

    private func row(_ hash: Int64) -> Int {
        Int((UInt64(bitPattern: hash) &* factor) >> (64 - Self.rowBitCount))
    }
}

/// Pairs not yet in a run, as of the last committed transaction, for the reader.
struct TraceMemories: Sendable {
    let traces = Guarded(TraceMemory())
    let deviceEntries = Guarded(TraceMemory())
    let apnsIDs = Guarded(TraceMemory())
    let receipts = Guarded(TraceMemory())
}
