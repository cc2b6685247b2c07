/// A part of a run of receipts, as `TraceChunk` has them: a row whose number is that of its run, then its first hash. So a look
/// for a hash reads one row of each run, the last that begins at or before it, and pages that lead to rows hold hundreds of
/// numbers and nothing else. All pairs of one hash are in one row.
enum ReceiptChunk {
    /// So many entries with one hash a run has, the newest. No look asks for more.
    static let equalCountMax = 64
    private static let hashBitCount: Int64 = 48
    private static let hashMask: Int64 = 1 << hashBitCount - 1

    /// - Returns: the number of a run's row that begins with a hash.
    static func id(run: Int64, _ hash: Int64) -> Int64 { run << hashBitCount | hash }

    /// - Returns: the numbers that a run's rows may have, up to that of one that begins with `last`.
    static func ids(run: Int64, through last: Int64 = hashMask) -> ClosedRange<Int64> {
        id(run: run, 0)...id(run: run, last)
    }

    static func first(id: Int64) -> Int64 { id & hashMask }

    /// - Parameters:
    ///   - bytes: of a row.
    ///   - id: its number.
    /// - Returns: its pairs; of a damaged one those that may be its.
    static func pairs(_ bytes: [UInt8], id: Int64) -> [TracePair] {
        TraceChunk.pairs(bytes).filter { $0.hash >= first(id: id) && $0.hash <= hashMask }
    }

    /// - Parameters:
    ///   - pairs: in their order.
    ///   - pairCount: of a chunk; more where one hash has more.
    /// - Returns: them without those for which there are newer ones enough, cut into chunks.
    static func split(_ pairs: [TracePair], pairCount: Int) -> [ArraySlice<TracePair>] {
        let kept = pairs.indices.filter { index in
            let newer = index + equalCountMax
            return newer >= pairs.count || pairs[newer].hash != pairs[index].hash
        }.map { pairs[$0] }
        var chunks: [ArraySlice<TracePair>] = []
        var start = 0
        while start < kept.count {
            var end = min(start + pairCount, kept.count)
            while end < kept.count, kept[end].hash == kept[end - 1].hash { end += 1 }
            chunks.append(kept[start..<end])
            start = end
        }
        return chunks
    }
}
