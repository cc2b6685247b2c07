internal import PostgreSQL

extension DatabaseSchema {
    /// Devices, and what ends with them. `revision` is a random number of a row's last write, by which a relay notices
    /// that another has written since it read. 0 stands for no quarantine, and for a device that did not enrol itself.
    static let registry: [Statement] = [
        // Fails the transaction of a relay that decided by what has changed since.
        Statement(
            once: """
                CREATE FUNCTION sealedpush.require(holds bool) RETURNS void LANGUAGE plpgsql AS $$
                BEGIN
                    IF holds IS NOT TRUE THEN
                        RAISE EXCEPTION 'changed meanwhile' USING ERRCODE = 'SP002';
                    END IF;
                END
                $$
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.device (
                    tenant bytea NOT NULL,
                    shard int8 NOT NULL,
                    id bytea NOT NULL,
                    revision int8 NOT NULL,
                    topic bytea NOT NULL,
                    environment int8 NOT NULL,
                    token bytea NOT NULL,
                    fingerprint bytea NOT NULL,
                    quarantine int8 NOT NULL,
                    voip_token bytea,
                    voip_fingerprint bytea,
                    voip_quarantine int8 NOT NULL,
                    extra_tokens bytea,
                    language bytea,
                    region bytea,
                    app_version bytea,
                    registered int8 NOT NULL,
                    seen int8 NOT NULL,
                    reached bool NOT NULL,
                    endpoint_key bytea,
                    enrolled int8 NOT NULL DEFAULT 0,
                    PRIMARY KEY (tenant, shard, id)
                ) WITH (fillfactor = 90)
                """
        ),
        Statement(once: "CREATE INDEX device_fingerprint ON sealedpush.device (tenant, fingerprint)"),
        Statement(
            once: """
                CREATE INDEX device_voip ON sealedpush.device (tenant, voip_fingerprint)
                WHERE voip_fingerprint IS NOT NULL
                """
        ),
        // Partial: so a change of it locks no more of the row than another one does.
        Statement(
            once: """
                CREATE UNIQUE INDEX device_endpoint_key ON sealedpush.device (endpoint_key)
                WHERE endpoint_key IS NOT NULL
                """
        ),
        // Apart from `device`, whose row is written again at a launch in each hour.
        Statement(
            once: """
                CREATE TABLE sealedpush.bundle (
                    tenant bytea NOT NULL,
                    shard int8 NOT NULL,
                    id bytea NOT NULL,
                    bytes bytea NOT NULL,
                    PRIMARY KEY (tenant, shard, id),
                    FOREIGN KEY (tenant, shard, id) REFERENCES sealedpush.device ON DELETE CASCADE
                )
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.attested (
                    tenant bytea NOT NULL,
                    shard int8 NOT NULL,
                    id bytea NOT NULL,
                    key_id bytea NOT NULL UNIQUE,
                    public_key bytea NOT NULL,
                    counter int8 NOT NULL,
                    challenged int8 NOT NULL,
                    PRIMARY KEY (tenant, shard, id),
                    FOREIGN KEY (tenant, shard, id) REFERENCES sealedpush.device ON DELETE CASCADE
                )
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.endpoint (
                    hash bytea PRIMARY KEY,
                    tenant bytea NOT NULL,
                    shard int8 NOT NULL,
                    id bytea NOT NULL,
                    created int8 NOT NULL,
                    vapid bytea,
                    expiry int8,
                    accepted int8 NOT NULL DEFAULT 0,
                    refused int8 NOT NULL DEFAULT 0,
                    FOREIGN KEY (tenant, shard, id) REFERENCES sealedpush.device ON DELETE CASCADE
                ) WITH (fillfactor = 90)
                """
        ),
        Statement(once: "CREATE INDEX endpoint_device ON sealedpush.endpoint (tenant, shard, id)"),
        Statement(once: "CREATE INDEX endpoint_expiry ON sealedpush.endpoint (expiry) WHERE expiry IS NOT NULL"),
        Statement(
            once: """
                CREATE TABLE sealedpush.record (
                    name bytea PRIMARY KEY,
                    number int8 NOT NULL GENERATED ALWAYS AS IDENTITY,
                    endpoint bytea NOT NULL REFERENCES sealedpush.endpoint ON DELETE CASCADE,
                    expiry int8 NOT NULL,
                    bytes bytea NOT NULL
                )
                """
        ),
        Statement(once: "CREATE INDEX record_endpoint ON sealedpush.record (endpoint, number)"),
        Statement(once: "CREATE INDEX record_expiry ON sealedpush.record (expiry)"),
        Statement(
            once: """
                CREATE TABLE sealedpush.gateway (
                    tenant bytea NOT NULL,
                    topic bytea NOT NULL,
                    environment int8 NOT NULL,
                    devices int8 NOT NULL,
                    accepted int8 NOT NULL,
                    refused int8 NOT NULL,
                    PRIMARY KEY (tenant, topic, environment)
                ) WITH (fillfactor = 50)
                """
        ),
        Statement(
            once: """
                CREATE TABLE sealedpush.endpoint_block (
                    tenant bytea NOT NULL,
                    id bytea NOT NULL,
                    created int8 NOT NULL,
                    PRIMARY KEY (tenant, id)
                )
                """
        ),
    ]
}
