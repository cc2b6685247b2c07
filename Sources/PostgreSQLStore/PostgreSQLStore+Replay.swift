internal import APNS
package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore {
    private static let letters = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        """
        , payload.bytes, entry.fallback_after, entry.reported FROM sealedpush.entry
        LEFT JOIN sealedpush.payload ON payload.entry = entry.id WHERE entry.id = ANY ($1) AND entry.tenant = $2
        """
    )

    private enum Letter {
        case letter(OutboxEntry, NewEntry)
        case result(ReplayResult)
    }

    /// Keeps the dead letter, as each entry ends once; the new one takes all but ids, times and attempts.
    package func replay(
        _ replays: [Replay],
        tenant: TenantID,
        from relay: RelayID?,
        now: Timestamp
    ) async throws(StoreError) -> [ReplayResult] {
        let found = try await read(replays, tenant)
        var given: Set<EntryID> = []
        var insert = EntryInsert()
        var (letters, copies): ([EntryID], [EntryID]) = ([], [])
        for replay in replays {
            guard case .letter(let entry, let copy) = found[replay.id], given.insert(entry.id).inserted else {
                continue
            }
            let id = ids.withLock { $0.next(entry.id.shard, milliseconds: now.milliseconds) }
            letters.append(entry.id)
            copies.append(id)
            insert.add(
                copy,
                as: id,
                of: tenant,
                request: id.value,
                state: .queued,
                deviceHash: Shard.hash(tenant: tenant, device: copy.device),
                secrets
            )
        }
        if !letters.isEmpty { try await store(insert, letters, copies, tenant, from: relay, now: now) }
        // Another call may have been faster.
        let after = letters.isEmpty ? found : try await read(replays, tenant)
        return replays.map { replay in
            switch after[replay.id] {
            case .result(let result): result
            case .letter: .corrupt
            case nil: .unknown
            }
        }
    }

    private func store(
        _ insert: EntryInsert,
        _ letters: [EntryID],
        _ copies: [EntryID],
        _ tenant: TenantID,
        from relay: RelayID?,
        now: Timestamp
    ) async throws(StoreError) {
        try await makeDays(copies)
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var batch = Batch(writes: true)
        batch.add(
            EntryInsert.replay,
            Conclusion.parameters(tally(slot), now.number, firstHook: 0) + insert.parameters
                + [.int64s(letters.map(\.value)), .int64s(copies.map(\.value))]
        )
        let rows = try await run(batch)[0].rows
        let stored = try Self.decode { () throws(PostgreSQLError) in
            var stored: [EntryID] = []
            for row in rows { if let id = EntryID(value: try row.int64(0)) { stored.append(id) } }
            return stored
        }
        let own = relay.flatMap { relay in owned.withLock { $0[relay]?.shards } } ?? .none
        let foreign = stored.filter { !own.contains($0.shard) }
        if !foreign.isEmpty { notifyOwners(foreign) }
    }

    /// - Returns: nothing for an unknown entry.
    private func read(_ replays: [Replay], _ tenant: TenantID) async throws(StoreError) -> [EntryID: Letter] {
        let rows = try await read(Self.letters, .int64s(replays.map(\.id.value)), .bytes(tenant.bytes))
        let byID = Dictionary(replays.map { ($0.id, $0) }) { first, _ in first }
        return try Self.decode { () throws(PostgreSQLError) in
            var letters: [EntryID: Letter] = [:]
            for row in rows {
                guard let id = EntryID(value: try row.int64(0)), let replay = byID[id] else { continue }
                letters[id] = try Self.letter(row, replay)
            }
            return letters
        }
    }

    private static func letter(_ row: Row, _ replay: Replay) throws(PostgreSQLError) -> Letter {
        guard let stored = try StoredEntry(row) else { return .result(.corrupt) }
        let entry = stored.entry
        guard case .dead(let reason) = entry.state else { return .result(.notDead) }
        if let known = entry.replayedAs { return .result(.replayed(known)) }
        guard reason != .corrupt, let payload = try row.optionalBytes(StoredEntry.columnCount),
            stored.isWhole(payload: payload)
        else { return .result(.corrupt) }
        let fallback = try row.optionalInt64(StoredEntry.columnCount + 1)
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
            fallbackAfter: fallback.map { .milliseconds($0) },
            isReported: try row.bool(StoredEntry.columnCount + 2),
            purpose: entry.purpose
        )
        return .letter(entry, copy)
    }
}
