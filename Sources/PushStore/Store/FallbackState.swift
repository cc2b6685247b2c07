internal import Envelope

/// Stored states.
enum FallbackState: Int64 {
    /// Waits for its due time.
    case armed = 0
    /// About to be sent; no byte has gone out.
    case claimed = 1
    /// May have been sent.
    case sending = 2
}

extension StoreReader {
    /// Finds fallbacks to claim, longest due first.
    func dueFallbacks(_ room: ClaimRoom, of shards: ShardSet, now: Timestamp, turn: Int) throws(StoreError) -> [Int64] {
        let select = """
            SELECT due, entry FROM fallback WHERE state = 0 AND tenant = ? AND due <= ? AND \(ShardSet.condition)
            ORDER BY due, entry LIMIT ?
            """
        return try due(by: select, of: try fallbackTenants(), room, shards, now: now, turn: turn)
    }

    func nextFallback(_ room: ClaimRoom, of shards: ShardSet) throws(StoreError) -> Timestamp? {
        let select = """
            SELECT due FROM fallback WHERE state = 0 AND tenant = ? AND \(ShardSet.condition) ORDER BY due LIMIT 1
            """
        return try next(by: select, of: try fallbackTenants(), room, shards)
    }

    /// One index seek for each tenant.
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
    func armFallback(_ id: Int64, tenant: Int64, due: Timestamp) throws(StoreError) {
        try sql("INSERT OR IGNORE INTO fallback (entry, tenant, state, due) VALUES (?, ?, 0, ?)").run([
            .integer(id), .integer(tenant), due.column,
        ])
    }

    /// Spares one that is being sent.
    func callOffFallback(_ id: Int64) throws(StoreError) {
        try sql("DELETE FROM fallback WHERE entry = ? AND state < ?").run([
            .integer(id), .integer(FallbackState.sending.rawValue),
        ])
    }

    /// - Returns: those still due; damaged ones are cancelled.
    func claimFallbacks(_ ids: [Int64], by owned: ShardLeases, now: Timestamp) throws(StoreError) -> [ClaimedFallback] {
        try shards.require(owned)
        var claimed: [ClaimedFallback] = []
        for id in ids {
            let found = try sql(
                "UPDATE fallback SET state = 1 WHERE entry = ? AND state = 0 AND due <= ? RETURNING due, tried"
            ).first([.integer(id), now.column]) { (due: $0.integer(0), tried: $0.optionalInteger(1)) }
            guard let found else { continue }
            // A receipt cancels it.
            guard let entry = try entry(id), entry.state == .accepted, let lease = owned[entry.id.shard] else {
                try callOffFallback(id)
                continue
            }
            claimed.append(
                ClaimedFallback(
                    entry: entry,
                    lease: lease,
                    due: Timestamp(column: found.due),
                    tried: found.tried.map { Timestamp(column: $0) }
                )
            )
        }
        return claimed
    }

    func beginFallback(_ id: EntryID, _ lease: ShardLease) throws(StoreError) -> Bool {
        guard shards.permits(lease) else { return false }
        return try sql("UPDATE fallback SET state = 2 WHERE entry = ? AND state = 1").run([.integer(id.value)]) > 0
    }

    @discardableResult
    func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) throws(StoreError) -> Int {
        var lateCount = 0
        for outcome in outcomes {
            guard shards.permits(outcome.lease) else {
                lateCount += 1
                continue
            }
            switch outcome.verdict {
            case .ended(let kind):
                try endFallback(outcome.id.value, telling: kind, now: now)
            case .givenBack(let due, let tried):
                // A receipt meanwhile cancels it.
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
        return lateCount
    }

    /// Re-arms fallbacks that an earlier owner of the shards claimed and did not send, and ends those that may be sent.
    ///
    /// - Returns: the entries of the ended.
    func recoverFallbacks(of shards: ShardSet, now: Timestamp) throws(StoreError) -> [OutboxEntry] {
        try sql("UPDATE fallback SET state = 0 WHERE state = 1 AND \(ShardSet.condition)").run([shards.value])
        let ids = try sql("SELECT entry FROM fallback WHERE state = 2 AND \(ShardSet.condition) ORDER BY entry").all(
            [shards.value]
        ) { $0.integer(0) }
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
