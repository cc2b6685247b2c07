package import APNS
package import Envelope
package import PushStore

/// Shorthand for tests: calls by the relay that opened the store and owns all shards.
extension SQLiteStore {
    package var opener: ShardLeases { openingReport.leases }

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
        try await expire(by: opener, now: now, limit: limit)
    }

    package func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claimFallbacks(room, by: opener, now: now)
    }

    package func takeHooks(_ room: ClaimRoom, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook]
    {
        try await takeHooks(room, by: opener, now: now, leasedUntil: leasedUntil)
    }
}

/// Shorthand for tests: one read or write each, over every tenant, up to a limit.
extension SQLiteStore {
    package func nextFallback(_ room: ClaimRoom = .unlimited) async throws(StoreError) -> Timestamp? {
        try await read { reader throws(StoreError) in try reader.nextFallback(room, of: .all) }
    }

    package func claimFallbacks(limit: Int, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        try await claimFallbacks(ClaimRoom(whole: limit, ofEach: .max), now: now)
    }

    package func beginFallback(_ id: EntryID) async throws(StoreError) -> Bool {
        guard let lease = opener[id.shard] else { return false }
        return try await write { writer throws(StoreError) in try writer.beginFallback(id, lease) }
    }

    @discardableResult
    package func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) -> Int {
        try await write { writer throws(StoreError) in try writer.finishFallbacks(outcomes, now: now) }
    }

    /// Ends a fallback as sent.
    package func endFallback(_ id: EntryID, telling kind: HookKind? = nil, now: Timestamp) async throws(StoreError) {
        guard let lease = opener[id.shard] else { return }
        try await finishFallbacks([FallbackOutcome(id: id, lease: lease, verdict: .ended(telling: kind))], now: now)
    }

    package func nextHook(_ room: ClaimRoom = .unlimited) async throws(StoreError) -> Timestamp? {
        try await read { reader throws(StoreError) in try reader.nextHook(room, of: .all) }
    }

    package func takeHooks(limit: Int, now: Timestamp, leasedUntil: Timestamp) async throws(StoreError) -> [Hook] {
        try await takeHooks(ClaimRoom(whole: limit, ofEach: .max), now: now, leasedUntil: leasedUntil)
    }

    @discardableResult
    package func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) -> Int {
        try await write { writer throws(StoreError) in try writer.finishHooks(outcomes) }
    }

    package func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        try await write { writer throws(StoreError) in try writer.report(reports, now: now) }
    }

    package func hookCounts() async throws(StoreError) -> [HookCount] {
        try await read { reader throws(StoreError) in try reader.hookCounts() }
    }

    package func note(_ name: String) async throws(StoreError) -> [UInt8]? {
        try await read { reader throws(StoreError) in try reader.note(name) }
    }

    package func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) {
        try await write { writer throws(StoreError) in try writer.setNote(name, to: bytes) }
    }
}
