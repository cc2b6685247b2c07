/// Tables: a file of version n has had the first n steps. A released step never changes.
///
/// Untrusted texts are blobs. Times are milliseconds since 1970. Partial indexes keep to rows of a state, and so small.
enum Schema {
    /// "SPsh", by which `file` and SQLite recognise the file.
    static let applicationID: Int64 = 0x5350_7368

    static let steps = [
        outbox, devices, replays, throughput, receipts, deviceEntries, parcels, places, lists, apnsIDs, receiptRuns,
        fallbacks, reachedDevices, partialRequests, traceContexts, extraTokens, endpoints, shards, openRequests,
        hookOwners, enrolments, endpointExpiry,
    ]
    /// First version with device places.
    static let placesVersion = 8

    private static let outbox = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE tenant (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            tenant INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            shard INTEGER NOT NULL,
            state INTEGER NOT NULL,
            reason INTEGER,
            attempts INTEGER NOT NULL,
            tried INTEGER NOT NULL,
            attempt_limit INTEGER,
            due INTEGER NOT NULL,
            deadline INTEGER NOT NULL,
            created INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            maybe_duplicate INTEGER NOT NULL,
            receipt INTEGER,
            apns_id BLOB NOT NULL,
            trace BLOB,
            header BLOB NOT NULL,
            checksum INTEGER NOT NULL
        );
        CREATE INDEX entry_queue ON entry (tenant, lane, shard, tried, due) WHERE state = 0;
        CREATE INDEX entry_sending ON entry (changed) WHERE state = 1;
        CREATE INDEX entry_parked ON entry (tenant) WHERE state = 2;
        CREATE INDEX entry_waiting ON entry (deadline) WHERE state IN (0, 2);
        CREATE INDEX entry_dead ON entry (tenant) WHERE state = 5;
        CREATE INDEX entry_ended ON entry (changed) WHERE state >= 3;
        CREATE INDEX entry_apns_id ON entry (apns_id);
        CREATE INDEX entry_trace ON entry (trace) WHERE trace IS NOT NULL;
        CREATE TABLE payload (entry INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE attempt (
            entry INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            time INTEGER NOT NULL,
            connection INTEGER NOT NULL,
            status INTEGER,
            reason BLOB,
            unique_id BLOB,
            PRIMARY KEY (entry, ordinal)
        ) WITHOUT ROWID;
        CREATE TABLE request (
            tenant INTEGER NOT NULL,
            key BLOB NOT NULL,
            digest BLOB NOT NULL,
            created INTEGER NOT NULL,
            entries BLOB NOT NULL,
            PRIMARY KEY (tenant, key)
        ) WITHOUT ROWID;
        CREATE INDEX request_created ON request (created);
        CREATE TABLE tally (
            tenant INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            state INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (tenant, lane, state)
        ) WITHOUT ROWID;
        """

    /// Sorted runs of each device's entries. Adds the death reason `outcomeUnknown`.
    private static let deviceEntries = """
        CREATE TABLE device_run (id INTEGER PRIMARY KEY);
        CREATE TABLE device_chunk (
            run INTEGER NOT NULL,
            first INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            pairs BLOB NOT NULL,
            PRIMARY KEY (run, first, ordinal)
        ) WITHOUT ROWID;
        """

    /// In-flight and ended entries are found by id, in the order of time, without indexes (three writes for each
    /// notification). Payloads of entries sent at once are in parcels. Adds the death reason `superseded`.
    private static let parcels = """
        DROP INDEX entry_sending;
        DROP INDEX entry_ended;
        CREATE TABLE parcel (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        """

    /// Waiting and dead entries have own tables. So `entry` has no index of a state, to be touched by each notification
    /// twice. `state` is the entry's, 0 or 2.
    private static let lists = """
        CREATE TABLE waiting (
            entry INTEGER PRIMARY KEY,
            tenant INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            state INTEGER NOT NULL,
            tried INTEGER NOT NULL,
            due INTEGER NOT NULL,
            deadline INTEGER NOT NULL
        );
        INSERT INTO waiting SELECT id, tenant, lane, state, tried, due, deadline FROM entry WHERE state IN (0, 2);
        CREATE INDEX waiting_queue ON waiting (tenant, lane, tried, due) WHERE state = 0;
        CREATE INDEX waiting_parked ON waiting (tenant) WHERE state = 2;
        CREATE INDEX waiting_deadline ON waiting (deadline);
        CREATE TABLE dead (tenant INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (tenant, entry)) WITHOUT ROWID;
        INSERT INTO dead SELECT tenant, id FROM entry WHERE state = 5;
        DROP INDEX entry_queue;
        DROP INDEX entry_parked;
        DROP INDEX entry_waiting;
        DROP INDEX entry_dead;
        """

    private static let apnsIDs = """
        CREATE TABLE apns_run (id INTEGER PRIMARY KEY);
        CREATE TABLE apns_chunk (
            run INTEGER NOT NULL,
            first INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            pairs BLOB NOT NULL,
            PRIMARY KEY (run, first, ordinal)
        ) WITHOUT ROWID;
        DROP INDEX entry_apns_id;
        """

    private static let reachedDevices = """
        ALTER TABLE device ADD COLUMN reached INTEGER NOT NULL DEFAULT 0;
        """

    /// The recipients that a partial request left out, for its repetition; NULL for none.
    private static let partialRequests = """
        ALTER TABLE request ADD COLUMN rejected BLOB;
        """

    /// Keeps out earlier programs, which would see damage in `EntryHeader` 2.
    private static let traceContexts = "-- EntryHeader 2"

    /// Tokens of Live Activities, widgets, controls and location, encrypted; NULL for none. Adds `EntryHeader` 3 and 4.
    private static let extraTokens = """
        ALTER TABLE device ADD COLUMN extra_tokens BLOB;
        """

    /// Devices' endpoints and endpoint keys (`EndpointKind`), by hashes of them; `device` is the place,
    /// `vapid` the hash of the server's key, or NULL. `record` has those too long for a push.
    private static let endpoints = """
        CREATE TABLE endpoint (
            hash BLOB PRIMARY KEY,
            device INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            created INTEGER NOT NULL,
            vapid BLOB
        ) WITHOUT ROWID;
        CREATE INDEX endpoint_device ON endpoint (device);
        CREATE TABLE record (
            id INTEGER PRIMARY KEY,
            name BLOB NOT NULL UNIQUE,
            endpoint BLOB NOT NULL,
            expiry INTEGER NOT NULL,
            bytes BLOB NOT NULL
        );
        CREATE INDEX record_endpoint ON record (endpoint);
        CREATE INDEX record_expiry ON record (expiry);
        """

    /// Keys of App Attest by the device's place; counts of an app's enrolled devices and servers' pushes; blocked servers.
    /// An enrolled device's endpoint key has the time of its enrolment as `created`, a tenant's 0.
    private static let enrolments = """
        CREATE TABLE attested (
            device INTEGER PRIMARY KEY,
            key_id BLOB NOT NULL UNIQUE,
            public_key BLOB NOT NULL,
            counter INTEGER NOT NULL,
            challenged INTEGER NOT NULL
        );
        CREATE TABLE gateway (
            tenant INTEGER NOT NULL,
            topic BLOB NOT NULL,
            environment INTEGER NOT NULL,
            devices INTEGER NOT NULL,
            accepted INTEGER NOT NULL,
            refused INTEGER NOT NULL,
            PRIMARY KEY (tenant, topic, environment)
        ) WITHOUT ROWID;
        ALTER TABLE endpoint ADD COLUMN accepted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE endpoint ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE endpoint_block (
            tenant INTEGER NOT NULL,
            id BLOB NOT NULL,
            created INTEGER NOT NULL,
            PRIMARY KEY (tenant, id)
        ) WITHOUT ROWID;
        """

    /// Time from which an endpoint is gone; NULL: none.
    private static let endpointExpiry = """
        ALTER TABLE endpoint ADD COLUMN expiry INTEGER;
        CREATE INDEX endpoint_expiry ON endpoint (expiry) WHERE expiry IS NOT NULL;
        """

    /// Owners of shards. Without one: NULL.
    private static let shards = """
        CREATE TABLE shard (shard INTEGER PRIMARY KEY, owner BLOB, epoch INTEGER NOT NULL, until INTEGER NOT NULL);
        INSERT INTO shard (shard, epoch, until)
            WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 63)
            SELECT n, 0, 0 FROM number;
        """

    /// The places of a request's stored entries, until all are stored; then NULL.
    private static let openRequests = """
        ALTER TABLE request ADD COLUMN places BLOB;
        CREATE INDEX request_open ON request (created) WHERE places IS NOT NULL;
        """

    /// The epoch under which a hook is leased; NULL for none.
    private static let hookOwners = "ALTER TABLE hook ADD COLUMN epoch INTEGER"

    private static let devices = """
        CREATE TABLE device (
            tenant INTEGER NOT NULL,
            id BLOB NOT NULL,
            shard INTEGER NOT NULL,
            topic BLOB NOT NULL,
            environment INTEGER NOT NULL,
            token BLOB NOT NULL,
            fingerprint BLOB NOT NULL,
            bundle BLOB NOT NULL,
            language BLOB,
            region BLOB,
            app_version BLOB,
            registered INTEGER NOT NULL,
            seen INTEGER NOT NULL,
            quarantine INTEGER,
            UNIQUE (tenant, id)
        );
        CREATE INDEX device_fingerprint ON device (tenant, fingerprint);
        """

    private static let replays = """
        ALTER TABLE entry ADD COLUMN replayed_as INTEGER;
        """

    /// Fewer writes for each entry: its first attempt in its row, one queue for all shards, traces in sorted runs.
    private static let throughput = """
        ALTER TABLE entry ADD COLUMN first_attempt BLOB;
        DROP INDEX entry_queue;
        CREATE INDEX entry_queue ON entry (tenant, lane, tried, due) WHERE state = 0;
        DROP INDEX entry_sending;
        CREATE INDEX entry_sending ON entry (state) WHERE state = 1;
        DROP INDEX entry_trace;
        CREATE TABLE trace_run (id INTEGER PRIMARY KEY);
        CREATE TABLE trace_chunk (
            run INTEGER NOT NULL,
            first INTEGER NOT NULL,
            ordinal INTEGER NOT NULL,
            pairs BLOB NOT NULL,
            PRIMARY KEY (run, first, ordinal)
        ) WITHOUT ROWID;
        """
}
