/// Writer's receipt runs. Merging keeps them few, since anyone can look up an unknown hash, which searches all. After
/// each step every pair is in exactly one run.
final class ReceiptRunTable: RunTable {
    private let sizes: ReceiptRunSizes
    private let selectRuns: SQLiteStatement
    private let insertRun: SQLiteStatement
    private let deleteRun: SQLiteStatement
    private let insertChunk: SQLiteStatement
    private let selectFirst: SQLiteStatement
    private let selectChunks: SQLiteStatement
    private let deleteChunks: SQLiteStatement
    private let selectOldest: SQLiteStatement
    /// nil after a rollback.
    private var known: [ReceiptRun]?
    private var pairCount = 0
    private var commitCount = 0
    private var isBehind = true

    init(_ connection: SQLiteConnection, _ sizes: ReceiptRunSizes) throws(StoreError) {
        self.sizes = sizes
        selectRuns = try connection.prepare("SELECT number, place, level, last FROM receipt_run")
        insertRun = try connection.prepare("INSERT INTO receipt_run (number, place, level, last) VALUES (?, ?, ?, ?)")
        deleteRun = try connection.prepare("DELETE FROM receipt_run WHERE place = ? AND level = ?")
        // Only disk damage could cause a conflict.
        insertChunk = try connection.prepare("INSERT OR IGNORE INTO receipt_chunk (id, pairs) VALUES (?, ?)")
        selectFirst = try connection.prepare(
            "SELECT id FROM receipt_chunk WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?"
        )
        selectChunks = try connection.prepare(
            "SELECT id, pairs FROM receipt_chunk WHERE id >= ? AND id <= ? ORDER BY id"
        )
        deleteChunks = try connection.prepare("DELETE FROM receipt_chunk WHERE id >= ? AND id <= ?")
        selectOldest = try connection.prepare("SELECT min(id) FROM entry")
    }

    func lastEntry() throws(StoreError) -> Int64 { try runs().reduce(0) { max($0, $1.last) } }

    func write(_ pairs: [TracePair]) throws(StoreError) {
        let last = pairs.reduce(0) { max($0, $1.entry) }
        // A few dozen are in use, of 32,767.
        guard let number = ReceiptRunPlan.freeNumber(try runs()) else { throw .damaged }
        try add(ReceiptRun(number: number, place: last, level: 0, last: last))
        try insert(pairs, into: number)
        isBehind = true
    }

    func end(holds: Bool, pairCount: Int) {
        if holds {
            self.pairCount += pairCount
            commitCount += 1
        } else {
            known = nil
            isBehind = true
        }
    }

    var isStepDue: Bool {
        isBehind && (pairCount >= sizes.stepPairCount || commitCount >= sizes.stepCommitCount)
    }

    func step() throws(StoreError) {
        pairCount = 0
        commitCount = 0
        // Without entries every run is obsolete.
        let oldest = (try selectOldest.first([]) { $0.optionalInteger(0) } ?? nil) ?? .max
        switch ReceiptRunPlan(fanIn: sizes.fanIn).next(try runs(), oldest: oldest) {
        case nil: isBehind = false
        case .forget(let run):
            isBehind = true
            try forget(run)
        case .merge(let sources, let target):
            isBehind = true
            try merge(sources, into: target, oldest: oldest)
        }
    }

    private func forget(_ run: ReceiptRun) throws(StoreError) {
        let ids = ReceiptChunk.ids(run: run.number)
        let first = try selectFirst.all([
            .integer(ids.lowerBound), .integer(ids.upperBound), .integer(Int64(sizes.forgottenChunkCount)),
        ]) { $0.integer(0) }
        if let last = first.last { try deleteChunks.run([.integer(ids.lowerBound), .integer(last)]) }
        if first.count < sizes.forgottenChunkCount { try remove(run) }
    }

    private func merge(_ sources: [ReceiptRun], into target: ReceiptRun, oldest: Int64) throws(StoreError) {
        if try !runs().contains(target) { try add(target) }
        let bound = try bound(sources)
        var moved: [TracePair] = []
        for source in sources { moved += try take(source, below: bound) }
        // Deleted entries are dropped.
        try insert(moved.filter { $0.entry >= oldest }.sorted(by: <), into: target.number)
        if bound == nil {
            for source in sources { try remove(source) }
        }
    }

    /// - Returns: first hash beyond the step's room; nil if all fit.
    private func bound(_ sources: [ReceiptRun]) throws(StoreError) -> Int64? {
        // Half the room each: overlapping runs all give a part.
        let ownCountMax = max(sizes.stepChunkCount / 2, 1)
        var bound: Int64?
        var firsts: [Int64] = []
        for source in sources {
            let ids = ReceiptChunk.ids(run: source.number)
            let own = try selectFirst.all([
                .integer(ids.lowerBound), .integer(ids.upperBound), .integer(Int64(ownCountMax + 1)),
            ]) { ReceiptChunk.first(id: $0.integer(0)) }
            firsts += own.prefix(ownCountMax)
            if own.count > ownCountMax { bound = min(bound ?? .max, own[ownCountMax]) }
        }
        firsts.sort()
        if firsts.count > sizes.stepChunkCount { bound = min(bound ?? .max, firsts[sizes.stepChunkCount]) }
        return bound
    }

    private func take(_ source: ReceiptRun, below bound: Int64?) throws(StoreError) -> [TracePair] {
        let ids =
            bound.map { ReceiptChunk.ids(run: source.number, through: max($0, 1) - 1) }
            ?? ReceiptChunk.ids(run: source.number)
        let values: [SQLiteValue] = [.integer(ids.lowerBound), .integer(ids.upperBound)]
        let chunks = try selectChunks.all(values) { ReceiptChunk.pairs($0.bytes(1), id: $0.integer(0)) }
        guard !chunks.isEmpty else { return [] }
        try deleteChunks.run(values)
        guard let bound else { return chunks.flatMap { $0 } }
        // The last chunk may extend beyond.
        try insert(chunks.flatMap { $0.filter { $0.hash >= bound } }, into: source.number)
        return chunks.flatMap { $0.filter { $0.hash < bound } }
    }

    private func insert(_ pairs: [TracePair], into run: Int64) throws(StoreError) {
        for chunk in ReceiptChunk.split(pairs, pairCount: sizes.chunkPairCount) {
            guard let first = chunk.first?.hash else { continue }
            insertChunk.bind(1, ReceiptChunk.id(run: run, first))
            try insertChunk.runBound(2, borrowing: TraceChunk.encode(chunk))
        }
    }

    private func runs() throws(StoreError) -> [ReceiptRun] {
        if let known { return known }
        // Skips damaged rows.
        let found = try selectRuns.all([]) { row in
            ReceiptRun(number: row.integer(0), place: row.integer(1), level: row.integer(2), last: row.integer(3))
        }.filter { ReceiptRun.numbers.contains($0.number) && ReceiptRun.levels.contains($0.level) }
        known = found
        return found
    }

    private func add(_ run: ReceiptRun) throws(StoreError) {
        try insertRun.run([.integer(run.number), .integer(run.place), .integer(run.level), .integer(run.last)])
        known?.append(run)
    }

    private func remove(_ run: ReceiptRun) throws(StoreError) {
        try deleteRun.run([.integer(run.place), .integer(run.level)])
        known?.removeAll { $0 == run }
    }
}
