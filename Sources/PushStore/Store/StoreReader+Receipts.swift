internal import Envelope
internal import Platform

/// Capability that may be valid, and its entry's id.
struct ReceiptClaim: Sendable {
    let hash: [UInt8]
    let entry: Int64
}

enum ReceiptFinding: Sendable {
    case settled(Redemption)
    /// The writer decides.
    case claim(ReceiptClaim)
}

extension StoreReader {
    /// Answers most untrusted receipts without the writer. A receipt counts for the newest entry with its hash; reading
    /// the newest 64 bounds the lookup of a hash stored often.
    func claims(_ hashes: [[UInt8]]) throws(StoreError) -> [ReceiptFinding] {
        let keys = hashes.map { TracePair.hash(receipt: $0) }
        // First: pairs that leave it are in a run by the time runs are read.
        let recent = memories.receipts.withLock { memory in
            keys.map { memory.entries($0, limit: ReceiptChunk.equalCountMax) }
        }
        // One snapshot: a pair that moves between runs is in one of them.
        return try together { () throws(StoreError) in
            var runs: [Int64]?
            var findings: [ReceiptFinding] = []
            for (index, hash) in hashes.enumerated() {
                if let finding = try finding(hash, among: recent[index]) {
                    findings.append(finding)
                    continue
                }
                if runs == nil { runs = try receiptRuns() }
                findings.append(try finding(hash, keys[index], in: runs ?? [], recent: recent[index]))
            }
            return findings
        }
    }

    /// - Returns: newest run first; of two in a merge, the source.
    private func receiptRuns() throws(StoreError) -> [Int64] {
        try sql("SELECT number FROM receipt_run ORDER BY place DESC, level").all([]) { $0.integer(0) }
            .filter(ReceiptRun.numbers.contains)
    }

    private func finding(
        _ hash: [UInt8],
        _ key: Int64,
        in runs: [Int64],
        recent: [Int64]
    ) throws(StoreError) -> ReceiptFinding {
        var rest = ReceiptChunk.equalCountMax - recent.count
        let oldest = recent.last ?? .max
        let select = try sql("SELECT pairs FROM receipt_chunk WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1")
        for run in runs where rest > 0 {
            let ids = ReceiptChunk.ids(run: run, through: key)
            let found = try select.first([.integer(ids.lowerBound), .integer(ids.upperBound)]) { row in
                TraceChunk.entries(key, in: row.bytes(0))
            }
            // Pairs that have left memory since.
            let entries = (found ?? []).reversed().lazy.filter { $0 < oldest }.prefix(rest)
            if let finding = try finding(hash, among: Array(entries)) { return finding }
            rest -= entries.count
        }
        return .settled(.unknown)
    }

    private func finding(_ hash: [UInt8], among entries: [Int64]) throws(StoreError) -> ReceiptFinding? {
        for entry in entries {
            let state = try sql(
                """
                SELECT watch.receipt_hash, entry.state FROM watch JOIN entry ON entry.id = watch.entry
                WHERE watch.entry = ?
                """
            ).first([.integer(entry)]) { $0.holds(hash, in: 0) ? $0.integer(1) : nil }
            guard let state = state ?? nil else { continue }
            switch EntryState.Code(rawValue: state) {
            case .delivered: return .settled(.repeated)
            case .dead, .expired, nil: return .settled(.unknown)
            case .queued, .sending, .parked, .accepted: return .claim(ReceiptClaim(hash: hash, entry: entry))
            }
        }
        return nil
    }
}
