internal import Envelope

/// Row of `watch` without its receipt.
struct EntryWatch {
    /// Milliseconds.
    let fallbackAfter: Int64?
    let isReported: Bool
}

extension StoreWriter {
    /// Stores an entry's receipt hash, fallback and report.
    ///
    /// Existing hashes are not checked: a receipt counts for the newest entry with its hash (`StoreReader.claims`).
    func watch(_ entry: NewEntry, as id: EntryID) throws(StoreError) {
        guard entry.isWatched else { return }
        let row = hot.insertWatch
        row.bind(1, id.value)
        if let hash = entry.receiptHash {
            receipts.note(TracePair.hash(receipt: hash), entry: id)
            row.bind(2, hash)
        } else {
            row.bindNull(2)
        }
        row.bind(3, optional: entry.fallbackAfter.map { Timestamp(milliseconds: 0).advanced(by: $0).number })
        row.bind(4, entry.isReported ? 1 : 0)
        try row.runBound()
    }

    func isWaiting(_ id: Int64, for hash: [UInt8]) throws(StoreError) -> Bool {
        try sql("SELECT receipt_hash FROM watch WHERE entry = ?").first([.integer(id)]) { $0.holds(hash, in: 0) }
            ?? false
    }

    /// Moves a dead letter's receipt hash to its replay, which carries the same sealed capability.
    func takeReceiptHash(of id: EntryID) throws(StoreError) -> [UInt8]? {
        let hash = try sql("SELECT receipt_hash FROM watch WHERE entry = ?").first([.integer(id.value)]) {
            $0.optionalBytes(0)
        }
        guard let hash = hash ?? nil else { return nil }
        try sql("UPDATE watch SET receipt_hash = NULL WHERE entry = ?").run([.integer(id.value)])
        return hash
    }

    /// Applies an entry's new state in its transaction: arms or cancels its fallback, writes a hook.
    ///
    /// - Parameter now: start of the fallback's delay.
    func conclude(_ id: Int64, tenant: Int64, as state: EntryState.Code, now: Timestamp) throws(StoreError) {
        switch state {
        case .queued, .sending, .parked: return
        case .accepted:
            guard let after = try watch(of: id)?.fallbackAfter else { return }
            try armFallback(id, tenant: tenant, due: now.advanced(by: .milliseconds(after)))
        case .delivered, .dead, .expired:
            guard let watch = try watch(of: id) else { return }
            if watch.fallbackAfter != nil { try callOffFallback(id) }
            guard watch.isReported, let kind = HookKind(end: state) else { return }
            try addHook(kind, entry: id, tenant: tenant, detail: [], now: now)
        }
    }

    func forgetWatch(_ id: Int64, tenant: Int64) throws(StoreError) {
        try sql("DELETE FROM watch WHERE entry = ?").run([.integer(id)])
        try sql("DELETE FROM fallback WHERE entry = ?").run([.integer(id)])
        let hookCount = try sql("DELETE FROM hook WHERE entry = ?").run([.integer(id)])
        try countHooks(of: tenant, waiting: -hookCount, dropped: hookCount)
    }

    func watch(of id: Int64) throws(StoreError) -> EntryWatch? {
        try hot.selectWatch.first([.integer(id)]) { row in
            EntryWatch(fallbackAfter: row.optionalInteger(0), isReported: row.integer(1) != 0)
        }
    }
}

extension HookKind {
    /// nil for states without a hook.
    fileprivate init?(end state: EntryState.Code) {
        switch state {
        case .dead: self = .dead
        case .expired: self = .expired
        case .delivered: self = .delivered
        case .queued, .sending, .parked, .accepted: return nil
        }
    }
}
