internal import PostgreSQL
internal import PushStore

/// Statements about hooks and fallbacks.
enum HookStatements {
    /// Tenants with hooks, one seek each, and the longest due of each. $1 due until, $2 shards, $3 room of each tenant,
    /// $4 and $5 tenants with rooms of their own.
    private static let tenants: StaticString = """
        WITH RECURSIVE known AS (
            (SELECT tenant FROM sealedpush.hook ORDER BY tenant LIMIT 1)
            UNION ALL
            SELECT (
                SELECT hook.tenant FROM sealedpush.hook WHERE hook.tenant > known.tenant ORDER BY hook.tenant LIMIT 1
            ) FROM known WHERE tenant IS NOT NULL
        )
        """
    private static let armedTenants: StaticString = """
        WITH RECURSIVE known AS (
            (SELECT tenant FROM sealedpush.fallback WHERE state = 0 ORDER BY tenant LIMIT 1)
            UNION ALL
            SELECT (
                SELECT fallback.tenant FROM sealedpush.fallback WHERE state = 0 AND fallback.tenant > known.tenant
                ORDER BY fallback.tenant LIMIT 1
            ) FROM known WHERE tenant IS NOT NULL
        )
        """
    private static let room: StaticString = """
        SELECT known.tenant, row.due, row.id, row.shard::int8
        FROM known LEFT JOIN unnest($4, $5) AS own (tenant, room) USING (tenant)
        """

    static let due = Statement(
        joining: tenants,
        room,
        """
        CROSS JOIN LATERAL (
            SELECT due, id, shard FROM sealedpush.hook
            WHERE hook.tenant = known.tenant AND due <= $1 AND shard = ANY ($2)
            ORDER BY due, id LIMIT coalesce(own.room, $3)
        ) AS row WHERE known.tenant IS NOT NULL ORDER BY known.tenant, row.due, row.id
        """
    )
    static let dueFallbacks = Statement(
        joining: armedTenants,
        room,
        """
        CROSS JOIN LATERAL (
            SELECT due, entry AS id, shard FROM sealedpush.fallback
            WHERE fallback.tenant = known.tenant AND state = 0 AND due <= $1 AND shard = ANY ($2)
            ORDER BY due, entry LIMIT coalesce(own.room, $3)
        ) AS row WHERE known.tenant IS NOT NULL ORDER BY known.tenant, row.due, row.id
        """
    )

    /// $1 hooks, $2 epochs of their shards' leases, $3 now, $4 the leases' end.
    static let lease = Statement(
        joining: """
            WITH leased AS (
                UPDATE sealedpush.hook SET due = $4, attempts = attempts + 1, epoch = given.epoch
                FROM unnest($1, $2) AS given (id, epoch) WHERE hook.id = given.id AND hook.due <= $3
                RETURNING hook.id AS hook, hook.entry, hook.kind::int8, hook.detail, hook.created, hook.attempts::int8 - 1
            )
            SELECT leased.*,
            """,
        StoredEntry.columns,
        """
        FROM leased LEFT JOIN LATERAL (
            SELECT * FROM sealedpush.entry WHERE entry.id = leased.entry OFFSET 0
        ) AS entry ON true
        """
    )
    static let leasedColumnCount = 6

    /// Locks owners of shards as `require_leases` does, but refuses nothing.
    static let lockOwners: Statement = """
        SELECT FROM sealedpush.shard WHERE shard = ANY ($1) ORDER BY shard FOR SHARE
        """

    /// Outcomes under leases that hold. $1 counts, $2 hooks, $3 and $4 their leases, $5 due times, -1 for done ones.
    ///
    /// - Returns: number of outcomes under other leases.
    static let finish: Statement = """
        WITH given AS (
            SELECT id, held.shard IS NOT NULL AS holds, given.due
            FROM unnest($2, $3, $4, $5) AS given (id, shard, epoch, due)
            LEFT JOIN sealedpush.shard AS held
                ON held.shard = given.shard AND held.epoch = given.epoch AND held.owner IS NOT NULL
        ), done AS (
            DELETE FROM sealedpush.hook USING given WHERE hook.id = given.id AND holds AND given.due < 0
            RETURNING hook.tenant
        ), retried AS (
            UPDATE sealedpush.hook SET due = given.due, epoch = NULL FROM given
            WHERE hook.id = given.id AND holds AND given.due >= 0
                AND NOT EXISTS (SELECT FROM given AS other WHERE other.id = given.id AND other.holds AND other.due < 0)
        ), counted AS (
            INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
            SELECT $1, tenant, -count(*), 0 FROM done GROUP BY tenant
            ON CONFLICT (relay, tenant) DO UPDATE SET count = hook_tally.count + excluded.count
        )
        SELECT count(*) FROM given WHERE NOT holds
        """

    /// Hooks whose entries are gone or damaged: nothing is left to report. $1 counts, $2 hooks.
    static let drop: Statement = """
        WITH gone AS (DELETE FROM sealedpush.hook WHERE id = ANY ($2) RETURNING tenant)
        INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
        SELECT $1, tenant, -count(*), count(*) FROM gone GROUP BY tenant
        ON CONFLICT (relay, tenant) DO UPDATE
        SET count = hook_tally.count + excluded.count, dropped = hook_tally.dropped + excluded.dropped
        """

    /// Writes hooks. It stands behind a table `told` with ordinal, entry, shard, tenant, kind and detail.
    private static let tell: StaticString = """
        , hooked AS (
            INSERT INTO sealedpush.hook (id, entry, created, due, attempts, shard, kind, tenant, detail)
            SELECT $3 + 65536 * (row_number() OVER (ORDER BY ordinal) - 1), entry, $2, $2, 0, shard, kind, tenant, detail
            FROM told ORDER BY ordinal ON CONFLICT (entry, kind) DO NOTHING RETURNING tenant
        ), counted AS (
            INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
            SELECT $1, tenant, count(*), 0 FROM hooked GROUP BY tenant
            ON CONFLICT (relay, tenant) DO UPDATE SET count = hook_tally.count + excluded.count
        )
        """

    /// After `Conclusion.parameters` tenants, entries, kinds and details.
    ///
    /// - Returns: ordinals of those whose entries exist.
    static let report = Statement(
        joining: """
            WITH told AS (
                SELECT given.ordinal, given.entry, entry.shard, entry.tenant, given.kind, given.detail
                FROM unnest($4, $5, $6, $7) WITH ORDINALITY AS given (tenant, entry, kind, detail, ordinal)
                JOIN sealedpush.entry ON entry.id = given.entry AND entry.tenant = given.tenant
            )
            """,
        tell,
        "SELECT ordinal FROM told"
    )

    // MARK: Fallbacks

    /// $1 entries, $2 their due times.
    static let claim = Statement(
        joining: """
            WITH claimed AS (
                UPDATE sealedpush.fallback SET state = 1 FROM unnest($1, $2) AS given (entry, due)
                WHERE fallback.entry = given.entry AND state = 0 AND fallback.due = given.due
                RETURNING fallback.entry, fallback.due, tried
            )
            SELECT claimed.entry, claimed.due, claimed.tried,
            """,
        StoredEntry.columns,
        """
        FROM claimed LEFT JOIN LATERAL (
            SELECT * FROM sealedpush.entry WHERE entry.id = claimed.entry OFFSET 0
        ) AS entry ON true
        """
    )
    static let claimedColumnCount = 3

    /// Spares those that are being sent.
    static let callOff: Statement = "DELETE FROM sealedpush.fallback WHERE entry = ANY ($1) AND state < 2"

    /// Arms again what was not begun. A claim that still runs, or begins later, names another due time and claims none.
    static let unclaim: Statement = """
        UPDATE sealedpush.fallback SET state = 0, due = due + 1 WHERE entry = ANY ($1) AND state < 2
        """

    /// Behind `lockOwners`. $1 entry, $2 and $3 its lease.
    static let begin: Statement = """
        UPDATE sealedpush.fallback SET state = 2 WHERE entry = $1 AND state = 1
            AND EXISTS (SELECT FROM sealedpush.shard WHERE shard = $2 AND epoch = $3 AND owner IS NOT NULL)
        """

    /// Outcomes under leases that hold. After `Conclusion.parameters` entries, their leases, due times or -1 for ended
    /// ones, times of the first try or -1, kinds of hooks or 0. One whose entry is not accepted any more ends.
    ///
    /// - Returns: number of outcomes under other leases, and tenants of hooks.
    static let finishFallbacks = Statement(
        joining: """
            WITH given AS (
                SELECT ordinal, given.entry, held.shard IS NOT NULL AS holds, given.tried, given.kind,
                    CASE WHEN EXISTS (SELECT FROM sealedpush.entry WHERE entry.id = given.entry AND entry.state = 3)
                        THEN given.due ELSE -1 END AS due
                FROM unnest($4, $5, $6, $7, $8, $9) WITH ORDINALITY
                    AS given (entry, shard, epoch, due, tried, kind, ordinal)
                LEFT JOIN sealedpush.shard AS held
                    ON held.shard = given.shard AND held.epoch = given.epoch AND held.owner IS NOT NULL
            ), armed AS (
                UPDATE sealedpush.fallback SET state = 0, due = given.due, tried = nullif(given.tried, -1) FROM given
                WHERE fallback.entry = given.entry AND holds AND given.due >= 0
            ), ended AS (
                DELETE FROM sealedpush.fallback USING given
                WHERE fallback.entry = given.entry AND holds AND given.due < 0
                RETURNING given.ordinal, fallback.entry, fallback.shard, fallback.tenant, given.kind
            ), told AS (
                SELECT *, ''::bytea AS detail FROM ended WHERE kind > 0
            )
            """,
        tell,
        """
        SELECT (SELECT count(*) FROM given WHERE NOT holds), tenant FROM told
        UNION ALL SELECT (SELECT count(*) FROM given WHERE NOT holds), NULL
        """
    )

    // MARK: Next times

    static let next = Statement(
        joining: tenants,
        """
        SELECT min(row.due) FROM known LEFT JOIN unnest($3, $4) AS own (tenant, room) USING (tenant)
        CROSS JOIN LATERAL (
            SELECT due FROM sealedpush.hook WHERE hook.tenant = known.tenant AND shard = ANY ($1) ORDER BY due LIMIT 1
        ) AS row WHERE known.tenant IS NOT NULL AND coalesce(own.room, $2) > 0
        """
    )
    static let nextFallback = Statement(
        joining: armedTenants,
        """
        SELECT min(row.due) FROM known LEFT JOIN unnest($3, $4) AS own (tenant, room) USING (tenant)
        CROSS JOIN LATERAL (
            SELECT due FROM sealedpush.fallback
            WHERE fallback.tenant = known.tenant AND state = 0 AND shard = ANY ($1) ORDER BY due LIMIT 1
        ) AS row WHERE known.tenant IS NOT NULL AND coalesce(own.room, $2) > 0
        """
    )
}
