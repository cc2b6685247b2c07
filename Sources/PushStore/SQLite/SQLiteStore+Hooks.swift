package import Envelope
internal import Platform

extension SQLiteStore {
    /// Takes hooks that are due: each tenant's as much as any other's. What is not finished by `leasedUntil` is due again, also
    /// after a crash.
    ///
    /// - Parameters:
    ///   - room: at most so many, and at most 1,000.
    ///   - now: what is due by now.
    ///   - leasedUntil: until when no other call gets them.
    /// - Returns: the longest due first; each with how often it had been taken before.
    /// - Throws: `.full`, and what a disk does: none of them is taken then.
    package func takeHooks(_ room: ClaimRoom, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook]
    {
        try await claim(
            { [turn = nextTurn()] reader throws(StoreError) in try reader.dueHooks(room, now: now, turn: turn) },
            { writer, ids throws(StoreError) in try writer.leaseHooks(ids, now: now, until: leasedUntil) }
        )
    }

    /// Claims fallbacks that are due: each tenant's as much as any other's.
    ///
    /// A fallback is armed by its entry's acceptance, then `claimed`, then `sending`, each of them on the disk. After a crash what
    /// was armed or claimed is armed. What was sending has ended, as `HookKind.fallbackUncertain`: it may have been sent.
    ///
    /// - Parameters:
    ///   - room: at most so many, and at most 1,000.
    ///   - now: what is due by now.
    /// - Returns: the longest due first, of entries that are all `accepted`. It is on the disk that they were claimed.
    /// - Throws: `.full`, and what a disk does: they are due then as before.
    package func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claim(
            { [turn = nextTurn()] reader throws(StoreError) in try reader.dueFallbacks(room, now: now, turn: turn) },
            { writer, ids throws(StoreError) in try writer.claimFallbacks(ids, now: now) }
        )
    }

    /// A look, and a write only where it found something.
    private func claim<Work: Sendable>(
        _ look: @escaping @Sendable (StoreReader) throws(StoreError) -> [Int64],
        _ take: @escaping @Sendable (StoreWriter, [Int64]) throws(StoreError) -> [Work]
    ) async throws(StoreError) -> [Work] {
        let ids = try await read(look)
        guard !ids.isEmpty else { return [] }
        return try await write(weight: ids.count) { writer throws(StoreError) in try take(writer, ids) }
    }

    /// Another at every call: whose turn it is first.
    private func nextTurn() -> Int {
        turns.withLock { turn in
            turn = (turn + 1) % (1 << 20)
            return turn
        }
    }
}
