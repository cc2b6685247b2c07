/// Sorted run of receipt hashes, of the entries between two times. Only runs of one merge overlap in time.
struct ReceiptRun: Hashable {
    /// From 1; key of its chunks.
    let number: Int64
    /// The last entry of its oldest source. Greater places have newer entries; at equal places, the lower level does.
    let place: Int64
    /// Merges of its pairs.
    let level: Int64
    /// Its newest entry.
    let last: Int64

    static let numbers: ClosedRange<Int64> = 1...0x7FFF
    static let levels: Range<Int64> = 0..<64
}

/// Constants of merging, for tests to change.
struct ReceiptRunSizes: Sendable {
    var pairCountMax = TraceIndexKind.receipt.pairCountMax
    /// Runs of a level that merge into one of the next; a lookup meets fewer of each.
    var fanIn = 8
    /// Eight such chunks fit a page of SQLite's.
    var chunkPairCount = 60
    /// Chunks of a merge step, which delays others by less than a millisecond. More than `fanIn`.
    var stepChunkCount = 64
    /// New pairs for each step. A pair moves once for each level, a step moves 3,800 (half if hashes are chosen to keep
    /// runs disjoint): enough for four levels, 80 million pairs.
    var stepPairCount = 512
    /// Commits for each step, however small.
    var stepCommitCount = 8
    /// Chunks of a deleting step.
    var forgottenChunkCount = 512
}

enum ReceiptRunStep: Equatable {
    /// Delete a run without entries.
    case forget(ReceiptRun)
    /// Move the sources' rest into a target, which may have their lower hashes.
    case merge([ReceiptRun], into: ReceiptRun)
}

/// Chooses the next step from the runs alone: a merge continues after a crash.
struct ReceiptRunPlan {
    let fanIn: Int

    /// - Parameter oldest: store's first entry; `.max` for none.
    func next(_ runs: [ReceiptRun], oldest: Int64) -> ReceiptRunStep? {
        if let forgotten = runs.first(where: { $0.last < oldest }) { return .forget(forgotten) }
        // The oldest runs of a level are older than the level below: places stay in order.
        for level in Set(runs.map(\.level)).sorted() where ReceiptRun.levels.contains(level + 1) {
            let own = runs.filter { $0.level == level }.sorted { $0.place < $1.place }
            // Runs of lower levels are older only if they are the rest of its merge.
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

    /// - Returns: preferably the number after the greatest, so that rows are appended; nil if all are used.
    static func freeNumber(_ runs: [ReceiptRun]) -> Int64? {
        let used = Set(runs.map(\.number))
        let next = (used.max() ?? 0) + 1
        return ReceiptRun.numbers.contains(next) ? next : ReceiptRun.numbers.first { !used.contains($0) }
    }
}
