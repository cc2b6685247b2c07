package import Envelope
internal import Platform

extension SQLiteStore {
    /// Leases due hooks, with equal shares for tenants. At `leasedUntil` unfinished ones are due again.
    ///
    /// - Parameter room: at most 1,000 count.
    /// - Returns: longest due first.
    /// - Throws: `.full`, `.lateOwner`, and disk errors; then none is leased.
    package func takeHooks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp,
        leasedUntil: Timestamp
    ) async throws(StoreError) -> [Hook] {
        guard !owned.isEmpty else { return [] }
        let ids = try await read { [turn = nextTurn()] reader throws(StoreError) in
            try reader.dueHooks(room, of: owned.shards, now: now, turn: turn)
        }
        // Writes only after a finding.
        guard !ids.isEmpty else { return [] }
        return try await write(weight: ids.count) { writer throws(StoreError) in
            try writer.leaseHooks(ids, by: owned, now: now, until: leasedUntil)
        }
    }

    /// Claims due fallbacks, with equal shares for tenants.
    ///
    /// Each is armed at acceptance, then `claimed`, then `sending`, on the disk. A crash re-arms a claimed one, and
    /// ends a sending one as `HookKind.fallbackUncertain`.
    ///
    /// - Parameter room: at most 1,000 count.
    /// - Returns: longest due first, of `accepted` entries.
    /// - Throws: `.full`, `.lateOwner`, and disk errors; then they stay due.
    package func claimFallbacks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> [ClaimedFallback] {
        guard !owned.isEmpty else { return [] }
        let ids = try await read { [turn = nextTurn()] reader throws(StoreError) in
            try reader.dueFallbacks(room, of: owned.shards, now: now, turn: turn)
        }
        // Writes only after a finding.
        guard !ids.isEmpty else { return [] }
        return try await awaited { claim(ids, by: owned, now: now, completion: $0) }
    }

    func claim(
        _ ids: [Int64],
        by owned: ShardLeases,
        now: Timestamp,
        completion: @escaping StoreCompletion<[ClaimedFallback]>
    ) -> StoreCall {
        write(
            weight: ids.count,
            { writer throws(StoreError) in try writer.claimFallbacks(ids, by: owned, now: now) },
            late: { [self] claimed in
                let outcomes = claimed.map { FallbackOutcome($0, .givenBack(due: $0.due, tried: $0.tried)) }
                write({ writer throws(StoreError) in try writer.finishFallbacks(outcomes, now: now) }) { _ in }
            },
            completion: completion
        )
    }

    /// Rotates the tenant that is first.
    private func nextTurn() -> Int {
        turns.withLock { turn in
            turn = (turn + 1) % (1 << 20)
            return turn
        }
    }
}
