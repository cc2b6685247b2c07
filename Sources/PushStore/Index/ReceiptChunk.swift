/// Part of a receipt run, coded as in `TraceChunk`. Its row's number is the run and the first hash: a lookup reads one
/// row of each run, and interior pages hold hundreds of numbers. One row has all pairs of a hash.
enum ReceiptChunk {
    /// Bound of a hash's entries in a run, the newest; no lookup reads more.
    static let equalCountMax = 64
    private static let hashBitCount: Int64 = 48
    private static let hashMask: Int64 = 1 << hashBitCount - 1

    /// Row number of a chunk.
    static func id(run: Int64, _ hash: Int64) -> Int64 { run << hashBitCount | hash }

    /// Row numbers of a run's chunks that begin at or below `last`.
    static func ids(run: Int64, through last: Int64 = hashMask) -> ClosedRange<Int64> {
        id(run: run, 0)...id(run: run, last)
    }

    static func first(id: Int64) -> Int64 { id & hashMask }

    /// - Returns: its pairs; those in range if it is damaged.
    static func pairs(_ bytes: [UInt8], id: Int64) -> [TracePair] {
        TraceChunk.pairs(bytes).filter { $0.hash >= first(id: id) && $0.hash <= hashMask }
    }

    /// Splits sorted pairs into chunks, without the oldest beyond `equalCountMax`. Only one hash can exceed
    /// `pairCount`.
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
