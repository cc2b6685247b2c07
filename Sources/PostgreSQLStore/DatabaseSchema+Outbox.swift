internal import PostgreSQL

/// Notifications, and all that belongs to them.
///
/// `entry`, `payload`, `attempt`, `dead` and `receipt` are divided into days by the entry's id, which tells its time
/// (`EntrySequence`); `make_day` makes a day's tables before its first entry. There is no default partition: with one
/// PostgreSQL detaches no partition concurrently.
///
/// `waiting` has queued and parked entries, `flight` those in flight, `dead` the dead letters: a change of state
/// touches no index of `entry`, whose rows are updated in place.
extension DatabaseSchema {
    static let outbox: [Statement] = relays + entries + lists + requests + days

    private static let relays: [Statement] = [
        // Facts about the whole store: a check of its key.
        Statement(once: "CREATE TABLE sealedpush.meta (name bytea PRIMARY KEY, value bytea NOT NULL)"),
        // Locked first by each change of days.
        Statement(once: "INSERT INTO sealedpush.meta (name, value) VALUES ('days', '')"),
        // Numbers in the ids that a relay issues; two living relays never have the same.
        Statement(
            once: """
                CREATE TABLE sealedpush.number (number int8 PRIMARY KEY, relay bytea, until int8 NOT NULL)
                """
        ),
        Statement(
            once: """
                INSERT INTO sealedpush.number (number, until) SELECT number, 0 FROM generate_series(0, 255) AS number
                """
        ),
    ]

    private static let entries: [Statement] = [
        Statement(
            once: """
                CREATE TABLE sealedpush.entry (
                    id int8 NOT NULL,
                    due int8 NOT NULL,
                    deadline int8 NOT NULL,
                    created int8 NOT NULL,
                    changed int8 NOT NULL,
                    device int8 NOT NULL,
                    checksum int8 NOT NULL,
                    receipt int8,
                    replayed_as int8,
                    fallback_after int8,
                    attempts int4 NOT NULL,
                    attempt_limit int4,
                    shard int2 NOT NULL,
                    lane int2 NOT NULL,
                    state int2 NOT NULL,
                    reason int2,
                    maybe_duplicate bool NOT NULL,
                    outcome_unknown bool NOT NULL,
                    reported bool NOT NULL,
                    tenant bytea NOT NULL,
                    apns_id bytea NOT NULL,
                    trace bytea,
                    collapse bytea,
                    header bytea NOT NULL,
                    first_attempt bytea,
                    PRIMARY KEY (id)
                ) PARTITION BY RANGE (id)
                """
        ),
        Statement(once: "CREATE INDEX entry_device ON sealedpush.entry (device, id)"),
        Statement(once: "CREATE INDEX entry_apns_id ON sealedpush.entry (apns_id)"),
        Statement(once: "CREATE INDEX entry_trace ON sealedpush.entry (trace) WHERE trace IS NOT NULL"),
        Statement(
            once: """
                CREATE TABLE sealedpush.payload (entry int8 NOT NULL PRIMARY KEY, bytes bytea NOT NULL)
                PARTITION BY RANGE (entry)
                """
        ),
        // They are encrypted, and do not compress.
        Statement(once: "ALTER TABLE sealedpush.payload ALTER COLUMN bytes SET STORAGE EXTERNAL"),
        Statement(
            once: """
                CREATE TABLE sealedpush.attempt (
                    entry int8 NOT NULL,
                    time int8 NOT NULL,
                    ordinal int4 NOT NULL,
                    connection int2 NOT NULL,
                    status int2,
                    reason bytea,
                    unique_id bytea,
                    PRIMARY KEY (entry, ordinal)
                ) PARTITION BY RANGE (entry)
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.dead (
                    entry int8 NOT NULL,
                    shard int2 NOT NULL,
                    tenant bytea NOT NULL,
                    PRIMARY KEY (tenant, entry)
                ) PARTITION BY RANGE (entry)
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.receipt (
                    entry int8 NOT NULL,
                    shard int2 NOT NULL,
                    tenant bytea NOT NULL,
                    hash bytea NOT NULL,
                    PRIMARY KEY (hash, entry)
                ) PARTITION BY RANGE (entry)
                """
        ),
        Statement(once: "CREATE INDEX receipt_entry ON sealedpush.receipt (entry)"),
    ]

    private static let lists: [Statement] = [
        Statement(
            once: """
                CREATE TABLE sealedpush.waiting (
                    entry int8 PRIMARY KEY,
                    due int8 NOT NULL,
                    deadline int8 NOT NULL,
                    shard int2 NOT NULL,
                    lane int2 NOT NULL,
                    parked bool NOT NULL,
                    tried bool NOT NULL,
                    tenant bytea NOT NULL
                ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)
                """
        ),
        Statement(
            once: """
                CREATE INDEX waiting_queue ON sealedpush.waiting (lane, tenant, tried, due, entry) WHERE NOT parked
                """
        ),
        Statement(once: "CREATE INDEX waiting_parked ON sealedpush.waiting (tenant, entry) WHERE parked"),
        Statement(once: "CREATE INDEX waiting_deadline ON sealedpush.waiting (deadline)"),
        Statement(
            once: """
                CREATE TABLE sealedpush.flight (entry int8 PRIMARY KEY, shard int2 NOT NULL)
                WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.fallback (
                    entry int8 PRIMARY KEY,
                    due int8 NOT NULL,
                    tried int8,
                    shard int2 NOT NULL,
                    state int2 NOT NULL,
                    tenant bytea NOT NULL
                )
                """
        ),
        Statement(once: "CREATE INDEX fallback_due ON sealedpush.fallback (tenant, due) WHERE state = 0"),
        Statement(
            once: """
                CREATE TABLE sealedpush.hook (
                    id int8 PRIMARY KEY,
                    entry int8 NOT NULL,
                    created int8 NOT NULL,
                    due int8 NOT NULL,
                    epoch int8,
                    attempts int4 NOT NULL,
                    shard int2 NOT NULL,
                    kind int2 NOT NULL,
                    tenant bytea NOT NULL,
                    detail bytea NOT NULL,
                    UNIQUE (entry, kind)
                )
                """
        ),
        Statement(once: "CREATE INDEX hook_due ON sealedpush.hook (tenant, due)"),
        Statement(once: "CREATE INDEX hook_age ON sealedpush.hook (tenant, id)"),
        Statement(once: "CREATE TABLE sealedpush.note (name bytea PRIMARY KEY, bytes bytea NOT NULL)"),
    ]

    private static let requests: [Statement] = [
        Statement(
            once: """
                CREATE TABLE sealedpush.request (
                    created int8 NOT NULL,
                    tenant bytea NOT NULL,
                    key bytea NOT NULL,
                    digest bytea NOT NULL,
                    entries bytea NOT NULL,
                    places bytea,
                    rejected bytea,
                    PRIMARY KEY (tenant, key)
                )
                """
        ),
        Statement(once: "CREATE INDEX request_created ON sealedpush.request (created)"),
        // The count of a tenant is the sum over relays: no two relays write one row.
        Statement(
            once: """
                CREATE TABLE sealedpush.tally (
                    count int8 NOT NULL,
                    lane int2 NOT NULL,
                    state int2 NOT NULL,
                    relay bytea NOT NULL,
                    tenant bytea NOT NULL,
                    PRIMARY KEY (relay, tenant, lane, state)
                ) WITH (fillfactor = 50)
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.hook_tally (
                    count int8 NOT NULL,
                    dropped int8 NOT NULL,
                    relay bytea NOT NULL,
                    tenant bytea NOT NULL,
                    PRIMARY KEY (relay, tenant)
                ) WITH (fillfactor = 50)
                """
        ),
    ]

    private static let days: [Statement] = [
        // Milliseconds of a day, in ids.
        Statement(
            once: """
                CREATE FUNCTION sealedpush.day_length() RETURNS int8 LANGUAGE sql IMMUTABLE
                AS 'SELECT 86400000::int8 << 21'
                """
        ),
        // To attach a table locks out no reader and no writer; to create it as a partition would.
        Statement(
            once: """
                CREATE FUNCTION sealedpush.make_day(day int8) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
                DECLARE
                    parent text;
                    options text;
                BEGIN
                    PERFORM FROM sealedpush.meta WHERE name = 'days' FOR UPDATE;
                    FOREACH parent IN ARRAY ARRAY['entry', 'payload', 'attempt', 'dead', 'receipt'] LOOP
                        CONTINUE WHEN to_regclass(format('sealedpush.%I', parent || '_' || day)) IS NOT NULL;
                        options := CASE parent
                            WHEN 'entry' THEN 'WITH (fillfactor = 80)'
                            WHEN 'payload' THEN 'WITH (toast_tuple_target = 8160)'
                            ELSE '' END;
                        EXECUTE format(
                            'CREATE TABLE sealedpush.%I (LIKE sealedpush.%I INCLUDING ALL) %s',
                            parent || '_' || day, parent, options
                        );
                        EXECUTE format(
                            'ALTER TABLE sealedpush.%I ATTACH PARTITION sealedpush.%I FOR VALUES FROM (%s) TO (%s)',
                            parent, parent || '_' || day,
                            day * sealedpush.day_length(), (day + 1) * sealedpush.day_length()
                        );
                    END LOOP;
                END
                $$
                """
        ),
        // A day that is detached from `entry`. Its other tables follow in the transaction that drops them: they are
        // read and written by way of an entry alone.
        Statement(
            once: """
                CREATE FUNCTION sealedpush.drop_day(tally bytea, day int8, ended int8) RETURNS int8 LANGUAGE plpgsql VOLATILE
                AS $$
                DECLARE
                    parent text;
                    lives bool;
                    dropped int8;
                BEGIN
                    PERFORM FROM sealedpush.meta WHERE name = 'days' FOR UPDATE;
                    IF to_regclass(format('sealedpush.%I', 'entry_' || day)) IS NULL THEN
                        RETURN 0;
                    END IF;
                    EXECUTE format(
                        'SELECT EXISTS (SELECT FROM sealedpush.%I WHERE state < 3 OR changed >= $1)', 'entry_' || day
                    ) INTO lives USING ended;
                    IF lives THEN
                        EXECUTE format(
                            'ALTER TABLE sealedpush.entry ATTACH PARTITION sealedpush.%I FOR VALUES FROM (%s) TO (%s)',
                            'entry_' || day, day * sealedpush.day_length(), (day + 1) * sealedpush.day_length()
                        );
                        RETURN 0;
                    END IF;
                    EXECUTE format(
                        'INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
                        SELECT $1, tenant, lane, state, -count(*) FROM sealedpush.%I GROUP BY tenant, lane, state
                        ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count',
                        'entry_' || day
                    ) USING tally;
                    EXECUTE format('SELECT count(*) FROM sealedpush.%I', 'entry_' || day) INTO dropped;
                    FOREACH parent IN ARRAY ARRAY['entry', 'payload', 'attempt', 'dead', 'receipt'] LOOP
                        EXECUTE format('DROP TABLE IF EXISTS sealedpush.%I', parent || '_' || day);
                    END LOOP;
                    RETURN dropped;
                END
                $$
                """
        ),
    ]
}
