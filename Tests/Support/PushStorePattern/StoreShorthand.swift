package import APNS
package import Envelope
package import Platform
package import PushStore

/// Leases of stores that tests opened, but SQLite's, which its opening takes.
package let openers = Guarded<[ObjectIdentifier: ShardLeases]>([:])

/// Shorthand for tests: calls by the relay that opened the store and owns all shards.
extension RelayStore {
    package var opener: ShardLeases {
        if let store = self as? SQLiteStore { return store.openingReport.leases }
        let taken = openers.withLock { $0[ObjectIdentifier(self as AnyObject)] }
        return taken ?? ShardLeases(relay: RelayID(high: 0, low: 0))
    }

    package func take(_ demand: TakeDemand) async throws(StoreError) -> [LeasedEntry] {
        try await take(demand, by: opener)
    }

    package func enqueueSending(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [SendingResult]
    {
        try await enqueueSending(requests, by: opener, now: now)
    }

    @discardableResult
    package func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    ) -> StoreCall {
        enqueueSending(requests, by: opener, now: now, completion: completion)
    }

    package func release(tenant: TenantID, topic: Topic, limit: Int, now: Timestamp) async throws(StoreError) -> Int {
        try await release(tenant: tenant, topic: topic, limit: limit, by: opener, now: now)
    }

    package func expire(now: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try await expire(by: opener, now: now, limit: limit).count
    }

    package func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claimFallbacks(room, by: opener, now: now)
    }

    package func takeHooks(_ room: ClaimRoom, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook]
    {
        try await takeHooks(room, by: opener, now: now, leasedUntil: leasedUntil)
    }
}

/// Shorthand for tests: over every tenant, up to a limit.
extension RelayStore {
    package func nextFallback(_ room: ClaimRoom = .unlimited) async throws(StoreError) -> Timestamp? {
        try await nextFallback(room, of: .all)
    }

    package func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claimFallbacks(ClaimRoom(whole: limit, ofEach: .max), now: now)
    }

    package func beginFallback(_ id: EntryID) async throws(StoreError) -> Bool {
        guard let lease = opener[id.shard] else { return false }
        return try await beginFallback(id, lease)
    }

    /// Ends a fallback as sent.
    package func endFallback(_ id: EntryID, telling kind: HookKind? = nil, now: Timestamp) async throws(StoreError) {
        guard let lease = opener[id.shard] else { return }
        try await finishFallbacks([FallbackOutcome(id: id, lease: lease, verdict: .ended(telling: kind))], now: now)
    }

    package func nextHook(_ room: ClaimRoom = .unlimited) async throws(StoreError) -> Timestamp? {
        try await nextHook(room, of: .all)
    }

    package func takeHooks(limit: Int, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook] {
        try await takeHooks(ClaimRoom(whole: limit, ofEach: .max), now: now, leasedUntil: leasedUntil)
    }

    package func note(_ name: String) async throws(StoreError) -> [UInt8] { try await notes([name])[0] }

    package func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) {
        _ = try await replace([NoteChange(name, known: NoteChange.sum(try await notes([name])[0]), bytes: bytes)])
    }
}
