package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

/// Purge by days, where all of a day has ended, and by rows elsewhere.
extension PostgreSQLStore {
    /// Entries read in one transaction.
    private static let lookCountMax: Int64 = 4_096

    /// Reads ids in order, which is that of time: newer ones, which cannot have ended, stay unread. $4 after, $5 before,
    /// $6 shards, $7 ended before, $8 limit, $9 entries read.
    private static let purge = Statement(
        joining: """
            WITH looked AS MATERIALIZED (
                SELECT id, tenant, lane, state, shard, changed FROM sealedpush.entry
                WHERE id > $4 AND id < $5 ORDER BY id LIMIT $9
            ), old AS MATERIALIZED (
                SELECT id, tenant, lane, state FROM looked
                WHERE state >= 3 AND changed < $7 AND shard = ANY ($6) ORDER BY id LIMIT $8
            ), gone AS (
                DELETE FROM sealedpush.entry USING old WHERE entry.id = old.id AND entry.state = old.state
                RETURNING entry.id, entry.tenant, entry.lane, entry.state
            ), unloaded AS (
                DELETE FROM sealedpush.payload USING gone WHERE payload.entry = gone.id
            ), untried AS (
                DELETE FROM sealedpush.attempt USING gone WHERE attempt.entry = gone.id
            ), buried AS (
                DELETE FROM sealedpush.dead USING gone WHERE dead.entry = gone.id AND dead.tenant = gone.tenant
            ), unawaited AS (
                DELETE FROM sealedpush.receipt USING gone WHERE receipt.entry = gone.id
            ), disarmed AS (
                DELETE FROM sealedpush.fallback USING gone WHERE fallback.entry = gone.id
            ), unhooked AS (
                DELETE FROM sealedpush.hook USING gone WHERE hook.entry = gone.id RETURNING hook.tenant
            ), hooks_counted AS (
                INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
                SELECT $1, tenant, -count(*), count(*) FROM unhooked GROUP BY tenant
                ON CONFLICT (relay, tenant) DO UPDATE
                SET count = hook_tally.count + excluded.count, dropped = hook_tally.dropped + excluded.dropped
            ), counted AS (
                INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
                SELECT $1, tenant, lane, state, -count(*) FROM gone WHERE $2::int8 IS NOT NULL AND $3::int8 IS NOT NULL
                GROUP BY tenant, lane, state
                ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count
            )
            SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM looked), (SELECT max(id) FROM looked),
                (SELECT max(id) FROM old)
            """
    )

    package func purge(_ shards: ShardSet, endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try await forgetOpenRequests(before: time)
        var count = try await dropDays(endedBefore: time)
        // Continues after the last limit, so that not every call reads the waiting entries.
        var last: Int64? = purgePositions.withLock { $0[shards] ?? 0 }
        let newest = EntrySequence.last(before: time.milliseconds) << 8
        while let after = last, count < limit {
            let slot = slots.withLock { $0.take() }
            defer { slots.withLock { $0.end(slot) } }
            var batch = Batch(writes: true)
            batch.add(
                Self.purge,
                Conclusion.parameters(tally(slot), time.number, firstHook: 0) + [
                    .int64(after), .int64(newest), .int64s(shards.shards.map { Int64($0.index) }), .int64(time.number),
                    .int64(Int64(limit - count)), .int64(Self.lookCountMax),
                ]
            )
            let rows = try await run(batch)[0].rows
            try Self.decode { () throws(PostgreSQLError) in
                guard let row = rows.first else { return }
                let purged = Int(clamping: try row.int64(0))
                count += purged
                last =
                    count >= limit
                    ? try row.optionalInt64(3)
                    : try row.int64(1) < Self.lookCountMax ? nil : try row.optionalInt64(2)
            }
        }
        purgePositions.withLock { [last] in $0[shards] = last }
        try await forgetRequests(before: time, limit: limit)
        try await dropEndpoints(expiredAt: time, limit: limit)
        try await mergeTallies()
        return count
    }

    /// Before its entries: a repetition would miss them, and store them again.
    private func forgetOpenRequests(before time: Timestamp) async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add("DELETE FROM sealedpush.request WHERE places IS NOT NULL AND created < $1", .int64(time.number))
        _ = try await run(batch)
    }

    private func forgetRequests(before time: Timestamp, limit: Int) async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add(
            """
            DELETE FROM sealedpush.request WHERE (tenant, key) IN (
                SELECT tenant, key FROM sealedpush.request WHERE created < $1 ORDER BY created LIMIT $2 FOR UPDATE SKIP LOCKED
            )
            """,
            .int64(time.number),
            .int64(Int64(limit))
        )
        _ = try await run(batch)
    }

    /// Adds the counts of relays that are gone to one row of this relay's.
    private func mergeTallies() async throws(StoreError) {
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var batch = Batch(writes: true)
        let own = Parameter.bytes(tally(slot))
        batch.add(
            """
            WITH gone AS (
                DELETE FROM sealedpush.tally WHERE NOT EXISTS (
                    SELECT FROM sealedpush.number
                    WHERE number.relay = substr(tally.relay, 1, 16) AND until > sealedpush.lease_clock()
                ) AND relay <> $1 RETURNING tenant, lane, state, count
            )
            INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
            SELECT $1, tenant, lane, state, sum(count) FROM gone GROUP BY tenant, lane, state
            ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count
            """,
            own
        )
        batch.add(
            """
            WITH gone AS (
                DELETE FROM sealedpush.hook_tally WHERE NOT EXISTS (
                    SELECT FROM sealedpush.number
                    WHERE number.relay = substr(hook_tally.relay, 1, 16) AND until > sealedpush.lease_clock()
                ) AND relay <> $1 RETURNING tenant, count, dropped
            )
            INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
            SELECT $1, tenant, sum(count), sum(dropped) FROM gone GROUP BY tenant
            ON CONFLICT (relay, tenant) DO UPDATE
            SET count = hook_tally.count + excluded.count, dropped = hook_tally.dropped + excluded.dropped
            """,
            own
        )
        _ = try await run(batch)
    }

    // MARK: Days

    /// Days whose tables are there, and whether they are detached, or were about to be.
    private static let days: Statement = """
        SELECT substr(relname::text, 7)::int8, inhrelid IS NOT NULL, coalesce(inhdetachpending, false)
        FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
        WHERE relnamespace = 'sealedpush'::regnamespace AND relkind = 'r' AND relname ~ '^entry_[0-9]{1,9}$' ORDER BY 1
        """

    /// Drops days in which nothing lives.
    ///
    /// A day is detached from `entry` first, so that no relay can change anything in it, and then looked at: one with an
    /// entry that lives after all comes back.
    ///
    /// - Returns: number of entries in them.
    private func dropDays(endedBefore time: Timestamp) async throws(StoreError) -> Int {
        let rows = try await read(Self.days)
        let found = try Self.decode { () throws(PostgreSQLError) in
            var found: [(day: Int64, isAttached: Bool, isPending: Bool)] = []
            for row in rows { found.append((try row.int64(0), try row.bool(1), try row.bool(2))) }
            return found
        }
        let end = IDSource.day(at: time.milliseconds)
        var count = 0
        for (day, isAttached, isPending) in found where day < end {
            if isAttached {
                let isOver = isPending ? true : try await isOver(day, before: time)
                guard isOver, try await detach(day, isPending: isPending) else { continue }
            }
            count += try await drop(day, before: time)
        }
        return count
    }

    /// - Returns: false if another relay does it.
    private func detach(_ day: Int64, isPending: Bool) async throws(StoreError) -> Bool {
        var batch = Batch(writes: true)
        batch.add(
            isPending
                ? Statement(
                    once: "ALTER TABLE sealedpush.entry DETACH PARTITION sealedpush.entry_# FINALIZE",
                    number: day
                )
                : Statement(
                    once: "ALTER TABLE sealedpush.entry DETACH PARTITION sealedpush.entry_# CONCURRENTLY",
                    number: day
                )
        )
        do throws(PostgreSQLError) {
            _ = try await pool.run(batch, within: settings.callTime)
            return true
        } catch .broken(.schemaMismatch), .notDone(.refused), .notDone(.lockNotAvailable) {
            return false
        } catch {
            throw StoreError(error)
        }
    }

    /// True if all entries of a day ended before then, and no fallback or hook needs one of them.
    private func isOver(_ day: Int64, before time: Timestamp) async throws(StoreError) -> Bool {
        let rows = try await read(
            """
            SELECT NOT EXISTS (
                SELECT FROM sealedpush.entry WHERE id >= $1 AND id < $2 AND (state < 3 OR changed >= $3)
            ) AND NOT EXISTS (SELECT FROM sealedpush.fallback WHERE entry >= $1 AND entry < $2)
            AND NOT EXISTS (SELECT FROM sealedpush.hook WHERE entry >= $1 AND entry < $2)
            """,
            .int64(IDSource.start(of: day)),
            .int64(IDSource.start(of: day + 1)),
            .int64(time.number)
        )
        return try Self.decode { () throws(PostgreSQLError) in try rows.first?.bool(0) ?? false }
    }

    /// Drops a detached day with its counts, or attaches it again. $1 tally key, $2 day, $3 time; in one transaction.
    private func drop(_ day: Int64, before time: Timestamp) async throws(StoreError) -> Int {
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var batch = Batch(writes: true)
        batch.add(
            "SELECT sealedpush.drop_day($1, $2, $3)",
            .bytes(tally(slot)),
            .int64(day),
            .int64(time.number)
        )
        let rows = try await run(batch)[0].rows
        let count = try Self.decode { () throws(PostgreSQLError) in try rows.first?.int64(0) ?? 0 }
        ids.withLock { $0.forget(day) }
        return Int(clamping: count)
    }
}
