import PushStore

/// Tables. Later versions add steps and change none.
enum SidecarSchema {
    /// "SPsc": files of other programs are refused.
    static let applicationID: Int64 = 0x5350_7363
    static let version: Int64 = 1

    /// Texts are bytes. No word of a message is here: `sealed` is an envelope, `digest` a keyed hash of a request.
    ///
    /// Copies have row ids: without them a row keeps at most a quarter of a page, and an envelope takes one more.
    static let text = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
        CREATE TABLE devices (device BLOB PRIMARY KEY, identity BLOB NOT NULL, bundle BLOB, fetched_at INTEGER,
            tag BLOB) STRICT, WITHOUT ROWID;
        CREATE TABLE pins (slot BLOB PRIMARY KEY, pin BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE messages (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, key BLOB UNIQUE, digest BLOB NOT NULL,
            class BLOB NOT NULL, expiry INTEGER, collapse BLOB, sent_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE copies (
            message INTEGER NOT NULL, place INTEGER NOT NULL, device BLOB NOT NULL, user BLOB, state INTEGER NOT NULL,
            sealed BLOB, trace BLOB, relay_id BLOB, word BLOB, detail BLOB, PRIMARY KEY (message, place)
        ) STRICT;
        CREATE INDEX copies_queued ON copies (message) WHERE state = 0;
        CREATE INDEX copies_trace ON copies (trace) WHERE trace IS NOT NULL;
        CREATE TABLE resends (message INTEGER NOT NULL, device BLOB NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (message, device)) STRICT, WITHOUT ROWID;
        """
}
