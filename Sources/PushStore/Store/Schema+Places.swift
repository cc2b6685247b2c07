extension Schema {
    /// Devices at places by their ids (`DeviceSlots`), one page for a lookup, without bundles, which no notification
    /// needs. `DeviceMove` moves the rows of `device_before`.
    static let places = """
        DROP INDEX device_fingerprint;
        DROP INDEX device_voip;
        ALTER TABLE device RENAME TO device_before;
        CREATE TABLE device (
            place INTEGER PRIMARY KEY,
            tenant INTEGER NOT NULL,
            id BLOB NOT NULL,
            topic BLOB NOT NULL,
            environment INTEGER NOT NULL,
            token BLOB NOT NULL,
            quarantine INTEGER,
            voip_token BLOB,
            voip_quarantine INTEGER,
            language BLOB,
            region BLOB,
            app_version BLOB,
            registered INTEGER NOT NULL,
            seen INTEGER NOT NULL,
            fingerprint BLOB NOT NULL,
            voip_fingerprint BLOB,
            bundle INTEGER NOT NULL
        );
        CREATE TABLE bundle (number INTEGER PRIMARY KEY, device INTEGER NOT NULL, bytes BLOB NOT NULL);
        """

    /// Built once the rows are there, not row by row.
    static let placeIndexes = """
        CREATE INDEX device_fingerprint ON device (tenant, fingerprint);
        CREATE INDEX device_voip ON device (tenant, voip_fingerprint) WHERE voip_fingerprint IS NOT NULL;
        DROP TABLE device_before;
        """
}
