package import APNS
package import Envelope

/// A queue that loses nothing: acknowledged entries are on the disk, through crashes and power loss.
///
/// Every call names shards, directly or through ids and devices, so that an engine may span machines. One dispatcher
/// works on a shard at a time. Entries go out at least once:
///
///     enqueue → take → markSending → (the push goes out) → finish
///     enqueueSending → (the push goes out) → finish
///
/// After a crash, only entries between `markSending` or `enqueueSending` and `finish` may go out twice.
package protocol DurableOutbox: Sendable {
    /// Stores requests: one result for each, in order. On completion everything stored is on the disk.
    ///
    /// Fails with `.full`, `.overloaded`, `.byteCount` and disk errors. Callbacks, here and below, are for an event
    /// loop that calls without a task of its own.
    func enqueue(_ requests: [OutboxRequest], now: Timestamp, completion: @escaping StoreCompletion<[EnqueueResult]>)

    /// Stores entries as sending, for a sender with room for all of them: one transaction instead of two. The caller
    /// checks deadlines. Otherwise as `enqueue`.
    func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    )

    /// Takes due entries, longest due first, with equal shares for tenants. Writes only to end expired and damaged
    /// entries, so that they block nothing.
    func take(_ demand: TakeDemand) async throws(StoreError) -> [LeasedEntry]

    /// Records, before the first byte goes out, that entries may arrive, for the next process. One result for each
    /// lease, in order; only `.sending` may be sent.
    func markSending(_ leases: [Lease], now: Timestamp, completion: @escaping StoreCompletion<[MarkResult]>)

    /// Releases leases that were taken and not marked.
    func giveBack(_ leases: [Lease]) async

    /// Records attempt results: one result for each outcome, in order.
    func finish(_ outcomes: [Outcome], now: Timestamp, completion: @escaping StoreCompletion<[FinishResult]>)

    /// Queues parked entries again, at most `limit`.
    ///
    /// - Returns: their number.
    func release(tenant: TenantID, topic: Topic, limit: Int, now: Timestamp) async throws(StoreError) -> Int

    /// - Returns: one for each id, in order; nil for an unknown id or another tenant's.
    func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?]

    func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry?

    /// - Returns: a device's entries, newest first, at most `limit` (clamped to 1 ... 1,000).
    func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// Finds entries of every tenant, for devices' reports, which carry traces and no tenant.
    ///
    /// - Returns: the newest entry of each trace, in order; nil for none.
    func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?]

    /// - Returns: the answer of `enqueue` to a repeated request, `.duplicate` or `.conflict`; nil for a new one.
    func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult?

    /// - Returns: all attempts of an entry, oldest first; none if the entry is not the tenant's.
    func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt]

    /// - Parameters:
    ///   - cursor: the end of the page before; nil for the first page.
    ///   - limit: clamped to 1 ... 1,000.
    /// - Returns: dead letters, newest first.
    /// - Throws: `.invalidCursor`.
    func deadLetters(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<OutboxEntry>

    /// Sends dead letters again, as new entries.
    ///
    /// - Returns: one result for each, in order.
    func replay(_ replays: [Replay], tenant: TenantID, now: Timestamp) async throws(StoreError) -> [ReplayResult]

    /// - Returns: one row for each tenant and lane that ever had an entry.
    func counts() async throws(StoreError) -> [LaneCount]

    /// Counts a lane's queued entries as of the last change on the disk, without waiting for it.
    ///
    /// - Returns: the tenant's own, and those of all tenants.
    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int)

    /// - Returns: the due time of a lane's longest due entry; nil for an empty queue.
    func oldestDue(_ lane: Lane) async throws(StoreError) -> Timestamp?

    /// Ends waiting entries past their deadline, at most `limit`.
    ///
    /// - Returns: their number.
    func expire(now: Timestamp, limit: Int) async throws(StoreError) -> Int

    /// Deletes entries that ended before `time`, and idempotency keys as old, at most `limit` of each.
    ///
    /// - Returns: the number of entries.
    func purge(endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int
}

/// The callback methods in async form.
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
