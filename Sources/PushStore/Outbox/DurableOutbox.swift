package import APNS
package import Envelope

/// Queue whose acknowledged entries survive crashes and power loss.
///
/// A relay acts on the entries of shards that it owns, by leases with an epoch. Another one takes a shard over when it
/// was given back or its lease has ended; then each write under the old epoch is refused, in its own transaction.
///
///     acquire → renew, again and again → giveBack
///
/// Entries go out at least once:
///
///     enqueue → take → markSending → (the push goes out) → finish
///     enqueueSending → (the push goes out) → finish
///
/// After a crash, only entries between `markSending` or `enqueueSending` and `finish` may go out twice.
///
/// Each call ends in a bounded time, and with its task: with `.timedOut` or `.cancelled` if it has not begun, else with
/// `.uncertain`. What such a call puts in flight all the same the engine queues again. `StoreError.effect` says what a
/// failed call has done.
package protocol DurableOutbox: Sendable {
    /// Takes over those of the shards that are free: given back, the relay's own, or with an ended lease. Settles what
    /// earlier owners left in flight there, and nothing elsewhere.
    ///
    /// - Parameter term: from now on, by the store's clock.
    /// - Throws: `.lateOwner` if another took one over meanwhile, and disk errors: call again.
    func acquire(
        _ shards: ShardSet,
        for relay: RelayID,
        lasting term: Duration,
        now: Timestamp
    ) async throws(StoreError) -> ShardTakeover

    /// Also renews ended leases, if no other relay took the shard over.
    ///
    /// - Returns: lost shards.
    func renew(_ leases: ShardLeases, lasting term: Duration) async throws(StoreError) -> ShardSet

    /// Notes that the relay lives for a time, and looks at the others.
    func survey(by relay: RelayID, lasting term: Duration) async throws(StoreError) -> ShardSurvey

    /// Tells a relay of entries that others queue in its shards: within a process before those others know that they are
    /// stored, between processes soon after. A hint may be missing: poll.
    ///
    /// - Parameter listener: called on any thread; it must only pass the hint on. nil: none.
    func listen(as relay: RelayID, _ listener: (@Sendable (QueueHint) -> Void)?)

    /// Frees the shards; later writes under these leases are refused.
    func giveBack(_ leases: ShardLeases) async throws(StoreError)

    /// Stores requests; on completion they are on the disk. One result for each, in order.
    ///
    /// Entries of the caller's shards are stored at once, then those of others', each shard in a transaction of its own;
    /// an error in between cuts the request off. Other owners get a hint. Fails, with nothing stored, with
    /// `.full`, `.overloaded`, `.byteCount` and disk errors. Callbacks suit an event loop without tasks.
    ///
    /// - Parameter relay: caller, which gets no hint.
    @discardableResult
    func enqueue(
        _ requests: [OutboxRequest],
        from relay: RelayID?,
        now: Timestamp,
        completion: @escaping StoreCompletion<[EnqueueResult]>
    ) -> StoreCall

    /// Stores entries as sending, for an owner with room for all: one transaction, not two. The caller checks
    /// deadlines.
    @discardableResult
    func enqueueSending(
        _ requests: [OutboxRequest],
        by owned: ShardLeases,
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    ) -> StoreCall

    /// Takes due entries, longest due first, with equal shares for tenants. Ends expired and damaged ones, which would
    /// block.
    func take(_ demand: TakeDemand, by owned: ShardLeases) async throws(StoreError) -> [LeasedEntry]

    /// Records, before the first byte goes out, that entries may arrive. One result each, in order; only `.sending` may
    /// be sent.
    @discardableResult
    func markSending(
        _ leases: [Lease],
        now: Timestamp,
        completion: @escaping StoreCompletion<[MarkResult]>
    ) -> StoreCall

    /// Releases unmarked leases.
    func giveBack(_ leases: [Lease]) async

    /// Records outcomes; one result for each, in order.
    @discardableResult
    func finish(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) -> StoreCall

    /// Queues up to `limit` parked entries of the owner's shards again, and returns their number.
    ///
    /// - Throws: `.lateOwner`, and disk errors; then none is released.
    func release(
        tenant: TenantID,
        topic: Topic,
        limit: Int,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> Int

    /// - Returns: in order; nil if unknown or another tenant's.
    func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?]

    func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry?

    /// - Returns: newest first, at most `limit` (clamped to 1 ... 1,000).
    func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// - Returns: newest first, at most `limit` (clamped to 1 ... 1,000).
    func entries(trace: Trace, tenant: TenantID, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// Finds each trace's newest entry, in order, of any tenant: devices report traces without tenants.
    func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?]

    /// - Returns: `.duplicate` or `.conflict`, as `enqueue` would; nil for a new request.
    func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult?

    /// - Returns: request's record of recipients without an entry; empty for none, or for an unknown request.
    func rejected(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> [UInt8]

    /// - Returns: oldest first; none for another tenant's entry.
    func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt]

    /// - Parameter limit: clamped to 1 ... 1,000.
    /// - Returns: newest first.
    /// - Throws: `.invalidCursor`.
    func deadLetters(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<OutboxEntry>

    /// Sends dead letters again, as new entries; one result for each, in order. Hints as for `enqueue`.
    func replay(
        _ replays: [Replay],
        tenant: TenantID,
        from relay: RelayID?,
        now: Timestamp
    ) async throws(StoreError) -> [ReplayResult]

    /// - Returns: row for each tenant and lane that had an entry in the shards. Cheap for all shards.
    func counts(of shards: ShardSet) async throws(StoreError) -> [LaneCount]

    /// Counts a lane's queued entries, the tenant's and all, as of the last committed change, without a read.
    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int)

    /// - Returns: nil if nothing of the shards is queued.
    func oldestDue(_ lane: Lane, in shards: ShardSet) async throws(StoreError) -> Timestamp?

    func oldestDue(_ lane: Lane, of tenant: TenantID) async throws(StoreError) -> Timestamp?

    /// Ends up to `limit` late entries of the owner's shards.
    ///
    /// - Returns: topics and push types; nil for a damaged row.
    /// - Throws: `.lateOwner`, and disk errors; then none is ended.
    func expire(
        by owned: ShardLeases,
        now: Timestamp,
        limit: Int
    ) async throws(StoreError) -> [(topic: Topic, pushType: PushType)?]

    /// Deletes up to `limit` entries of the shards that ended before `time`, and as many older idempotency keys.
    ///
    /// - Returns: number of entries.
    func purge(_ shards: ShardSet, endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int
}

/// Forms for all shards.
extension DurableOutbox {
    package func counts() async throws(StoreError) -> [LaneCount] { try await counts(of: .all) }

    package func oldestDue(_ lane: Lane) async throws(StoreError) -> Timestamp? {
        try await oldestDue(lane, in: .all)
    }

    package func purge(endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try await purge(.all, endedBefore: time, limit: limit)
    }
}

/// Async forms.
extension DurableOutbox {
    package func enqueue(
        _ requests: [OutboxRequest],
        from relay: RelayID? = nil,
        now: Timestamp
    ) async throws(StoreError) -> [EnqueueResult] {
        try await awaited { enqueue(requests, from: relay, now: now, completion: $0) }
    }

    package func replay(
        _ replays: [Replay],
        tenant: TenantID,
        now: Timestamp
    ) async throws(StoreError) -> [ReplayResult] {
        try await replay(replays, tenant: tenant, from: nil, now: now)
    }

    package func enqueueSending(
        _ requests: [OutboxRequest],
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> [SendingResult] {
        try await awaited { enqueueSending(requests, by: owned, now: now, completion: $0) }
    }

    package func markSending(_ leases: [Lease], now: Timestamp) async throws(StoreError) -> [MarkResult] {
        try await awaited { markSending(leases, now: now, completion: $0) }
    }

    package func finish(_ outcomes: [Outcome], now: Timestamp) async throws(StoreError) -> [FinishResult] {
        try await awaited { finish(outcomes, now: now, completion: $0) }
    }
}
