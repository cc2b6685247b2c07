package import APNS
package import Envelope

/// A queue that loses nothing: what it has acknowledged is on the disk, through crashes and losses of power.
///
/// Batches first; every call names shards, directly or in the ids and devices that it is about, so that an engine may be
/// spread over machines. One dispatcher works on a shard at a time. Entries go out at least once:
///
///     enqueue → take → markSending → (the push goes out) → finish
///     enqueueSending → (the push goes out) → finish
///
/// Only what was between `markSending` or `enqueueSending` and `finish` when the process died may go out a second time.
package protocol DurableOutbox: Sendable {
    /// Stores requests: one result for each, in their order. On completion everything stored is on the disk.
    ///
    /// Ends in `.full`, `.overloaded`, `.byteCount`, and what a disk does. Callbacks, here and below, are for an event loop that
    /// calls without a task of its own.
    func enqueue(_ requests: [OutboxRequest], now: Timestamp, completion: @escaping StoreCompletion<[EnqueueResult]>)

    /// Stores entries as on their way, for a sender that has room for all of them: one transaction instead of two. Whether
    /// there is time left for them is the caller's to know. The rest as `enqueue`.
    func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    )

    /// Entries that are due, the longest due first, each tenant as much as any other. Nothing is written but for those
    /// whose time is over, and those that the disk has damaged: they end here and hold nobody up.
    func take(_ demand: TakeDemand) async throws(StoreError) -> [LeasedEntry]

    /// Before the first byte goes out: so the next process knows what may have arrived. One result for each lease, in their
    /// order; only `.sending` may be sent.
    func markSending(_ leases: [Lease], now: Timestamp, completion: @escaping StoreCompletion<[MarkResult]>)

    /// Gives back what was taken and not marked.
    func giveBack(_ leases: [Lease]) async

    /// Writes down how attempts ended: one result for each outcome, in their order.
    func finish(_ outcomes: [Outcome], now: Timestamp, completion: @escaping StoreCompletion<[FinishResult]>)

    /// Queues again what was parked, at most `limit` of it.
    ///
    /// - Returns: how many.
    func release(tenant: TenantID, topic: Topic, limit: Int, now: Timestamp) async throws(StoreError) -> Int

    /// - Returns: one for each id, in their order; nil for what is not there, or is another tenant's.
    func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?]

    func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry?

    /// - Returns: those for a device, the newest first, at most `limit` (1 ... 1,000; others are brought there).
    func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// Of every tenant: for what devices say, who know traces and no tenants.
    ///
    /// - Returns: for each trace, in their order, its newest entry; nil where there is none.
    func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?]

    /// - Returns: what `enqueue` would answer to a request that came before, `.duplicate` or `.conflict`; nil for a new one.
    func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult?

    /// - Returns: all attempts of an entry, the first one first; none for what is not the tenant's.
    func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt]

    /// - Parameters:
    ///   - tenant: Whose.
    ///   - cursor: Where the page before ended; nil for the first page.
    ///   - limit: 1 ... 1,000; others are brought there.
    /// - Returns: the newest first.
    /// - Throws: `.invalidCursor`.
    func deadLetters(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<OutboxEntry>

    /// Sends dead letters again, as entries of their own.
    ///
    /// - Returns: one result for each, in their order.
    func replay(_ replays: [Replay], tenant: TenantID, now: Timestamp) async throws(StoreError) -> [ReplayResult]

    /// - Returns: one row for each tenant and lane that ever had an entry.
    func counts() async throws(StoreError) -> [LaneCount]

    /// Entries of a lane that are queued, as of the last change on the disk; without a wait for it.
    ///
    /// - Returns: the tenant's own, and those of all tenants.
    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int)

    /// - Returns: since when the entry that is due the longest is due, in a lane; nil for an empty queue.
    func oldestDue(_ lane: Lane) async throws(StoreError) -> Timestamp?

    /// Ends what waits and has no time left, at most `limit` of it.
    ///
    /// - Returns: how many.
    func expire(now: Timestamp, limit: Int) async throws(StoreError) -> Int

    /// Forgets what had ended before `time`, and the idempotency keys of before, at most `limit` of each.
    ///
    /// - Returns: how many entries.
    func purge(endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int
}

/// The calls with callbacks, for a task that waits.
extension DurableOutbox {
    package func enqueue(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [EnqueueResult] {
        try await awaited { enqueue(requests, now: now, completion: $0) }
    }

    package func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp
    ) async throws(StoreError) -> [SendingResult] {
        try await awaited { enqueueSending(requests, now: now, completion: $0) }
    }

    package func markSending(_ leases: [Lease], now: Timestamp) async throws(StoreError) -> [MarkResult] {
        try await awaited { markSending(leases, now: now, completion: $0) }
    }

    package func finish(_ outcomes: [Outcome], now: Timestamp) async throws(StoreError) -> [FinishResult] {
        try await awaited { finish(outcomes, now: now, completion: $0) }
    }
}
