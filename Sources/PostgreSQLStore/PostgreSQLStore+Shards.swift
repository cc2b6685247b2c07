package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore {
    package func acquire(
        _ shards: ShardSet,
        for relay: RelayID,
        lasting term: Duration,
        now: Timestamp
    ) async throws(StoreError) -> ShardTakeover {
        let taken: ShardLeases
        do throws(PostgreSQLError) {
            taken = try await table.acquire(shards, for: relay, lasting: term)
        } catch {
            throw StoreError(error)
        }
        guard !taken.isEmpty else {
            return ShardTakeover(leases: taken, interruptedCount: 0, uncertainFallbacks: [])
        }
        owned.withLock { owned in
            for other in owned.keys where other != relay {
                owned[other] = owned[other]?.only(ShardSet.all.subtracting(taken.shards))
            }
            for lease in taken.all { owned[relay, default: ShardLeases(relay: relay)].add(lease) }
        }
        // The caller has no lease yet: what is in flight in these shards is an earlier owner's.
        var (count, last): (Int, Int64?) = (0, .max)
        while let before = last {
            let step = try await recover(taken, below: before, now: now)
            count += step.count
            last = step.last
        }
        let uncertain = try await recoverHooks(taken, now: now)
        return ShardTakeover(leases: taken, interruptedCount: count, uncertainFallbacks: uncertain)
    }

    package func survey(by relay: RelayID, lasting term: Duration) async throws(StoreError) -> ShardSurvey {
        do throws(PostgreSQLError) {
            return try await table.survey(by: relay, lasting: term)
        } catch {
            throw StoreError(error)
        }
    }

    package func renew(_ leases: ShardLeases, lasting term: Duration) async throws(StoreError) -> ShardSet {
        // Leases of a relay with a wrong clock end.
        try await checkClock()
        let lost: ShardSet
        do throws(PostgreSQLError) {
            lost = try await table.renew(leases, lasting: term)
        } catch {
            throw StoreError(error)
        }
        owned.withLock { owned in
            for lease in leases.only(lost).all { owned[leases.relay]?.remove(lease) }
        }
        try await renewNumber()
        try await refreshCounts()
        return lost
    }

    package func giveBack(_ leases: ShardLeases) async throws(StoreError) {
        do throws(PostgreSQLError) {
            try await table.giveBack(leases)
        } catch {
            throw StoreError(error)
        }
        owned.withLock { owned in for lease in leases.all { owned[leases.relay]?.remove(lease) } }
    }

    // MARK: What an earlier owner left

    private static let stepCount: Int64 = 1_000

    private static let flying = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        """
        , flight.entry FROM (
            SELECT entry FROM sealedpush.flight WHERE entry < $1 AND shard = ANY ($2) ORDER BY entry DESC LIMIT $3
        ) AS flight LEFT JOIN LATERAL (
            SELECT * FROM sealedpush.entry WHERE entry.id = flight.entry OFFSET 0
        ) AS entry ON true ORDER BY flight.entry DESC
        """
    )

    /// Settles some entries that are in flight, newest first.
    private func recover(
        _ taken: ShardLeases,
        below last: Int64,
        now: Timestamp
    ) async throws(StoreError) -> (count: Int, last: Int64?) {
        let rows = try await read(
            Self.flying,
            .int64(last),
            .int64s(taken.shards.shards.map { Int64($0.index) }),
            .int64(Self.stepCount)
        )
        var (settled, damaged, gone, end): ([SettledEntry], [Int64], [Int64], Int64?) = ([], [], [], nil)
        try Self.decode { () throws(PostgreSQLError) in
            for row in rows {
                let id = try row.int64(StoredEntry.columnCount)
                end = id
                // A call that found out that it had failed.
                guard try row.optionalInt64(0) != nil else {
                    gone.append(id)
                    continue
                }
                guard let stored = try StoredEntry(row) else {
                    damaged.append(id)
                    continue
                }
                guard stored.entry.state == .sending else {
                    gone.append(id)
                    continue
                }
                let entry = stored.entry
                let settlement = Settlement.afterInterruption(
                    isCollapsible: entry.collapseID != nil,
                    attemptCount: entry.attemptCount + 1,
                    attemptLimit: entry.attemptLimit,
                    deadline: entry.deadline,
                    now: now
                )
                let attempt = Attempt(time: now, connection: .interrupted)
                settled.append(SettledEntry(standing: stored.standing, settlement: settlement, attempts: [attempt]))
            }
        }
        if !settled.isEmpty || !damaged.isEmpty || !gone.isEmpty {
            try await change(under: taken, now: now, hooks: settled.count + damaged.count) {
                [settled, damaged, gone] batch, first in
                batch.add("DELETE FROM sealedpush.flight WHERE entry = ANY ($1)", .int64s(gone))
                if !settled.isEmpty { SettledEntry.add(settled, to: &batch, first, now: now.number) }
                Self.setAside(damaged, first, &batch)
            }
        }
        return (settled.count + damaged.count, rows.count < Self.stepCount ? nil : end)
    }

    private static let uncertain = Statement(
        joining: """
            WITH ended AS (
                DELETE FROM sealedpush.fallback WHERE state = 2 AND shard = ANY ($4) RETURNING entry, shard, tenant
            ), hooked AS (
                INSERT INTO sealedpush.hook (id, entry, created, due, attempts, shard, kind, tenant, detail)
                SELECT $3 + 65536 * (row_number() OVER (ORDER BY entry) - 1), entry, $2, $2, 0, shard, 6, tenant, ''
                FROM ended ON CONFLICT (entry, kind) DO NOTHING RETURNING tenant
            ), counted AS (
                INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
                SELECT $1, tenant, count(*), 0 FROM hooked GROUP BY tenant
                ON CONFLICT (relay, tenant) DO UPDATE SET count = hook_tally.count + excluded.count
            )
            SELECT
            """,
        StoredEntry.columns,
        "FROM ended JOIN sealedpush.entry ON entry.id = ended.entry ORDER BY entry.id"
    )

    /// Makes hooks due that an earlier owner has leased, re-arms fallbacks that it had claimed, and ends those that may
    /// have been sent.
    ///
    /// - Returns: the entries of the ended.
    private func recoverHooks(_ taken: ShardLeases, now: Timestamp) async throws(StoreError) -> [OutboxEntry] {
        let shards = Parameter.int64s(taken.shards.shards.map { Int64($0.index) })
        let sent = try await read(
            "SELECT count(*) FROM sealedpush.fallback WHERE state = 2 AND shard = ANY ($1)",
            shards
        )
        let count = try Self.decode { () throws(PostgreSQLError) in try sent.first?.int64(0) ?? 0 }
        let results = try await fenced(taken.all, now: now, hooks: Int(clamping: count)) { batch, first in
            batch.add(
                """
                UPDATE sealedpush.hook SET due = least(due, $1), epoch = NULL WHERE epoch IS NOT NULL AND shard = ANY ($2)
                """,
                .int64(now.number),
                shards
            )
            batch.add("UPDATE sealedpush.fallback SET state = 0 WHERE state = 1 AND shard = ANY ($1)", shards)
            if count > 0 { batch.add(Self.uncertain, first + [shards]) }
        }
        return count > 0 ? try Self.entries(results.last?.rows ?? []) : []
    }
}
