package import PostgreSQL

extension DatabasePool {
    /// Sentences about tables that say different things of an entry; none while nothing writes.
    package func contradictions() async throws -> [String] {
        var batch = Batch(writes: false)
        batch.add(
            """
            SELECT 'waiting ' || coalesce(entry.state::text, 'nothing')
            FROM sealedpush.waiting LEFT JOIN sealedpush.entry ON id = entry
            WHERE state IS DISTINCT FROM CASE WHEN parked THEN 2 ELSE 0 END OR waiting.due <> entry.due
                OR waiting.lane <> entry.lane OR tried <> (attempts > 0) OR waiting.shard <> id & 255
            UNION ALL
            SELECT 'not waiting' FROM sealedpush.entry
            WHERE state IN (0, 2) AND NOT EXISTS (SELECT FROM sealedpush.waiting WHERE entry = id)
            UNION ALL
            SELECT 'not in flight' FROM sealedpush.entry
            WHERE state = 1 AND NOT EXISTS (SELECT FROM sealedpush.flight WHERE entry = id)
            UNION ALL
            SELECT 'in flight ' || state FROM sealedpush.flight JOIN sealedpush.entry ON id = entry WHERE state <> 1
            UNION ALL
            SELECT 'dead ' || coalesce(state::text, 'nothing') FROM sealedpush.dead LEFT JOIN sealedpush.entry ON id = entry
            WHERE state IS DISTINCT FROM 5
            UNION ALL
            SELECT 'dead unlisted' FROM sealedpush.entry
            WHERE state = 5 AND NOT EXISTS (SELECT FROM sealedpush.dead WHERE entry = id)
            UNION ALL
            SELECT 'payload of ' || coalesce(state::text, 'nothing')
            FROM sealedpush.payload LEFT JOIN sealedpush.entry ON id = entry WHERE state IS NULL OR state IN (3, 4, 6)
            UNION ALL
            SELECT 'no payload' FROM sealedpush.entry
            WHERE state IN (0, 1, 2) AND NOT EXISTS (SELECT FROM sealedpush.payload WHERE entry = id)
            UNION ALL
            SELECT 'count of ' || state || ': ' || coalesce(told, 0) || ' for ' || coalesce(found, 0) FROM (
                SELECT tenant, lane, state, sum(count) AS told FROM sealedpush.tally GROUP BY tenant, lane, state
            ) AS tallies FULL JOIN (
                SELECT tenant, lane, state, count(*) AS found FROM sealedpush.entry GROUP BY tenant, lane, state
            ) AS entries USING (tenant, lane, state) WHERE coalesce(told, 0) <> coalesce(found, 0)
            UNION ALL
            SELECT 'hooks: ' || coalesce(told, 0) || ' for ' || coalesce(found, 0) FROM (
                SELECT tenant, sum(count) AS told FROM sealedpush.hook_tally GROUP BY tenant
            ) AS tallies FULL JOIN (
                SELECT tenant, count(*) AS found FROM sealedpush.hook GROUP BY tenant
            ) AS hooks USING (tenant) WHERE coalesce(told, 0) <> coalesce(found, 0)
            """
        )
        return try await run(batch, within: DatabaseStage.patience)[0].rows.map { try $0.text(0) }
    }
}
