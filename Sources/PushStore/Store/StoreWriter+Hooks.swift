internal import Envelope

extension StoreWriter {
    func report(_ reports: [NewHook], now: Timestamp) throws(StoreError) -> [Bool] {
        for report in reports where !NewHook.detailByteCounts.contains(report.detail.count) {
            throw .byteCount(field: .hookDetail, of: NewHook.detailByteCounts)
        }
        var results: [Bool] = []
        for report in reports { results.append(try self.report(report, now: now)) }
        return results
    }

    private func report(_ report: NewHook, now: Timestamp) throws(StoreError) -> Bool {
        guard let tenant = try tenants.number(report.tenant),
            let owner = try sql("SELECT tenant FROM entry WHERE id = ?").first(
                [.integer(report.entry.value)],
                { $0.integer(0) }
            ), owner == tenant
        else { return false }
        try addHook(report.kind, entry: report.entry.value, tenant: tenant, detail: report.detail, now: now)
        return true
    }

    /// Writes a hook, unless one of its kind waits for the entry. Above the limit the tenant's oldest hooks are
    /// dropped.
    ///
    /// - Parameter detail: of `NewHook.detailByteCounts`.
    func addHook(
        _ kind: HookKind,
        entry: Int64,
        tenant: Int64,
        detail: [UInt8],
        now: Timestamp
    ) throws(StoreError) {
        let added = try sql(
            """
            INSERT INTO hook (id, tenant, entry, kind, detail, created, due, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, 0)
            ON CONFLICT (entry, kind) DO NOTHING
            """
        ).run([
            .integer(nextHookID(milliseconds: now.milliseconds)), .integer(tenant), .integer(entry),
            .integer(Int64(kind.rawValue)), .bytes(detail), now.column, now.column,
        ])
        guard added > 0 else { return }
        let excess = try countHooks(of: tenant, waiting: 1, dropped: 0) - Int64(clamping: settings.hookCountMax)
        guard excess > 0 else { return }
        let droppedCount = try sql(
            "DELETE FROM hook WHERE id IN (SELECT id FROM hook WHERE tenant = ? ORDER BY id LIMIT ?)"
        ).run([.integer(tenant), .integer(excess)])
        try countHooks(of: tenant, waiting: -droppedCount, dropped: droppedCount)
    }

    /// - Returns: tenant's waiting hooks.
    @discardableResult
    func countHooks(of tenant: Int64, waiting: Int, dropped: Int) throws(StoreError) -> Int64 {
        guard waiting != 0 || dropped != 0 else { return 0 }
        return try sql(
            """
            INSERT INTO hook_tally (tenant, count, dropped) VALUES (?, ?, ?)
            ON CONFLICT (tenant) DO UPDATE SET count = count + excluded.count, dropped = dropped + excluded.dropped
            RETURNING count
            """
        ).first([.integer(tenant), .integer(Int64(waiting)), .integer(Int64(dropped))]) { $0.integer(0) } ?? 0
    }

    func leaseHooks(
        _ ids: [Int64],
        by owned: ShardLeases,
        now: Timestamp,
        until: Timestamp
    ) throws(StoreError) -> [Hook] {
        try shards.require(owned)
        var hooks: [Hook] = []
        for id in ids {
            let found = try sql(
                "SELECT tenant, entry, kind, detail, created, attempts FROM hook WHERE id = ? AND due <= ?"
            ).first([.integer(id), now.column]) { row in
                (
                    tenant: row.integer(0), entry: row.integer(1), kind: row.integer(2), detail: row.bytes(3),
                    created: row.integer(4), attempts: row.integer(5)
                )
            }
            guard let found else { continue }
            guard let kind = UInt8(exactly: found.kind).flatMap(HookKind.init), let entry = try entry(found.entry),
                let lease = owned[entry.id.shard]
            else {
                // Damaged: nothing is left to report.
                try endHook(id, isDropped: true)
                continue
            }
            try sql("UPDATE hook SET due = ?, attempts = attempts + 1, epoch = ? WHERE id = ?").run([
                until.column, .integer(lease.epoch), .integer(id),
            ])
            hooks.append(
                Hook(
                    id: id,
                    lease: lease,
                    kind: kind,
                    detail: found.detail,
                    entry: entry,
                    created: Timestamp(column: found.created),
                    attemptCount: Int(clamping: found.attempts)
                )
            )
        }
        return hooks
    }

    @discardableResult
    func finishHooks(_ outcomes: [HookOutcome]) throws(StoreError) -> Int {
        var lateCount = 0
        for outcome in outcomes {
            guard shards.permits(outcome.lease) else {
                lateCount += 1
                continue
            }
            switch outcome.verdict {
            case .done: try endHook(outcome.id, isDropped: false)
            case .retry(let time):
                try sql("UPDATE hook SET due = ?, epoch = NULL WHERE id = ?").run([time.column, .integer(outcome.id)])
            }
        }
        return lateCount
    }

    /// Makes hooks due that an earlier owner of the shards has leased.
    func recoverHooks(of shards: ShardSet, now: Timestamp) throws(StoreError) {
        try sql("UPDATE hook SET due = min(due, ?), epoch = NULL WHERE epoch IS NOT NULL AND \(ShardSet.condition)")
            .run([now.column, shards.value])
    }

    private func endHook(_ id: Int64, isDropped: Bool) throws(StoreError) {
        let tenant = try sql("DELETE FROM hook WHERE id = ? RETURNING tenant").first([.integer(id)]) { $0.integer(0) }
        if let tenant { try countHooks(of: tenant, waiting: -1, dropped: isDropped ? 1 : 0) }
    }

    func replace(_ notes: [NoteChange]) throws(StoreError) -> [[UInt8]]? {
        var present: [[UInt8]] = []
        for note in notes {
            let found = try sql("SELECT bytes FROM note WHERE name = ?").first([.bytes(Array(note.name.utf8))]) {
                $0.bytes(0)
            }
            present.append(found ?? [])
        }
        guard zip(notes, present).allSatisfy({ $0.known == NoteChange.sum($1) }) else { return present }
        for (note, bytes) in zip(notes, present) where note.bytes != bytes { try setNote(note.name, to: note.bytes) }
        return nil
    }

    /// Writes or replaces a note, whole or not at all.
    ///
    /// - Throws: `.byteCount`, and disk errors.
    package func setNote(_ name: String, to bytes: [UInt8]) throws(StoreError) {
        try NoteLimits.check(name)
        guard NoteLimits.byteCounts.contains(bytes.count) else {
            throw .byteCount(field: .note, of: NoteLimits.byteCounts)
        }
        try sql(
            "INSERT INTO note (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes"
        ).run([.bytes(Array(name.utf8)), .bytes(bytes)])
    }
}
