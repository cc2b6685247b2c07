/// A sorted run of capabilities' hashes. It has hashes of the entries between two times, which no other run but one that it
/// is merged with has.
struct ReceiptRun: Hashable {
    /// From 1; its chunks are found by it.
    let number: Int64
    /// The last entry of the oldest run that went into it. Of all runs, in the order of places, those of the greatest have
    /// the newest entries; of two with one place that of the lesser level has.
    let place: Int64
    /// How often its pairs were merged.
    let level: Int64
    /// None of its entries is younger.
    let last: Int64

    static let numbers: ClosedRange<Int64> = 1...0x7FFF
    static let levels: Range<Int64> = 0..<64
}

/// How runs of receipts are kept few. All but in tests the same.
struct ReceiptRunSizes: Sendable {
    /// So many pairs are written as a run.
    var pairCountMax = TraceIndexKind.receipt.pairCountMax
    /// So many runs of one level become one of the next: a look passes by fewer than so many of each.
    var fanIn = 8
    /// As many as fit a page of SQLite's eight times.
    var chunkPairCount = 60
    /// Of a step of merging: what is read and written by it, which others wait for (less than a millisecond). More than `fanIn`.
    var stepChunkCount = 64
    /// One step follows so many new pairs. Each pair is moved once for each level, and a step moves some 3,800 (where hashes are
    /// chosen so that no two runs overlap, half of that): so they keep up with four levels, 80 million pairs.
    var stepPairCount = 512
    /// And one follows so many commits, however little they brought.
    var stepCommitCount = 8
    /// Of one that forgets a run.
    var forgottenChunkCount = 512
}

/// What is to be done next, so that runs stay few.
enum ReceiptRunStep: Equatable {
    /// The store has none of its entries any more.
    case forget(ReceiptRun)
    /// What is left in these goes into that one, which may have lesser hashes of theirs already.
    case merge([ReceiptRun], into: ReceiptRun)
}

/// Says what is to be done next. It follows from the runs alone, so that whoever opens the store after a crash goes on with
/// what was begun.
struct ReceiptRunPlan {
    let fanIn: Int

    /// - Parameters:
    ///   - runs: all of them, in any order.
    ///   - oldest: the first entry that the store has; `.max` for none.
    /// - Returns: nil when they are few enough.
    func next(_ runs: [ReceiptRun], oldest: Int64) -> ReceiptRunStep? {
        if let forgotten = runs.first(where: { $0.last < oldest }) { return .forget(forgotten) }
        // What is merged is older than all of its level that is not, and of the level below: so places stay in order.
        for level in Set(runs.map(\.level)).sorted() where ReceiptRun.levels.contains(level + 1) {
            let own = runs.filter { $0.level == level }.sorted { $0.place < $1.place }
            // A run is younger than all of lesser levels, but for what is still to be moved into it.
            for target in runs where target.level == level + 1 {
                let rest = own.filter { $0.last <= target.last }
                if !rest.isEmpty { return .merge(rest, into: target) }
            }
            guard own.count >= fanIn, let number = Self.freeNumber(runs) else { continue }
            let sources = Array(own.prefix(fanIn))
            let last = sources.reduce(0) { max($0, $1.last) }
            let target = ReceiptRun(number: number, place: sources[0].place, level: level + 1, last: last)
            return .merge(sources, into: target)
        }
        return nil
    }

    /// - Returns: the one after all that are in use, so that rows are added behind others; nil when all are in use.
    static func freeNumber(_ runs: [ReceiptRun]) -> Int64? {
        let used = Set(runs.map(\.number))
        let next = (used.max() ?? 0) + 1
        return ReceiptRun.numbers.contains(next) ? next : ReceiptRun.numbers.first { !used.contains($0) }
    }
}
