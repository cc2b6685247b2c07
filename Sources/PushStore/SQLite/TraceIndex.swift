internal import APNS
internal import Envelope
internal import Platform

/// Which entries have which trace; and, with tables of their own, which are for which device, and which has which apns-id.
///
/// Traces are random, devices come in any order, and an index of SQLite's would write a page of its own for each entry,
/// the more so the larger it is. So the newest are kept in memory, in the order in which they came; when there are
/// `pairCountMax`, they are written at once, sorted, as a run. A look for one searches the memory and each run. What
/// memory held when a process ended is read again from the entries that are younger than the last run.
struct TraceMemory {
    static let pairCountMax = 32_768

    private(set) var pairs: [TracePair] = []

    mutating func append(_ more: [TracePair]) { pairs += more }

    mutating func removeAll() { pairs.removeAll(keepingCapacity: true) }

    /// - Returns: the entries that may have it, the newest first.
    func entries(_ hash: Int64) -> [Int64] { pairs.lazy.filter { $0.hash == hash }.map(\.entry).reversed() }
}

/// The hash of a trace, of a device or of an apns-id, and an entry that has it.
struct TracePair: Equatable {
    let hash: Int64
    let entry: Int64

    static func hash(trace: [UInt8]) -> Int64 {
        var sum = Checksum()
        sum.add(trace)
        return Int64(bitPattern: sum.value)
    }

    /// - Parameter apnsID: its 16 bytes.
    /// - Returns: what its entry is looked for by.
    static func hash(apnsID: [UInt8]) -> Int64 { hash(trace: apnsID) }

    /// - Parameters:
    ///   - device: its id.
    ///   - tenant: by number.
    /// - Returns: what its entries are looked for by.
    static func hash(device: [UInt8], tenant: Int64) -> Int64 {
        var sum = Checksum()
        sum.add(UInt64(bitPattern: tenant))
        sum.add(device)
        return Int64(bitPattern: sum.value)
    }
}

/// What an index is by.
enum TraceIndexKind {
    case trace
    case device
    case apnsID

    var runs: String { table + "_run" }
    var chunks: String { table + "_chunk" }

    private var table: String {
        switch self {
        case .trace: "trace"
        case .device: "device"
        case .apnsID: "apns"
        }
    }

    /// Not the same for two, so that no transaction writes a run of each, but for one in many.
    var pairCountMax: Int {
        switch self {
        case .trace: TraceMemory.pairCountMax
        case .device: TraceMemory.pairCountMax / 4 * 3
        case .apnsID: TraceMemory.pairCountMax / 8 * 7
        }
    }

    /// What a process before had in memory.
    fileprivate var selectYounger: String {
        switch self {
        case .trace: "SELECT id, trace FROM entry WHERE id > ? AND trace IS NOT NULL ORDER BY id LIMIT ?"
        case .device: "SELECT id, header, tenant FROM entry WHERE id > ? ORDER BY id LIMIT ?"
        case .apnsID: "SELECT id, apns_id FROM entry WHERE id > ? ORDER BY id LIMIT ?"
        }
    }

    /// - Returns: nil for a damaged row, which nobody finds.
    fileprivate func hash(_ row: SQLiteRow) -> Int64? {
        switch self {
        case .trace: return TracePair.hash(trace: row.bytes(1))
        case .device:
            let device = EntryHeader.decode(row.bytes(1))?.device.bytes
            return device.map { TracePair.hash(device: $0, tenant: row.integer(2)) }
        case .apnsID: return TracePair.hash(apnsID: row.bytes(1))
        }
    }
}

/// A part of a run: pairs of eight bytes and eight, sorted by their hash.
enum TraceChunk {
    /// As many as fit a page of SQLite's four times.
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

    /// - Returns: the entries with this hash, in the order in which they are; none of what `encode` does not make.
    static func entries(_ hash: Int64, in bytes: [UInt8]) -> [Int64] {
        guard bytes.count.isMultiple(of: 16) else { return [] }
        return stride(from: 0, to: bytes.count, by: 16).compactMap { offset in
            word(bytes, offset) == hash ? word(bytes, offset + 8) : nil
        }
    }

    /// - Returns: the entries of a run with this hash, the newest first.
    static func entries(
        _ hash: Int64,
        of kind: TraceIndexKind,
        run: Int64,
        _ sql: StatementCache
    ) throws(StoreError) -> [Int64] {
        var chunks = try sql(
            "SELECT pairs FROM \(kind.chunks) WHERE run = ? AND first = ? ORDER BY ordinal"
        ).all([.integer(run), .integer(hash)]) { $0.bytes(0) }
        // The one before may end with it.
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

/// The writer's side.
final class TraceIndex {
    private let kind: TraceIndexKind
    private let insertChunk: SQLiteStatement
    private let insertRun: SQLiteStatement
    private var pending: [TracePair] = []
    private var isRunWritten = false
    /// As of the last transaction that holds; the reader looks here.
    private let memory: Guarded<TraceMemory>

    /// Reads what is in no run; writes runs where that is a lot: not in a transaction.
    init(
        _ connection: SQLiteConnection,
        by kind: TraceIndexKind,
        memory: Guarded<TraceMemory>
    ) throws(StoreError) {
        self.kind = kind
        self.memory = memory
        insertChunk = try connection.prepare(
            "INSERT INTO \(kind.chunks) (run, first, ordinal, pairs) VALUES (?, ?, ?, ?)"
        )
        insertRun = try connection.prepare("INSERT INTO \(kind.runs) (id) VALUES (?)")
        var last = try connection.integer("SELECT max(id) FROM \(kind.runs)")
        let select = try connection.prepare(kind.selectYounger)
        while true {
            let found = try select.all([.integer(last), .integer(Int64(kind.pairCountMax / 2))]) { row in
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
                // Whoever opens the store gets the error, and no store.
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
            self.end(holds: true)
        }
    }

    func note(_ hash: Int64, entry: EntryID) { pending.append(TracePair(hash: hash, entry: entry.value)) }

    /// - Parameters:
    ///   - hash: of what is looked for.
    ///   - entry: by number.
    ///   - sql: the writer's statements.
    /// - Returns: the entries after that one which may have it, those of this transaction among them, the newest first.
    /// - Throws: what a disk does.
    func numbers(_ hash: Int64, after entry: Int64, _ sql: StatementCache) throws(StoreError) -> [Int64] {
        var numbers = pending.lazy.filter { $0.hash == hash && $0.entry > entry }.map(\.entry).reversed() as [Int64]
        numbers += memory.withLock { $0.entries(hash) }.prefix { $0 > entry }
        // A run has the number of its last entry.
        let runs = try sql("SELECT id FROM \(kind.runs) WHERE id > ? ORDER BY id DESC").all([.integer(entry)]) {
            $0.integer(0)
        }
        for run in runs {
            numbers += try TraceChunk.entries(hash, of: kind, run: run, sql).filter { $0 > entry }
        }
        return numbers
    }

    /// Before a transaction ends.
    func write() throws(StoreError) {
        guard !pending.isEmpty else { return }
        let known = memory.withLock { $0.pairs.count + pending.count < kind.pairCountMax ? nil : $0.pairs }
        guard let known else { return }
        let pairs = (known + pending).sorted { ($0.hash, $0.entry) < ($1.hash, $1.entry) }
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
        isRunWritten = true
    }

    /// After it has ended.
    func end(holds: Bool) {
        if holds, !pending.isEmpty {
            memory.withLock { [pending, isRunWritten] memory in
                if isRunWritten { memory.removeAll() } else { memory.append(pending) }
            }
        }
        isRunWritten = false
        pending.removeAll(keepingCapacity: true)
    }
}

extension StoreReader {
    /// Calls `visit` with the entries that may have a trace, by number, the newest first, each at most once, until it says
    /// that it needs no more.
    func entryNumbers(trace: [UInt8], visit: (Int64) throws(StoreError) -> Bool) throws(StoreError) {
        try entryNumbers(TracePair.hash(trace: trace), by: .trace, in: traces, visit)
    }

    /// The same with those that may be for a device; `tenant` is its tenant's number.
    func entryNumbers(
        device: [UInt8],
        tenant: Int64,
        visit: (Int64) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try entryNumbers(TracePair.hash(device: device, tenant: tenant), by: .device, in: deviceEntries, visit)
    }

    /// The same with those that may have an apns-id: first those of the time when it was made.
    func entryNumbers(apnsID: APNSID, visit: (Int64) throws(StoreError) -> Bool) throws(StoreError) {
        let likely = apnsID.made.map { EntrySequence.first(at: $0.milliseconds) << 8 }
        try entryNumbers(TracePair.hash(apnsID: apnsID.bytes), by: .apnsID, in: apnsIDs, likely: likely, visit)
    }

    private func entryNumbers(
        _ hash: Int64,
        by kind: TraceIndexKind,
        in memory: Guarded<TraceMemory>,
        likely: Int64? = nil,
        _ visit: (Int64) throws(StoreError) -> Bool
    ) throws(StoreError) {
        // The memory first: what leaves it meanwhile is in a run by the time of the look at the runs.
        let recent = memory.withLock { $0.entries(hash) }
        for id in recent where !(try visit(id)) { return }
        let oldest = recent.last ?? .max
        // A run has the number of its last entry: the first that is not before a number has it, if any has.
        let first = try likely.map { number throws(StoreError) in
            try sql("SELECT min(id) FROM \(kind.runs) WHERE id >= ?").first([.integer(number)]) {
                $0.optionalInteger(0)
            }
        }
        let own = (first ?? nil) ?? nil
        if let own {
            for id in try TraceChunk.entries(hash, of: kind, run: own, sql) where id < oldest {
                if !(try visit(id)) { return }
            }
        }
        for run in try sql("SELECT id FROM \(kind.runs) ORDER BY id DESC").all([], { $0.integer(0) }) where run != own {
            for id in try TraceChunk.entries(hash, of: kind, run: run, sql) where id < oldest {
                if !(try visit(id)) { return }
            }
        }
    }
}
