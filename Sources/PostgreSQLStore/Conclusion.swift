internal import PostgreSQL
internal import PushStore

/// Consequences of changes of entries' states, in the statement that makes them: lists, payloads, fallbacks, hooks and
/// counts.
///
/// It stands behind `WITH changed AS (…)`, with the columns ordinal, id, shard, tenant, lane_before, before, lane, state,
/// reason, due, deadline, tried, fallback_after and reported. No entry is in `waiting` before and after.
enum Conclusion {
    /// First parameters of each statement.
    static func parameters(_ tally: [UInt8], _ now: Int64, firstHook: Int64) -> [Parameter] {
        [.bytes(tally), .int64(now), .int64(firstHook)]
    }

    /// Distance of hooks' ids within a statement: one number of the relay's sequence.
    static let hookStep: Int64 = 1 << 16

    static let follows: StaticString = """
        , landed AS (
            DELETE FROM sealedpush.flight USING changed WHERE before = 1 AND flight.entry = changed.id
        ), unlisted AS (
            DELETE FROM sealedpush.waiting USING changed WHERE before IN (0, 2) AND waiting.entry = changed.id
        ), listed AS (
            INSERT INTO sealedpush.waiting (entry, due, deadline, shard, lane, parked, tried, tenant)
            SELECT id, due, deadline, shard, lane, state = 2, tried, tenant FROM changed WHERE state IN (0, 2)
        ), died AS (
            INSERT INTO sealedpush.dead (entry, shard, tenant)
            SELECT id, shard, tenant FROM changed WHERE state = 5 ON CONFLICT DO NOTHING
        ), emptied AS (
            DELETE FROM sealedpush.payload USING changed WHERE state IN (3, 4, 6) AND payload.entry = changed.id
        ), armed AS (
            INSERT INTO sealedpush.fallback (entry, due, shard, state, tenant)
            SELECT id, $2 + fallback_after, shard, 0, tenant FROM changed
            WHERE state = 3 AND fallback_after IS NOT NULL ON CONFLICT DO NOTHING
        ), disarmed AS (
            DELETE FROM sealedpush.fallback USING changed
            WHERE changed.state > 3 AND fallback_after IS NOT NULL AND fallback.entry = changed.id AND fallback.state < 2
        ), hooked AS (
            INSERT INTO sealedpush.hook (id, entry, created, due, attempts, shard, kind, tenant, detail)
            SELECT $3 + 65536 * (row_number() OVER (ORDER BY ordinal, id) - 1), id, $2, $2, 0, shard,
                CASE state WHEN 4 THEN 3 WHEN 5 THEN 1 ELSE 2 END, tenant, ''
            FROM changed WHERE reported AND state > 3
            ON CONFLICT (entry, kind) DO NOTHING RETURNING tenant
        ), hooks_counted AS (
            INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
            SELECT $1, tenant, count(*), 0 FROM hooked GROUP BY tenant
            ON CONFLICT (relay, tenant) DO UPDATE SET count = hook_tally.count + excluded.count
        ), counted AS (
            INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
            SELECT $1, tenant, lane, state, sum(change) FROM (
                SELECT tenant, lane_before AS lane, before AS state, -1 AS change FROM changed
                UNION ALL SELECT tenant, lane, state, 1 FROM changed
            ) AS moves GROUP BY tenant, lane, state HAVING sum(change) <> 0
            ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count
        )
        """

    static let result: StaticString = """
        SELECT ordinal, id, state::int8, reason::int8, lane_before::int8, before::int8, lane::int8, tenant FROM changed
        """

    /// - Parameters:
    ///   - $2: bound of a tenant's hooks.
    ///   - $3: tenants.
    static let dropHooks: Statement = """
        WITH gone AS (
            DELETE FROM sealedpush.hook WHERE id IN (
                SELECT oldest.id FROM (
                    SELECT tenant, sum(count) - $2 AS excess FROM sealedpush.hook_tally
                    WHERE tenant = ANY ($3) GROUP BY tenant
                ) AS full_up CROSS JOIN LATERAL (
                    SELECT id FROM sealedpush.hook WHERE hook.tenant = full_up.tenant ORDER BY id LIMIT greatest(excess, 0)
                ) AS oldest
            ) RETURNING tenant
        )
        INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
        SELECT $1, tenant, -count(*), count(*) FROM gone GROUP BY tenant
        ON CONFLICT (relay, tenant) DO UPDATE
        SET count = hook_tally.count + excluded.count, dropped = hook_tally.dropped + excluded.dropped
        """

    /// Attempt's end. From `sending`, if nothing else came between.
    static let settle = Statement(
        joining: """
            WITH changed AS (
                UPDATE sealedpush.entry SET
                    state = given.state, reason = nullif(given.reason, -1), changed = $2, due = given.due,
                    lane = given.lane, attempts = given.total,
                    maybe_duplicate = maybe_duplicate OR given.unknown = 1, outcome_unknown = given.unknown = 1,
                    first_attempt = coalesce(given.first, first_attempt)
                FROM unnest($4, $5, $6, $7, $8, $9, $10, $11, $12, $13) WITH ORDINALITY AS given
                    (id, before, lane_before, lane, state, reason, due, total, unknown, first, ordinal)
                WHERE entry.id = given.id AND entry.state = 1 AND entry.attempts = given.before
                RETURNING given.ordinal, entry.id, entry.shard, entry.tenant, given.lane_before, 1 AS before, entry.lane,
                    entry.state, entry.reason, entry.due, entry.deadline, entry.attempts > 0 AS tried,
                    entry.fallback_after, entry.reported
            )
            """,
        follows,
        result
    )

    /// Wait without an attempt, or its end where the time is over.
    static let postpone = Statement(
        joining: """
            WITH changed AS (
                UPDATE sealedpush.entry SET
                    state = CASE WHEN given.state = 2 OR given.due < deadline THEN given.state
                        WHEN outcome_unknown THEN 5 ELSE 6 END,
                    reason = CASE WHEN given.state = 2 OR given.due < deadline THEN nullif(given.cause, -1)
                        WHEN outcome_unknown THEN 5 END,
                    due = CASE WHEN given.state = 2 OR given.due < deadline THEN given.due ELSE entry.due END,
                    changed = $2
                FROM unnest($4, $5, $6, $7, $8) WITH ORDINALITY AS given (id, before, state, cause, due, ordinal)
                WHERE entry.id = given.id AND entry.state = 1 AND entry.attempts = given.before
                RETURNING given.ordinal, entry.id, entry.shard, entry.tenant, entry.lane AS lane_before, 1 AS before,
                    entry.lane, entry.state, entry.reason, entry.due, entry.deadline, entry.attempts > 0 AS tried,
                    entry.fallback_after, entry.reported
            )
            """,
        follows,
        result
    )

    /// End of leased entries whose time is over.
    static let expireLeased = Statement(
        joining: """
            WITH changed AS (
                UPDATE sealedpush.entry SET
                    state = CASE WHEN outcome_unknown THEN 5 ELSE 6 END,
                    reason = CASE WHEN outcome_unknown THEN 5 END, changed = $2
                FROM unnest($4, $5) WITH ORDINALITY AS given (id, before, ordinal)
                WHERE entry.id = given.id AND entry.state = 0 AND entry.attempts = given.before
                RETURNING given.ordinal, entry.id, entry.shard, entry.tenant, entry.lane AS lane_before, 0 AS before,
                    entry.lane, entry.state, entry.reason, entry.due, entry.deadline, entry.attempts > 0 AS tried,
                    entry.fallback_after, entry.reported
            )
            """,
        follows,
        result
    )

    private static let expireFound: StaticString = """
        , changed AS (
            UPDATE sealedpush.entry SET
                state = CASE WHEN outcome_unknown THEN 5 ELSE 6 END,
                reason = CASE WHEN outcome_unknown THEN 5 END, changed = $2
            FROM found
            WHERE entry.id = found.entry AND entry.state = CASE WHEN found.parked THEN 2 ELSE 0 END
            RETURNING 1::int8 AS ordinal, entry.id, entry.shard, entry.tenant, entry.lane AS lane_before,
                CASE WHEN found.parked THEN 2 ELSE 0 END AS before, entry.lane, entry.state, entry.reason, entry.due,
                entry.deadline, entry.attempts > 0 AS tried, entry.fallback_after, entry.reported, entry.header
        )
        """

    /// End of waiting entries of some shards whose time is over.
    ///
    /// - Returns: headers of all found; NULL for a damaged row.
    static let expire = Statement(
        joining: """
            WITH found AS MATERIALIZED (
                SELECT entry, parked FROM sealedpush.waiting WHERE deadline <= $2 AND shard = ANY ($4)
                ORDER BY deadline LIMIT $5
            )
            """,
        expireFound,
        follows,
        """
        SELECT ordinal, found.entry, state::int8, reason::int8, lane_before::int8, before::int8, lane::int8, tenant, header
        FROM found LEFT JOIN changed ON changed.id = found.entry
        """
    )

    /// End of these entries, if they wait and their time is over.
    static let expireThese = Statement(
        joining: """
            WITH found AS MATERIALIZED (
                SELECT entry, parked FROM sealedpush.waiting WHERE deadline <= $2 AND entry = ANY ($4)
            )
            """,
        expireFound,
        follows,
        result
    )

    /// End of one leased entry, if a newer one with its device, topic and collapse id is in flight, accepted or perhaps
    /// there. APNs and devices show the last push to arrive, not the newest.
    static let supersede = Statement(
        joining: """
            WITH changed AS (
                UPDATE sealedpush.entry SET state = 5, reason = 6, changed = $2
                WHERE entry.id = $4 AND entry.state = 0 AND entry.attempts = $5 AND EXISTS (
                    SELECT FROM sealedpush.entry AS other
                    WHERE other.device = entry.device AND other.id > entry.id AND other.tenant = entry.tenant
                        AND other.collapse = entry.collapse AND (other.state IN (1, 3, 4) OR other.maybe_duplicate)
                )
                RETURNING 1::int8 AS ordinal, entry.id, entry.shard, entry.tenant, entry.lane AS lane_before, 0 AS before,
                    entry.lane, entry.state, entry.reason, entry.due, entry.deadline, entry.attempts > 0 AS tried,
                    entry.fallback_after, entry.reported
            )
            """,
        follows,
        result
    )

    /// End of damaged entries as dead, so that they block nothing.
    static let setAside = Statement(
        joining: """
            WITH found AS MATERIALIZED (
                SELECT id, state, lane FROM sealedpush.entry WHERE id = ANY ($4) AND state <> 5 FOR UPDATE
            ), changed AS (
                UPDATE sealedpush.entry SET state = 5, reason = 4, changed = $2 FROM found WHERE entry.id = found.id
                RETURNING 1::int8 AS ordinal, entry.id, entry.shard, entry.tenant, found.lane AS lane_before,
                    found.state AS before, entry.lane, entry.state, entry.reason, entry.due, entry.deadline,
                    entry.attempts > 0 AS tried, entry.fallback_after, entry.reported
            )
            """,
        follows,
        result
    )

    /// Queued entries are in flight from now on, if their leases hold: the due time changes with each wait.
    static let mark: Statement = """
        WITH changed AS (
            UPDATE sealedpush.entry SET state = 1, changed = $2
            FROM unnest($3, $4, $5) WITH ORDINALITY AS given (id, before, due, ordinal)
            WHERE entry.id = given.id AND entry.state = 0 AND entry.attempts = given.before AND entry.due = given.due
            RETURNING given.ordinal, entry.id, entry.shard, entry.tenant, entry.lane
        ), unlisted AS (
            DELETE FROM sealedpush.waiting USING changed WHERE waiting.entry = changed.id
        ), flown AS (
            INSERT INTO sealedpush.flight (entry, shard) SELECT id, shard FROM changed
        ), counted AS (
            INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
            SELECT $1, tenant, lane, state, sum(change) FROM (
                SELECT tenant, lane, 0 AS state, -1 AS change FROM changed
                UNION ALL SELECT tenant, lane, 1, 1 FROM changed
            ) AS moves GROUP BY tenant, lane, state
            ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count
        )
        SELECT ordinal, tenant, lane::int8 FROM changed
        """
}

/// Row of `Conclusion.result`.
struct StateChange {
    let ordinal: Int64
    let state: EntryState
    let before: Int64
    let laneBefore: Lane
    let lane: Lane
    let tenant: TenantID

    /// - Returns: nil for a damaged row.
    init?(_ row: Row) throws(PostgreSQLError) {
        guard let ordinal = try row.optionalInt64(0), let code = try row.optionalInt64(2),
            let state = EntryState(code: code, reason: try row.optionalInt64(3)),
            let laneBefore = Lane(column: try row.int64(4)), let lane = Lane(column: try row.int64(6)),
            let tenant = try? TenantID(bytes: try row.bytes(7))
        else { return nil }
        self.ordinal = ordinal
        self.state = state
        before = try row.int64(5)
        self.laneBefore = laneBefore
        self.lane = lane
        self.tenant = tenant
    }
}

extension Lane {
    init?(column: Int64) {
        guard let lane = UInt8(exactly: column).flatMap(Lane.init) else { return nil }
        self = lane
    }
}
