extension Schema {
    /// Receipts, fallbacks, hooks, notes and tokens for calls.
    ///
    /// `watch` has only entries with a receipt, fallback or report. `fallback_due`, up to version 11, is set from
    /// APNs's answer to the receipt or claim. `hook` has one row of a kind for an entry: repetitions cannot fill it.
    static let receipts = """
        CREATE TABLE watch (
            entry INTEGER PRIMARY KEY,
            receipt_hash BLOB,
            fallback_after INTEGER,
            fallback_due INTEGER,
            reported INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX watch_receipt ON watch (receipt_hash) WHERE receipt_hash IS NOT NULL;
        CREATE INDEX watch_due ON watch (fallback_due) WHERE fallback_due IS NOT NULL;
        CREATE TABLE hook (
            id INTEGER PRIMARY KEY,
            tenant INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            detail BLOB NOT NULL,
            created INTEGER NOT NULL,
            due INTEGER NOT NULL,
            attempts INTEGER NOT NULL
        );
        CREATE UNIQUE INDEX hook_entry ON hook (entry, kind);
        CREATE INDEX hook_due ON hook (tenant, due);
        CREATE INDEX hook_age ON hook (tenant);
        CREATE TABLE hook_tally (tenant INTEGER PRIMARY KEY, count INTEGER NOT NULL, dropped INTEGER NOT NULL);
        CREATE TABLE note (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL);
        ALTER TABLE device ADD COLUMN voip_token BLOB;
        ALTER TABLE device ADD COLUMN voip_fingerprint BLOB;
        ALTER TABLE device ADD COLUMN voip_quarantine INTEGER;
        CREATE INDEX device_voip ON device (tenant, voip_fingerprint) WHERE voip_fingerprint IS NOT NULL;
        """

    /// Entries by receipt, in sorted runs (`ReceiptRun`) to be merged. A chunk's row is numbered by run and first hash
    /// (`ReceiptChunk`).
    static let receiptRuns = """
        CREATE TABLE receipt_run (
            number INTEGER NOT NULL,
            place INTEGER NOT NULL,
            level INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (place DESC, level)
        ) WITHOUT ROWID;
        CREATE TABLE receipt_chunk (id INTEGER PRIMARY KEY, pairs BLOB NOT NULL);
        DROP INDEX watch_receipt;
        """

    /// Fallbacks from APNs's answer to their end, by tenant. `watch.fallback_due` stays, unused: dropping it would
    /// rewrite each row.
    static let fallbacks = """
        CREATE TABLE fallback (
            entry INTEGER PRIMARY KEY,
            tenant INTEGER NOT NULL,
            state INTEGER NOT NULL,
            due INTEGER NOT NULL,
            tried INTEGER
        );
        INSERT INTO fallback (entry, tenant, state, due)
            SELECT watch.entry, entry.tenant, 0, watch.fallback_due FROM watch JOIN entry ON entry.id = watch.entry
            WHERE watch.fallback_due IS NOT NULL;
        UPDATE watch SET fallback_due = NULL WHERE fallback_due IS NOT NULL;
        DROP INDEX watch_due;
        CREATE INDEX fallback_due ON fallback (tenant, due) WHERE state = 0;
        """
}
