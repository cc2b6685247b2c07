/// Statements of every notification, without a lookup by text.
struct HotStatements {
    let begin: SQLiteStatement
    let commit: SQLiteStatement
    let insertEntry: SQLiteStatement
    let insertPayload: SQLiteStatement
    let deletePayload: SQLiteStatement
    let insertWaiting: SQLiteStatement
    let deleteWaiting: SQLiteStatement
    let insertWatch: SQLiteStatement
    let selectWatch: SQLiteStatement
    /// Queued → sending, if the lease still holds.
    let mark: SQLiteStatement
    /// Sending → the attempt's result, if the lease still holds.
    let settle: SQLiteStatement
    /// Form for the first attempt.
    let settleFirst: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        insertEntry = try connection.prepare(
            """
            INSERT INTO entry (id, tenant, lane, shard, state, attempt_limit, due, deadline, created, changed, apns_id,
                trace, header, checksum, attempts, tried, maybe_duplicate, first_attempt)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, zeroblob(\(FirstAttempt.reservedByteCount)))
            """
        )
        insertPayload = try connection.prepare("INSERT INTO payload (entry, bytes) VALUES (?, ?)")
        deletePayload = try connection.prepare("DELETE FROM payload WHERE entry = ?")
        insertWaiting = try connection.prepare(
            "INSERT INTO waiting (entry, tenant, lane, state, tried, due, deadline) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        deleteWaiting = try connection.prepare("DELETE FROM waiting WHERE entry = ?")
        insertWatch = try connection.prepare(
            "INSERT INTO watch (entry, receipt_hash, fallback_after, reported) VALUES (?, ?, ?, ?)"
        )
        selectWatch = try connection.prepare("SELECT fallback_after, reported FROM watch WHERE entry = ?")
        mark = try connection.prepare(
            "UPDATE entry SET state = 1, changed = ? WHERE id = ? AND state = 0 AND attempts = ?"
        )
        let settling = """
            UPDATE entry SET state = ?, reason = ?, changed = ?, due = ?, attempts = ?, tried = 1, maybe_duplicate = ?
            """
        settle = try connection.prepare("\(settling) WHERE id = ? AND state = 1 AND attempts = ?")
        settleFirst = try connection.prepare(
            "\(settling), first_attempt = ? WHERE id = ? AND state = 1 AND attempts = 0"
        )
    }
}
