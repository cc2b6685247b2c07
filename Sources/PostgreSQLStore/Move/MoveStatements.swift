internal import PostgreSQL
internal import PushStore

/// Inserts of copied rows, with the columns of `CopiedTable.select` and what `MovedRow` adds. What is there stays.
enum MoveStatements {
    static func integers(_ table: CopiedTable) -> Set<Int> {
        switch table {
        case .devices: [3, 6, 9, 14, 15, 16, 18, 20]
        case .attested: [4, 5, 6]
        case .endpoints: [3, 5, 6, 7, 8]
        case .records: [2]
        case .gateway: [2, 3, 4, 5]
        case .blocks: [2]
        case .entries: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 20, 21, 23, 24, 25]
        case .attempts: [0, 1, 2, 3, 4]
        case .requests: [3]
        case .hooks: [0, 2, 3, 5, 6, 7]
        case .hookDrops: [1]
        case .fallbacks: [0, 2, 3, 4]
        case .notes: []
        }
    }

    static func inserts(_ table: CopiedTable) -> [Statement] {
        switch table {
        case .devices: [devices]
        case .attested: [attested]
        case .endpoints: [endpoints]
        case .records: [records]
        case .gateway: [gateway]
        case .blocks: [blocks]
        case .entries: [entries]
        case .attempts: [attempts]
        case .requests: [requests]
        case .hooks: [hooks]
        case .hookDrops: [hookDrops]
        case .fallbacks: [fallbacks]
        case .notes: [notes]
        }
    }

    /// Counts at the end, under no relay's name: the first purge merges them.
    static let counts: [Statement] = [
        """
        INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
        SELECT '', tenant, lane, state, count(*) FROM sealedpush.entry GROUP BY tenant, lane, state
        ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = excluded.count
        """,
        """
        INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
        SELECT '', tenant, count(*), 0 FROM sealedpush.hook GROUP BY tenant
        ON CONFLICT (relay, tenant) DO UPDATE SET count = excluded.count
        """,
    ]

    private static let devices: Statement = """
        WITH given AS MATERIALIZED (
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21) AS given (tenant, id, topic, environment, token, fingerprint, quarantine, voip_token,
                voip_fingerprint, voip_quarantine, extra_tokens, language, region, app_version, registered, seen,
                reached, endpoint_key, enrolled, bundle, shard)
        ), made AS (
            INSERT INTO sealedpush.device (tenant, shard, id, revision, topic, environment, token, fingerprint, quarantine,
                voip_token, voip_fingerprint, voip_quarantine, extra_tokens, language, region, app_version, registered,
                seen, reached, endpoint_key, enrolled)
            SELECT tenant, shard, id, 1, topic, environment, token, fingerprint, quarantine, voip_token, voip_fingerprint,
                voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached <> 0, endpoint_key,
                enrolled FROM given
            ON CONFLICT (tenant, shard, id) DO NOTHING
        )
        INSERT INTO sealedpush.bundle (tenant, shard, id, bytes)
        SELECT tenant, shard, id, bundle FROM given WHERE bundle IS NOT NULL ON CONFLICT DO NOTHING
        """
    private static let attested: Statement = """
        INSERT INTO sealedpush.attested (tenant, id, key_id, public_key, counter, challenged, shard)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
        """
    private static let endpoints: Statement = """
        INSERT INTO sealedpush.endpoint (tenant, id, hash, created, vapid, accepted, refused, expiry, shard)
        SELECT tenant, id, hash, created, vapid, accepted, refused, nullif(expiry, -1), shard
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
            AS given (tenant, id, hash, created, vapid, accepted, refused, expiry, shard)
        ON CONFLICT DO NOTHING
        """
    private static let records: Statement = """
        INSERT INTO sealedpush.record (name, endpoint, expiry, bytes)
        SELECT name, endpoint, expiry, bytes
        FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS given (name, endpoint, expiry, bytes, ordinal)
        ORDER BY ordinal ON CONFLICT DO NOTHING
        """
    private static let gateway: Statement = """
        INSERT INTO sealedpush.gateway (tenant, topic, environment, devices, accepted, refused)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
        """
    private static let blocks: Statement = """
        INSERT INTO sealedpush.endpoint_block (tenant, id, created) SELECT * FROM unnest($1, $2, $3) ON CONFLICT DO NOTHING
        """

    /// The smallest number stands for NULL.
    private static let entries: Statement = """
        WITH given AS MATERIALIZED (
            SELECT *, id & 255 AS shard FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27) AS given (id, tenant, lane, state, reason, attempts,
                attempt_limit, due, deadline, created, changed, maybe_duplicate, receipt, apns_id, trace, header, checksum,
                replayed_as, first_attempt, receipt_hash, fallback_after, reported, payload, unknown, tried, device,
                collapse)
        ), entered AS (
            INSERT INTO sealedpush.entry (id, due, deadline, created, changed, device, checksum, receipt, replayed_as,
                fallback_after, attempts, attempt_limit, shard, lane, state, reason, maybe_duplicate, outcome_unknown,
                reported, tenant, apns_id, trace, collapse, header, first_attempt)
            SELECT id, due, deadline, created, changed, device, checksum, nullif(receipt, -9223372036854775808),
                nullif(replayed_as, -9223372036854775808), nullif(fallback_after, -9223372036854775808), attempts,
                nullif(attempt_limit, -9223372036854775808), shard, lane, state, nullif(reason, -9223372036854775808),
                maybe_duplicate <> 0, unknown <> 0, reported <> 0, tenant, apns_id, trace, collapse, header, first_attempt
            FROM given ON CONFLICT DO NOTHING
        ), loaded AS (
            INSERT INTO sealedpush.payload (entry, bytes) SELECT id, payload FROM given WHERE payload IS NOT NULL
            ON CONFLICT DO NOTHING
        ), listed AS (
            INSERT INTO sealedpush.waiting (entry, due, deadline, shard, lane, parked, tried, tenant)
            SELECT id, due, deadline, shard, lane, state = 2, tried <> 0, tenant FROM given WHERE state IN (0, 2)
            ON CONFLICT DO NOTHING
        ), died AS (
            INSERT INTO sealedpush.dead (entry, shard, tenant) SELECT id, shard, tenant FROM given WHERE state = 5
            ON CONFLICT DO NOTHING
        )
        INSERT INTO sealedpush.receipt (entry, shard, tenant, hash)
        SELECT id, shard, tenant, receipt_hash FROM given WHERE receipt_hash IS NOT NULL ON CONFLICT DO NOTHING
        """
    private static let attempts: Statement = """
        INSERT INTO sealedpush.attempt (entry, ordinal, time, connection, status, reason, unique_id)
        SELECT entry, ordinal, time, connection, nullif(status, -9223372036854775808), reason, unique_id
        FROM unnest($1, $2, $3, $4, $5, $6, $7) AS given (entry, ordinal, time, connection, status, reason, unique_id)
        WHERE EXISTS (SELECT FROM sealedpush.entry WHERE entry.id = given.entry) ON CONFLICT DO NOTHING
        """
    private static let requests: Statement = """
        INSERT INTO sealedpush.request (tenant, key, digest, created, entries, rejected, places)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
        """
    private static let hooks: Statement = """
        INSERT INTO sealedpush.hook (id, tenant, entry, kind, detail, created, due, attempts, shard)
        SELECT id, tenant, entry, kind, detail, created, due, attempts, entry & 255
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS given (id, tenant, entry, kind, detail, created, due, attempts)
        ON CONFLICT DO NOTHING
        """
    private static let hookDrops: Statement = """
        INSERT INTO sealedpush.hook_tally (relay, tenant, count, dropped)
        SELECT '', tenant, 0, dropped FROM unnest($1, $2) AS given (tenant, dropped)
        ON CONFLICT DO NOTHING
        """
    private static let fallbacks: Statement = """
        INSERT INTO sealedpush.fallback (entry, tenant, state, due, tried, shard)
        SELECT entry, tenant, state, due, nullif(tried, -9223372036854775808), entry & 255
        FROM unnest($1, $2, $3, $4, $5) AS given (entry, tenant, state, due, tried) ON CONFLICT DO NOTHING
        """
    private static let notes: Statement = """
        INSERT INTO sealedpush.note (name, bytes) SELECT * FROM unnest($1, $2) ON CONFLICT DO NOTHING
        """
}
