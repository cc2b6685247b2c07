internal import Envelope

struct PurgeStep: Sendable {
    let purgedCount: Int
    /// As in the file; nil at the end.
    let lastID: Int64?
}

extension StoreWriter {
    /// Deletes entries that ended before `time`, in the order of ids, which is that of time. Newer ones, which cannot
    /// have ended, stay unread.
    ///
    /// - Parameter lastID: end of the step before; 0 for the first.
    func purge(
        _ shards: ShardSet,
        endedBefore time: Timestamp,
        after lastID: Int64,
        limit: Int
    ) throws(StoreError) -> PurgeStep {
        // Before its entries: a repetition would miss them, and store them again.
        try sql("DELETE FROM request WHERE places IS NOT NULL AND created < ?").run([time.column])
        // Ids ahead of the clock do not tell an entry's age: then all are read.
        let newest = isAheadOfClock ? .max : EntrySequence.last(before: time.milliseconds) << 8
        let found = try sql(
            """
            SELECT id, tenant, lane, state, attempts <= (first_attempt IS NOT NULL), changed FROM entry
            WHERE id > ? AND id < ? ORDER BY id LIMIT ?
            """
        ).all([.integer(lastID), .integer(newest), .integer(Int64(Self.lookCountMax))]) { row in
            (
                id: row.integer(0), tenant: row.integer(1), lane: row.integer(2), state: row.integer(3),
                hasNoMoreAttempts: row.integer(4) != 0, changed: row.integer(5)
            )
        }
        var purgedCount = 0
        for (id, tenant, lane, state, hasNoMoreAttempts, changed) in found where shards.contains(entry: id) {
            guard state >= EntryState.Code.accepted.rawValue, changed < time.number else { continue }
            if purgedCount == limit { return PurgeStep(purgedCount: purgedCount, lastID: id - 1) }
            purgedCount += 1
            // Other entries lost their payload when they ended.
            if state == EntryState.Code.dead.rawValue {
                try deletePayload(id)
                try sql("DELETE FROM dead WHERE tenant = ? AND entry = ?").run([.integer(tenant), .integer(id)])
            }
            if !hasNoMoreAttempts { try sql("DELETE FROM attempt WHERE entry = ?").run([.integer(id)]) }
            try sql("DELETE FROM entry WHERE id = ?").run([.integer(id)])
            try forgetWatch(id, tenant: tenant)
            guard let lane = UInt8(exactly: lane).flatMap(Lane.init) else { continue }
            tallies.move(tenant: tenant, lane: lane, from: EntryState.Code(rawValue: state), to: nil)
        }
        return PurgeStep(purgedCount: purgedCount, lastID: found.count < Self.lookCountMax ? nil : found.last?.id)
    }

    /// Entries read in one transaction, which delays others.
    private static var lookCountMax: Int { 4_096 }

    /// Ends a purge: deletes old idempotency keys, at most `limit`, and an obsolete run of each index.
    func purgeRest(before time: Timestamp, limit: Int) throws(StoreError) {
        try sql(
            """
            DELETE FROM request WHERE (tenant, key) IN
                (SELECT tenant, key FROM request WHERE created < ? ORDER BY created LIMIT ?)
            """
        ).run([time.column, .integer(Int64(limit))])
        try dropRecords(expiredAt: time, limit: limit)
        try dropEndpoints(expiredAt: time, limit: limit)
        try forgetRun(.trace)
        try forgetRun(.device)
        try forgetRun(.apnsID)
        try receiptRuns.step()
    }

    private func forgetRun(_ kind: TraceIndexKind) throws(StoreError) {
        let run = try sql(
            "SELECT min(id) FROM \(kind.runs) WHERE id < coalesce((SELECT min(id) FROM entry), 0x7FFFFFFFFFFFFFFF)"
        ).first([]) { $0.optionalInteger(0) }
        guard let run = run ?? nil else { return }
        try sql("DELETE FROM \(kind.chunks) WHERE run = ?").run([.integer(run)])
        try sql("DELETE FROM \(kind.runs) WHERE id = ?").run([.integer(run)])
    }
}
