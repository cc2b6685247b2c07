internal import APNS
internal import Envelope

extension StoreWriter {
    func replay(
        _ replays: [Replay],
        tenant: TenantID,
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) -> [ReplayResult] {
        guard let number = try tenants.number(tenant) else { return replays.map { _ in .unknown } }
        var results: [ReplayResult] = []
        for replay in replays {
            results.append(try self.replay(replay, number, from: relay, now: now))
        }
        return results
    }

    /// Keeps the dead letter, as each entry ends once; the new one takes all but ids, times and attempts.
    private func replay(
        _ replay: Replay,
        _ tenant: Int64,
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) -> ReplayResult {
        let found = try sql(
            """
            SELECT \(EntryRow.columns), payload.bytes, entry.tenant FROM entry
            LEFT JOIN payload ON payload.entry = entry.id WHERE entry.id = ?
            """
        ).first([.integer(replay.id.value)]) { [tenants] row throws(StoreError) in
            (
                row: try EntryRow(row, tenants), payload: row.optionalBytes(EntryRow.columnCount),
                tenant: row.integer(EntryRow.columnCount + 1)
            )
        }
        guard let found, found.tenant == tenant else { return .unknown }
        guard let row = found.row else { return .corrupt }
        guard case .dead(let reason) = row.entry.state else { return .notDead }
        if let known = row.entry.replayedAs { return .replayed(known) }
        guard reason != .corrupt, let payload = found.payload, row.isWhole(payload: payload) else { return .corrupt }
        let entry = row.entry
        let id = nextID(entry.id.shard, milliseconds: now.milliseconds)
        let watch = try watch(of: entry.id.value)
        let receiptHash = try takeReceiptHash(of: entry.id)
        let copy = NewEntry(
            device: entry.device,
            topic: entry.topic,
            apnsID: replay.apnsID,
            collapseID: entry.collapseID,
            lane: entry.lane,
            pushType: entry.pushType,
            priority: entry.priority,
            // The old expiration gives way to the new deadline.
            expiration: entry.expiration.map { old in
                old == .oneAttempt ? old : Expiration(unixSeconds: replay.deadline.milliseconds / 1_000)
            },
            deadline: replay.deadline,
            attemptLimit: entry.attemptLimit,
            payload: payload,
            trace: entry.trace,
            traceContext: entry.traceContext,
            receiptHash: receiptHash,
            fallbackAfter: watch?.fallbackAfter.map { .milliseconds($0) },
            isReported: watch?.isReported ?? false,
            purpose: entry.purpose
        )
        try insert(copy, as: id, tenant: tenant, now: now)
        if let owner = shards.owner(of: id.shard), owner != relay { hints.add([owner: [copy]], of: entry.tenant) }
        try sql("UPDATE entry SET replayed_as = ? WHERE id = ?").run([.integer(id.value), .integer(entry.id.value)])
        return .replayed(id)
    }
}
