internal import Envelope

/// What somebody waits for about an entry, but a receipt: of one row of `watch`.
struct EntryWatch {
    /// Milliseconds.
    let fallbackAfter: Int64?
    let isReported: Bool
}

extension StoreWriter {
    /// Writes down who waits for what, with the entry.
    ///
    /// Nobody looks whether its hash is there already. A receipt counts for the newest entry with its hash (`StoreReader.claims`).
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

    /// - Returns: whether the entry, as it is in the file, waits for this receipt.
    func isWaiting(_ id: Int64, for hash: [UInt8]) throws(StoreError) -> Bool {
        try sql("SELECT receipt_hash FROM watch WHERE entry = ?").first([.integer(id)]) { $0.holds(hash, in: 0) }
            ?? false
    }

    /// What a dead letter's copy takes over: it carries the same sealed capability, so that receipts are the copy's. The dead
    /// one waits for none any more.
    func takeReceiptHash(of id: EntryID) throws(StoreError) -> [UInt8]? {
        let hash = try sql("SELECT receipt_hash FROM watch WHERE entry = ?").first([.integer(id.value)]) {
            $0.optionalBytes(0)
        }
        guard let hash = hash ?? nil else { return nil }
        try sql("UPDATE watch SET receipt_hash = NULL WHERE entry = ?").run([.integer(id.value)])
        return hash
    }

    /// What follows from an entry's end, in its transaction: a fallback is armed or called off, a hook is written.
    ///
    /// - Parameters:
    ///   - id: the entry, as it is in the file.
    ///   - tenant: its number.
    ///   - state: what it has become; nothing follows from those that are no end.
    ///   - now: from when on its fallback counts.
    /// - Throws: what a disk does.
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

    /// With its entry.
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
    /// nil for what is not told, or no end.
    fileprivate init?(end state: EntryState.Code) {
        switch state {
        case .dead: self = .dead
        case .expired: self = .expired
        case .delivered: self = .delivered
        case .queued, .sending, .parked, .accepted: return nil
        }
    }
}
