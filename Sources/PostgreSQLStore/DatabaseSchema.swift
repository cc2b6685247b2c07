internal import PostgreSQL

/// Tables: a database of version n has had the first n steps. A released step never changes.
///
/// All of it is in the schema `sealedpush`, and named so: no search path matters. Texts of others are bytea. Times are
/// milliseconds since 1970.
enum DatabaseSchema {
    static var version: Int { steps.count }

    static let steps: [[Statement]] = [shards, outbox, registry]

    /// One row for each step that was applied.
    static let stamps: [Statement] = [
        Statement(once: "CREATE SCHEMA IF NOT EXISTS sealedpush"),
        Statement(
            once: """
                CREATE TABLE IF NOT EXISTS sealedpush.stamp (
                    version int8 PRIMARY KEY,
                    applied timestamptz NOT NULL DEFAULT clock_timestamp()
                )
                """
        ),
    ]

    /// Owners of shards. Without one: NULL.
    private static let shards: [Statement] = [
        Statement(
            once: """
                CREATE TABLE sealedpush.shard (
                    shard int8 PRIMARY KEY,
                    owner bytea,
                    epoch int8 NOT NULL,
                    until int8 NOT NULL
                ) WITH (fillfactor = 50)
                """
        ),
        Statement(
            once: """
                INSERT INTO sealedpush.shard (shard, epoch, until) SELECT number, 0, 0 FROM generate_series(0, 63) AS number
                """
        ),
        // Those that live: each wants an equal share.
        Statement(once: "CREATE TABLE sealedpush.relay (relay bytea PRIMARY KEY, until int8 NOT NULL)"),
        // Not the transaction's start: a lease must not end later than the caller believes.
        Statement(
            once: """
                CREATE FUNCTION sealedpush.lease_clock() RETURNS int8 LANGUAGE sql VOLATILE
                AS 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8'
                """
        ),
        // The lock first: in READ COMMITTED each later statement of the function then sees the newest owner, and no
        // takeover ends before this transaction.
        Statement(
            once: """
                CREATE FUNCTION sealedpush.require_leases(shards int8[], epochs int8[]) RETURNS void
                LANGUAGE plpgsql VOLATILE AS $$
                BEGIN
                    PERFORM FROM sealedpush.shard WHERE shard.shard = ANY (shards) ORDER BY shard.shard FOR SHARE;
                    IF EXISTS (
                        SELECT FROM unnest(shards, epochs) AS given (shard, epoch)
                        LEFT JOIN sealedpush.shard AS held USING (shard)
                        WHERE held.owner IS NULL OR held.epoch IS DISTINCT FROM given.epoch
                    ) THEN
                        RAISE EXCEPTION 'late owner' USING ERRCODE = 'SP001';
                    END IF;
                END
                $$
                """
        ),
    ]
}
