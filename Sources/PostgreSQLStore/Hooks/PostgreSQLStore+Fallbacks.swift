package import Envelope
internal import PostgreSQL
package import PushStore

/// Fallbacks: armed by APNs' answer, then claimed, then sent.
extension PostgreSQLStore {
    package func claimFallbacks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> [ClaimedFallback] {
        let due = try await self.due(HookStatements.dueFallbacks, room, by: owned, now: now)
        guard !due.isEmpty else { return [] }
        let ids = due.map(\.id)
        var batch = Batch(writes: true)
        LeaseTable.require(owned, in: &batch)
        batch.add(HookStatements.claim, .int64s(ids), .int64s(due.map(\.time)))
        let results: [QueryResult]
        do throws(StoreError) {
            results = try await run(batch)
        } catch {
            if error == .uncertain { unclaim(ids, by: owned) }
            throw error
        }
        var claimed: [Int64: ClaimedFallback] = [:]
        var ended: [Int64] = []
        for row in results[1].rows {
            let (id, fallback) = try Self.decode { () throws(PostgreSQLError) in try Self.fallback(row, by: owned) }
            if let fallback { claimed[id] = fallback } else { ended.append(id) }
        }
        if !ended.isEmpty { _ = try await write(HookStatements.callOff, [.int64s(ended)]) }
        return due.compactMap { claimed[$0.id] }
    }

    /// - Returns: nil for one whose entry is damaged, or not accepted any more: a receipt cancels it.
    private static func fallback(
        _ row: Row,
        by owned: ShardLeases
    ) throws(PostgreSQLError) -> (id: Int64, fallback: ClaimedFallback?) {
        let id = try row.int64(0)
        guard let entry = try StoredEntry(row, from: HookStatements.claimedColumnCount)?.entry,
            entry.state == .accepted, let lease = owned[entry.id.shard]
        else { return (id, nil) }
        let fallback = ClaimedFallback(
            entry: entry,
            lease: lease,
            due: Timestamp(column: try row.int64(1)),
            tried: try row.optionalInt64(2).map { Timestamp(column: $0) }
        )
        return (id, fallback)
    }

    /// Arms again what an uncertain claim may have claimed; another call would not find it.
    private func unclaim(_ ids: [Int64], by owned: ShardLeases) {
        settleLater { [self] () async throws(StoreError) in
            var batch = Batch(writes: true)
            LeaseTable.require(owned, in: &batch)
            batch.add(HookStatements.unclaim, .int64s(ids))
            _ = try await run(batch)
        }
    }

    package func nextFallback(_ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp? {
        try await next(HookStatements.nextFallback, room, of: shards)
    }

    @discardableResult
    package func beginFallback(
        _ id: EntryID,
        _ lease: ShardLease,
        completion: @escaping StoreCompletion<Bool>
    ) -> StoreCall {
        let shard = Int64(lease.shard.index)
        return Self.start(completion) { [self] () async throws(StoreError) in
            var batch = Batch(writes: true)
            batch.add(HookStatements.lockOwners, .int64s([shard]))
            batch.add(HookStatements.begin, .int64(id.value), .int64(shard), .int64(lease.epoch))
            return try await run(batch)[1].changedCount > 0
        }
    }

    @discardableResult
    package func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) -> Int {
        guard !outcomes.isEmpty else { return 0 }
        let shards = Parameter.int64s(outcomes.map { Int64($0.lease.shard.index) })
        let columns: [Parameter] = [
            .int64s(outcomes.map(\.id.value)), shards, .int64s(outcomes.map(\.lease.epoch)),
            .int64s(outcomes.map { $0.verdict.due ?? -1 }), .int64s(outcomes.map { $0.verdict.tried ?? -1 }),
            .int64s(outcomes.map { Int64($0.verdict.kind?.rawValue ?? 0) }),
        ]
        let rows = try await counting(hooks: outcomes.count, now: now) { batch, first in
            batch.add(HookStatements.lockOwners, shards)
            batch.add(HookStatements.finishFallbacks, first + columns)
        }[1].rows
        let (lateCount, told) = try Self.decode { () throws(PostgreSQLError) in
            (
                try rows.first.map { row throws(PostgreSQLError) in Int(clamping: try row.int64(0)) } ?? 0,
                try rows.map { row throws(PostgreSQLError) in try row.optionalBytes(1) }
            )
        }
        await dropHooks(of: Set(told.compactMap { $0.flatMap { try? TenantID(bytes: $0) } }))
        return lateCount
    }
}

extension FallbackOutcome.Verdict {
    fileprivate var kind: HookKind? {
        guard case .ended(let kind) = self else { return nil }
        return kind
    }

    /// nil for ended ones.
    fileprivate var due: Int64? {
        guard case .givenBack(let due, _) = self else { return nil }
        return due.number
    }

    fileprivate var tried: Int64? {
        guard case .givenBack(_, let tried) = self else { return nil }
        return tried?.number
    }
}
