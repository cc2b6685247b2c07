/// A sorted run of receipt hashes. It covers the entries between two times, which it shares only with runs merged into
/// it.
struct ReceiptRun: Hashable {
    /// From 1; key of its chunks.
    let number: Int64
    /// The last entry of the oldest run merged into it. Runs with greater places have newer entries; at equal places,
    /// the run of the lower level does.
    let place: Int64
    /// The number of merges that its pairs went through.
    let level: Int64
    /// Its newest entry.
    let last: Int64

    static let numbers: ClosedRange<Int64> = 1...0x7FFF
    static let levels: Range<Int64> = 0..<64
}

/// Parameters of merging; only tests change them.
struct ReceiptRunSizes: Sendable {
    /// Pairs for each new run.
    var pairCountMax = TraceIndexKind.receipt.pairCountMax
    /// Runs of one level that merge into one of the next. A lookup searches fewer than this many at each level.
    var fanIn = 8
    /// Pairs in a chunk: a page of SQLite's holds eight such chunks.
    var chunkPairCount = 60
    /// Chunks read and written by a merge step, which delays other jobs (less than a millisecond). More than `fanIn`.
    var stepChunkCount = 64
    /// New pairs for each step. Each pair moves once for each level, and a step moves about 3,800 (half if hashes are
    /// chosen so that no two runs overlap). So merging keeps up with four levels, 80 million pairs.
    var stepPairCount = 512
    /// Commits for each step, however little they brought.
    var stepCommitCount = 8
    /// Chunks deleted by a step that drops a run.
    var forgottenChunkCount = 512
}

/// The next step that keeps runs few.
enum ReceiptRunStep: Equatable {
    /// Delete a run whose entries have all left the store.
    case forget(ReceiptRun)
    /// Move the rest of these runs into the target, which may have their lower hashes already.
    case merge([ReceiptRun], into: ReceiptRun)
}

/// Chooses the next step from the runs alone, so that a reopened store continues a merge after a crash.
struct ReceiptRunPlan {
    let fanIn: Int

    /// - Parameter oldest: the store's first entry; `.max` for none.
    /// - Returns: nil when runs are few enough.
    func next(_ runs: [ReceiptRun], oldest: Int64) -> ReceiptRunStep? {
        if let forgotten = runs.first(where: { $0.last < oldest }) { return .forget(forgotten) }
        // Merges the oldest runs of a level, which are older than the whole level below: places stay in order.
        for level in Set(runs.map(\.level)).sorted() where ReceiptRun.levels.contains(level + 1) {
            let own = runs.filter { $0.level == level }.sorted { $0.place < $1.place }
            // A run is newer than all of lower levels, except the rest of its own merge.
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

    /// - Returns: the number after the greatest in use, so that rows are appended; else the first free one; nil for
    ///   none.
    static func freeNumber(_ runs: [ReceiptRun]) -> Int64? {
        let used = Set(runs.map(\.number))
        let next = (used.max() ?? 0) + 1
        return ReceiptRun.numbers.contains(next) ? next : ReceiptRun.numbers.first { !used.contains($0) }
    }
}
