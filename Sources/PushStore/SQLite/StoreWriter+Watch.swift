internal import Envelope

/// What somebody waits for about an entry: one row of `watch`.
struct EntryWatch {
    /// Of what its device shows; nil when no receipt counts for it.
    let receiptHash: [UInt8]?
    /// Milliseconds.
    let fallbackAfter: Int64?
    let isReported: Bool
}

extension StoreWriter {
    /// Writes down who waits for what, with the entry.
    ///
    /// Where a hash is there already, of any tenant's entry, the first one keeps it, and no receipt ever counts for this one.
    /// Its sender is not told: a receipt's hash is nobody's business but that of who has the capability.
    func watch(_ entry: NewEntry, as id: EntryID) throws(StoreError) {
        guard entry.isWatched else { return }
        let isTaken = try entry.receiptHash.map { hash throws(StoreError) in try watched(hash) != nil } ?? false
        let after = entry.fallbackAfter.map { Timestamp(milliseconds: 0).advanced(by: $0).column }
        try sql("INSERT INTO watch (entry, receipt_hash, fallback_after, reported) VALUES (?, ?, ?, ?)").run([
            .integer(id.value), .optional(isTaken ? nil : entry.receiptHash), after ?? .null,
            .integer(entry.isReported ? 1 : 0),
        ])
    }

    /// - Returns: the entry, as it is in the file, whose device is to show this.
    func watched(_ hash: [UInt8]) throws(StoreError) -> Int64? {
        try sql("SELECT entry FROM watch INDEXED BY watch_receipt WHERE receipt_hash = ?").first([.bytes(hash)]) {
            $0.integer(0)
        }
    }

    /// What a dead letter's copy takes over: it carries the same sealed capability, so that receipts are the copy's.
    func takeWatch(of id: EntryID) throws(StoreError) -> EntryWatch? {
        let watch = try self.watch(of: id.value)
        if watch?.receiptHash != nil {
            try sql("UPDATE watch SET receipt_hash = NULL WHERE entry = ?").run([.integer(id.value)])
        }
        return watch
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
            try sql("UPDATE watch SET fallback_due = ? WHERE entry = ?").run([
                now.advanced(by: .milliseconds(after)).column, .integer(id),
            ])
        case .delivered, .dead, .expired:
            guard let watch = try watch(of: id) else { return }
            if watch.fallbackAfter != nil {
                try sql("UPDATE watch SET fallback_due = NULL WHERE entry = ? AND fallback_due IS NOT NULL").run([
                    .integer(id)
                ])
            }
            guard watch.isReported, let kind = HookKind(end: state) else { return }
            try addHook(kind, entry: id, tenant: tenant, detail: [], now: now)
        }
    }

    /// With its entry.
    func forgetWatch(_ id: Int64, tenant: Int64) throws(StoreError) {
        try sql("DELETE FROM watch WHERE entry = ?").run([.integer(id)])
        let hookCount = try sql("DELETE FROM hook WHERE entry = ?").run([.integer(id)])
        try countHooks(of: tenant, waiting: -hookCount, dropped: hookCount)
    }

    private func watch(of id: Int64) throws(StoreError) -> EntryWatch? {
        try sql("SELECT receipt_hash, fallback_after, reported FROM watch WHERE entry = ?").first([.integer(id)]) {
            row in
            EntryWatch(
                receiptHash: row.optionalBytes(0),
                fallbackAfter: row.optionalInteger(1),
                isReported: row.integer(2) != 0
            )
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
