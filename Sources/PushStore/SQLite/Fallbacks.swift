package import Envelope

/// Where a fallback stands; the numbers are those of the file.
enum FallbackState: Int64 {
    /// It waits for its time.
    case armed = 0
    /// It is to be sent, and not a byte of it has gone out.
    case claimed = 1
    /// It may have been sent.
    case sending = 2
}

extension StoreReader {
    /// Fallbacks that are to be claimed next.
    ///
    /// - Returns: their entries, the longest due first.
    func dueFallbacks(_ room: ClaimRoom, now: Timestamp, turn: Int) throws(StoreError) -> [Int64] {
        let select = """
            SELECT due, entry FROM fallback WHERE state = 0 AND tenant = ? AND due <= ? ORDER BY due, entry LIMIT ?
            """
        return try due(by: select, of: try fallbackTenants(), room, now: now, turn: turn)
    }

    /// Finds since or until when the first fallback is due: `NewEntry.fallbackAfter` after its entry became `accepted`.
    ///
    /// - Parameter room: tenants without any are passed over.
    /// - Returns: the time; nil when none is armed.
    /// - Throws: what a disk does.
    package func nextFallback(_ room: ClaimRoom) throws(StoreError) -> Timestamp? {
        let select = "SELECT due FROM fallback WHERE state = 0 AND tenant = ? ORDER BY due LIMIT 1"
        return try next(by: select, of: try fallbackTenants(), room)
    }

    /// Tenants with something armed, by number. One step of the index for each, however much it has.
    private func fallbackTenants() throws(StoreError) -> [Int64] {
        try sql(
            """
            WITH RECURSIVE armed (tenant) AS (
                SELECT min(tenant) FROM fallback WHERE state = 0
                UNION ALL
                SELECT (SELECT min(tenant) FROM fallback WHERE state = 0 AND tenant > armed.tenant)
                FROM armed WHERE armed.tenant IS NOT NULL
            )
            SELECT tenant FROM armed WHERE tenant IS NOT NULL
            """
        ).all([]) { $0.integer(0) }
    }
}

extension StoreWriter {
    /// Has the fallback of an entry, which APNs has taken now, fire at `due`. Ids and tenants are as they are in the file.
    func armFallback(_ id: Int64, tenant: Int64, due: Timestamp) throws(StoreError) {
        try sql("INSERT OR IGNORE INTO fallback (entry, tenant, state, due) VALUES (?, ?, 0, ?)").run([
            .integer(id), .integer(tenant), due.column,
        ])
    }

    /// Nothing happens to what is being sent: what became of it is still to be told.
    func callOffFallback(_ id: Int64) throws(StoreError) {
        try sql("DELETE FROM fallback WHERE entry = ? AND state < ?").run([
            .integer(id), .integer(FallbackState.sending.rawValue),
        ])
    }

    /// - Returns: of those that a look found due, what still is, and is whole; what is damaged is not due any more either.
    func claimFallbacks(_ ids: [Int64], now: Timestamp) throws(StoreError) -> [ClaimedFallback] {
        var claimed: [ClaimedFallback] = []
        for id in ids {
            let found = try sql(
                "UPDATE fallback SET state = 1 WHERE entry = ? AND state = 0 AND due <= ? RETURNING due, tried"
            ).first([.integer(id), now.column]) { (due: $0.integer(0), tried: $0.optionalInteger(1)) }
            guard let found else { continue }
            // Only what APNs has, and no receipt has come for.
            guard let entry = try entry(id), entry.state == .accepted else {
                try callOffFallback(id)
                continue
            }
            claimed.append(
                ClaimedFallback(
                    entry: entry,
                    due: Timestamp(column: found.due),
                    tried: found.tried.map { Timestamp(column: $0) }
                )
            )
        }
        return claimed
    }

    /// Writes down that a claimed fallback is being sent. Not a byte of it goes out before that is on the disk.
    ///
    /// - Parameter id: its entry.
    /// - Returns: false for what is not claimed any more: a receipt has called it off.
    /// - Throws: what a disk does.
    package func beginFallback(_ id: EntryID) throws(StoreError) -> Bool {
        try sql("UPDATE fallback SET state = 2 WHERE entry = ? AND state = 1").run([.integer(id.value)]) > 0
    }

    /// Writes down what became of claimed fallbacks, sent or not; those that are not there any more are passed over.
    package func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) throws(StoreError) {
        for outcome in outcomes {
            switch outcome.verdict {
            case .ended(let kind):
                try endFallback(outcome.id.value, telling: kind, now: now)
            case .givenBack(let due, let tried):
                // What has its receipt by now stays called off.
                let given = try sql(
                    """
                    UPDATE fallback SET state = 0, due = ?, tried = ?
                    WHERE entry = ? AND (SELECT state FROM entry WHERE id = ?) = ?
                    """
                ).run([
                    due.column, .optional(tried?.number), .integer(outcome.id.value), .integer(outcome.id.value),
                    .integer(EntryState.Code.accepted.rawValue),
                ])
                if given == 0 { try endFallback(outcome.id.value, telling: nil, now: now) }
            }
        }
    }

    /// Before the first job: nothing of what was claimed had gone out, and what was being sent may have arrived.
    ///
    /// - Returns: entries with fallbacks that may have been sent.
    func recoverFallbacks(now: Timestamp) throws(StoreError) -> [OutboxEntry] {
        try sql("UPDATE fallback SET state = 0 WHERE state = 1").run([])
        let ids = try sql("SELECT entry FROM fallback WHERE state = 2 ORDER BY entry").all([]) { $0.integer(0) }
        var uncertain: [OutboxEntry] = []
        for id in ids {
            try endFallback(id, telling: .fallbackUncertain, now: now)
            if let entry = try entry(id) { uncertain.append(entry) }
        }
        return uncertain
    }

    private func endFallback(_ id: Int64, telling kind: HookKind?, now: Timestamp) throws(StoreError) {
        let tenant = try sql("DELETE FROM fallback WHERE entry = ? RETURNING tenant").first([.integer(id)]) {
            $0.integer(0)
        }
        if let tenant, let kind { try addHook(kind, entry: id, tenant: tenant, detail: [], now: now) }
    }
}
