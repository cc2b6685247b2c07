/// Storage of an index's runs.
protocol RunTable: AnyObject {
    /// - Returns: newest entry of all runs; 0 without runs.
    func lastEntry() throws(StoreError) -> Int64

    /// - Parameter pairs: sorted, not empty.
    func write(_ pairs: [TracePair]) throws(StoreError)

    /// - Parameters:
    ///   - holds: true if the transaction is on the disk.
    ///   - pairCount: its new pairs.
    func end(holds: Bool, pairCount: Int)
}

/// Immutable runs, deleted when all their entries are.
final class PlainRunTable: RunTable {
    private let connection: SQLiteConnection
    private let kind: TraceIndexKind
    private let insertChunk: SQLiteStatement
    private let insertRun: SQLiteStatement

    init(_ connection: SQLiteConnection, _ kind: TraceIndexKind) throws(StoreError) {
        self.connection = connection
        self.kind = kind
        insertChunk = try connection.prepare(
            "INSERT INTO \(kind.chunks) (run, first, ordinal, pairs) VALUES (?, ?, ?, ?)"
        )
        insertRun = try connection.prepare("INSERT INTO \(kind.runs) (id) VALUES (?)")
    }

    func lastEntry() throws(StoreError) -> Int64 { try connection.integer("SELECT max(id) FROM \(kind.runs)") }

    func write(_ pairs: [TracePair]) throws(StoreError) {
        // A run's number is its last entry.
        let run = pairs.reduce(0) { max($0, $1.entry) }
        var start = 0
        while start < pairs.count {
            let end = min(start + TraceChunk.pairCountMax, pairs.count)
            try insertChunk.run([
                .integer(run), .integer(pairs[start].hash), .integer(Int64(start)),
                .bytes(TraceChunk.encode(pairs[start..<end])),
            ])
            start = end
        }
        try insertRun.run([.integer(run)])
    }

    func end(holds: Bool, pairCount: Int) {}
}
