internal import Platform

/// Writer's side of an index.
final class TraceIndex {
    private let kind: TraceIndexKind
    private let runs: any RunTable
    private let pairCountMax: Int
    private var pending: [TracePair] = []
    private var isRunWritten = false
    private let memory: Guarded<TraceMemory>

    /// Loads pairs that are in no run, and writes runs when they are many: not within a transaction.
    ///
    /// - Parameter pairCountMax: pairs of a run.
    init(
        _ connection: SQLiteConnection,
        by kind: TraceIndexKind,
        memory: Guarded<TraceMemory>,
        runs: any RunTable,
        pairCountMax: Int
    ) throws(StoreError) {
        self.kind = kind
        self.memory = memory
        self.runs = runs
        self.pairCountMax = pairCountMax
        var last = try runs.lastEntry()
        let select = try connection.prepare(kind.selectYounger)
        while true {
            let found = try select.all([.integer(last), .integer(Int64(max(pairCountMax / 2, 1)))]) { row in
                (entry: row.integer(0), hash: kind.hash(row))
            }
            guard let end = found.last else { return }
            last = end.entry
            pending = found.compactMap { row in row.hash.map { TracePair(hash: $0, entry: row.entry) } }
            try connection.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                try write()
                try connection.execute("COMMIT")
            } catch {
                // The opening fails with this error.
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
            self.end(holds: true)
        }
    }

    convenience init(
        _ connection: SQLiteConnection,
        by kind: TraceIndexKind,
        memory: Guarded<TraceMemory>
    ) throws(StoreError) {
        let runs = try PlainRunTable(connection, kind)
        try self.init(connection, by: kind, memory: memory, runs: runs, pairCountMax: kind.pairCountMax)
    }

    func note(_ hash: Int64, entry: EntryID) { pending.append(TracePair(hash: hash, entry: entry.value)) }

    /// - Returns: candidates, newest first, including this transaction's.
    func numbers(_ hash: Int64, after entry: Int64, _ sql: StatementCache) throws(StoreError) -> [Int64] {
        var numbers = pending.lazy.filter { $0.hash == hash && $0.entry > entry }.map(\.entry).reversed() as [Int64]
        numbers += memory.withLock { $0.entries(hash) }.prefix { $0 > entry }
        // A run's number is its last entry.
        let runs = try sql("SELECT id FROM \(kind.runs) WHERE id > ? ORDER BY id DESC").all([.integer(entry)]) {
            $0.integer(0)
        }
        for run in runs {
            numbers += try TraceChunk.entries(hash, of: kind, run: run, sql).filter { $0 > entry }
        }
        return numbers
    }

    /// Runs before a transaction ends.
    func write() throws(StoreError) {
        guard !pending.isEmpty else { return }
        let known = memory.withLock { [pairCountMax] in
            $0.pairs.count + pending.count < pairCountMax ? nil : $0.pairs
        }
        guard let known else { return }
        try runs.write((known + pending).sorted(by: <))
        isRunWritten = true
    }

    /// Runs after it has ended.
    func end(holds: Bool) {
        runs.end(holds: holds, pairCount: pending.count)
        if holds, !pending.isEmpty {
            memory.withLock { [pending, isRunWritten] memory in
                if isRunWritten { memory.removeAll() } else { memory.append(pending) }
            }
        }
        isRunWritten = false
        pending.removeAll(keepingCapacity: true)
    }
}
