/// Index's key.
enum TraceIndexKind {
    case trace
    case device
    case apnsID
    case receipt

    var runs: String { table + "_run" }
    var chunks: String { table + "_chunk" }

    private var table: String {
        switch self {
        case .trace: "trace"
        case .device: "device"
        case .apnsID: "apns"
        case .receipt: "receipt"
        }
    }

    /// Different for each: a transaction seldom writes two runs.
    var pairCountMax: Int {
        switch self {
        case .trace: TraceMemory.pairCountMax
        case .device: TraceMemory.pairCountMax / 4 * 3
        case .apnsID: TraceMemory.pairCountMax / 8 * 7
        case .receipt: TraceMemory.pairCountMax / 8 * 5
        }
    }

    /// Selects pairs that are in no run.
    var selectYounger: String {
        switch self {
        case .trace: "SELECT id, trace FROM entry WHERE id > ? AND trace IS NOT NULL ORDER BY id LIMIT ?"
        case .device: "SELECT id, header, tenant FROM entry WHERE id > ? ORDER BY id LIMIT ?"
        case .apnsID: "SELECT id, apns_id FROM entry WHERE id > ? ORDER BY id LIMIT ?"
        case .receipt:
            """
            SELECT entry, receipt_hash FROM watch WHERE entry > ? AND receipt_hash IS NOT NULL ORDER BY entry LIMIT ?
            """
        }
    }

    /// - Returns: nil for a damaged row, which is not found.
    func hash(_ row: SQLiteRow) -> Int64? {
        switch self {
        case .trace: return TracePair.hash(trace: row.bytes(1))
        case .device:
            let device = EntryHeader.decode(row.bytes(1))?.device.bytes
            return device.map { TracePair.hash(device: $0, tenant: row.integer(2)) }
        case .apnsID: return TracePair.hash(apnsID: row.bytes(1))
        case .receipt: return TracePair.hash(receipt: row.bytes(1))
        }
    }
}
