/// Where the runs of an index are written.
protocol RunTable: AnyObject {
    /// - Returns: no entry of a run is younger; 0 without runs.
    func lastEntry() throws(StoreError) -> Int64

    /// In a transaction.
    ///
    /// - Parameter pairs: of a new run, in their order; not empty.
    /// - Throws: what a disk does.
    func write(_ pairs: [TracePair]) throws(StoreError)

    /// After the transaction has ended.
    ///
    /// - Parameters:
    ///   - holds: whether it is on the disk.
    ///   - pairCount: how many pairs came with it.
    func end(holds: Bool, pairCount: Int)
}

/// Runs that stay as they were written, until all of their entries are forgotten.
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
        // A run has the number of its last entry.
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
