package import Envelope

/// Reports to tenants, and fallbacks: each is leased to the owner of its entry's shard.
package protocol HookQueue: Sendable {
    /// Writes hooks for outside events; a waiting one is not written twice.
    ///
    /// - Returns: for each, in order, true if its entry exists and is the tenant's.
    /// - Throws: `.byteCount(field: .hookDetail)`, `.full`, `.overloaded`, and disk errors.
    func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool]

    /// Leases due hooks, with equal shares for tenants. At `leasedUntil` unfinished ones are due again.
    ///
    /// - Parameter room: at most 1,000 count.
    /// - Returns: longest due first.
    /// - Throws: `.full`, `.lateOwner`, and disk errors; then none is leased.
    func takeHooks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp,
        leasedUntil: Timestamp
    ) async throws(StoreError) -> [Hook]

    /// Earliest due time, or end of a lease; nil for none.
    ///
    /// - Parameter room: tenants without room are skipped.
    func nextHook(_ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp?

    /// Records results; missing hooks are skipped.
    ///
    /// - Returns: number of those that a late owner reports, which change nothing.
    @discardableResult
    func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) -> Int

    /// Row for each tenant that ever had one: its hooks in all shards, whichever relay counted them.
    func hookCounts() async throws(StoreError) -> [HookCount]

    /// Claims due fallbacks, with equal shares for tenants.
    ///
    /// Each is armed at acceptance, then `claimed`, then `sending`, on the disk. A crash re-arms a claimed one, and
    /// ends a sending one as `HookKind.fallbackUncertain`.
    ///
    /// - Parameter room: at most 1,000 count.
    /// - Returns: longest due first, of `accepted` entries.
    /// - Throws: `.full`, `.lateOwner`, and disk errors; then they stay due.
    func claimFallbacks(_ room: ClaimRoom, by owned: ShardLeases, now: Timestamp) async throws(StoreError)
        -> [ClaimedFallback]

    /// Earliest due time: `NewEntry.fallbackAfter` after acceptance; nil for none.
    ///
    /// - Parameter room: tenants without room are skipped.
    func nextFallback(_ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp?

    /// Records, before the first byte goes out, that a claimed fallback is being sent. Completes with false if a
    /// receipt has cancelled it, or another relay owns its shard.
    @discardableResult
    func beginFallback(_ id: EntryID, _ lease: ShardLease, completion: @escaping StoreCompletion<Bool>) -> StoreCall

    /// Skips missing ones.
    ///
    /// - Returns: number of those that a late owner reports, which change nothing.
    @discardableResult
    func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) -> Int
}

/// Async form.
extension HookQueue {
    package func beginFallback(_ id: EntryID, _ lease: ShardLease) async throws(StoreError) -> Bool {
        try await awaited { beginFallback(id, lease, completion: $0) }
    }
}
