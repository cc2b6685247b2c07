/// Part of a run: pairs of hash and entry, eight bytes each, sorted.
enum TraceChunk {
    /// Eight such chunks fit a page of 8,192 bytes.
    static let pairCountMax = 60

    static func encode(_ pairs: ArraySlice<TracePair>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 * pairs.count)
        for pair in pairs {
            bytes.append(word: UInt64(bitPattern: pair.hash))
            bytes.append(word: UInt64(bitPattern: pair.entry))
        }
        return bytes
    }

    /// - Returns: none for malformed bytes.
    static func pairs(_ bytes: [UInt8]) -> [TracePair] {
        guard bytes.count.isMultiple(of: 16) else { return [] }
        return stride(from: 0, to: bytes.count, by: 16).map { offset in
            TracePair(hash: word(bytes, offset), entry: word(bytes, offset + 8))
        }
    }

    /// - Returns: in stored order; none for malformed bytes.
    static func entries(_ hash: Int64, in bytes: [UInt8]) -> [Int64] {
        guard bytes.count.isMultiple(of: 16) else { return [] }
        // The first pair at or above it.
        var start = 0
        var end = bytes.count / 16
        while start < end {
            let middle = (start + end) / 2
            if word(bytes, 16 * middle) < hash { start = middle + 1 } else { end = middle }
        }
        var entries: [Int64] = []
        var offset = 16 * start
        while offset < bytes.count, word(bytes, offset) == hash {
            entries.append(word(bytes, offset + 8))
            offset += 16
        }
        return entries
    }

    /// - Returns: newest first.
    static func entries(
        _ hash: Int64,
        of kind: TraceIndexKind,
        run: Int64,
        _ sql: StatementCache
    ) throws(StoreError) -> [Int64] {
        var chunks = try sql(
            "SELECT pairs FROM \(kind.chunks) WHERE run = ? AND first = ? ORDER BY ordinal"
        ).all([.integer(run), .integer(hash)]) { $0.bytes(0) }
        // The chunk before may end with the hash.
        let before = try sql(
            """
            SELECT pairs FROM \(kind.chunks) WHERE run = ? AND first < ? ORDER BY first DESC, ordinal DESC LIMIT 1
            """
        ).first([.integer(run), .integer(hash)]) { $0.bytes(0) }
        if let before { chunks.insert(before, at: 0) }
        return chunks.flatMap { Self.entries(hash, in: $0) }.reversed()
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> Int64 {
        var word: UInt64 = 0
        for index in offset..<offset + 8 { word = word << 8 | UInt64(bytes[index]) }
        return Int64(bitPattern: word)
    }
}
