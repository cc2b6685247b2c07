internal import Platform
internal import Primitives

/// Which entries have which trace; and, with tables of their own, which are for which device, which has which apns-id, and
/// which waits for which receipt.
///
/// Traces are random, devices come in any order, and an index of SQLite's would write a page of its own for each entry,
/// the more so the larger it is. So the newest are kept in memory, in the order in which they came; when there are
/// `pairCountMax`, they are written at once, sorted, as a run. A look for one searches the memory and each run. What
/// memory held when a process ended is read again from the entries that are younger than the last run.
struct TraceMemory {
    static let pairCountMax = 32_768

    private(set) var pairs: [TracePair] = []
    /// For each pair the one before it in its row, by place; -1 for none.
    private var earlier: [Int32] = []
    /// For each row of hashes its newest pair, by place; -1 for none.
    private var newest: [Int32] = []
    /// Odd, and another in each process: who chooses traces does not choose their rows.
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

    /// - Parameters:
    ///   - hash: of what is looked for.
    ///   - limit: at most so many.
    /// - Returns: the entries that may have it, the newest first.
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

/// What the writer has in no run yet, as of the last transaction that holds; the reader looks here.
struct TraceMemories: Sendable {
    let traces = Guarded(TraceMemory())
    let deviceEntries = Guarded(TraceMemory())
    let apnsIDs = Guarded(TraceMemory())
    let receipts = Guarded(TraceMemory())
}
