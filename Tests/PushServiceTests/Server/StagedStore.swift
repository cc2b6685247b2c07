import APNS
import Envelope
import Synchronization

@testable import PushStore

/// A real outbox and registry, with receipts, hooks and notes in memory, and failures to order.
final class StagedStore: ServiceStore {
    struct State {
        var failure: StoreError?
        var receipts: [[UInt8]: (tenant: TenantID, id: EntryID)] = [:]
        /// As they were handed over.
        var entries: [NewEntry] = []
        var hooks: [NewHook] = []
        var notes: [String: [UInt8]] = [:]
        /// Is told of every note that is written.
        var noteSignal: AsyncStream<Void>.Continuation?
    }

    let base: SQLiteStore
    let state = Mutex(State())

    init(_ base: SQLiteStore) { self.base = base }

    /// From now on every write ends with this.
    var failure: StoreError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    private func mayWrite() throws(StoreError) {
        if let failure { throw failure }
    }

    // MARK: DurableOutbox

    func enqueue(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [EnqueueResult] {
        try mayWrite()
        let results = try await base.enqueue(requests, now: now)
        for (request, result) in zip(requests, results) {
            guard case .stored(let ids) = result else { continue }
            state.withLock { state in
                state.entries += request.entries
                for (entry, id) in zip(request.entries, ids) {
                    if let hash = entry.receiptHash { state.receipts[hash] = (request.tenant, id) }
                }
            }
        }
        return results
    }

    func enqueueSending(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [SendingResult] {
        try mayWrite()
        return try await base.enqueueSending(requests, now: now)
    }

    func take(_ demand: TakeDemand) async throws(StoreError) -> [LeasedEntry] { try await base.take(demand) }

    func markSending(_ leases: [Lease], now: Timestamp) async throws(StoreError) -> [MarkResult] {
        try await base.markSending(leases, now: now)
    }

    func giveBack(_ leases: [Lease]) async { await base.giveBack(leases) }

    func finish(_ outcomes: [PushStore.Outcome], now: Timestamp) async throws(StoreError) -> [FinishResult] {
        try await base.finish(outcomes, now: now)
    }

    func release(tenant: TenantID, topic: Topic, limit: Int, now: Timestamp) async throws(StoreError) -> Int {
        try await base.release(tenant: tenant, topic: topic, limit: limit, now: now)
    }

    func record(_ receipts: [Receipt]) async throws(StoreError) -> [ReceiptResult] { try await base.record(receipts) }

    func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?] {
        try await base.entries(ids, tenant: tenant)
    }

    func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry? {
        try await base.entry(apnsID: apnsID, tenant: tenant)
    }

    func entries(trace: Trace, tenant: TenantID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await base.entries(trace: trace, tenant: tenant, limit: limit)
    }

    func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await base.entries(device: device, limit: limit)
    }

    func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?] {
        try await base.newestEntries(traces)
    }

    func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult? {
        try await base.known(idempotency, tenant: tenant)
    }

    func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt] {
        try await base.attempts(id, tenant: tenant)
    }

    func deadLetters(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<OutboxEntry>
    {
        try await base.deadLetters(tenant: tenant, after: cursor, limit: limit)
    }

    func replay(_ replays: [Replay], tenant: TenantID, now: Timestamp) async throws(StoreError) -> [ReplayResult] {
        try mayWrite()
        return try await base.replay(replays, tenant: tenant, now: now)
    }

    func counts() async throws(StoreError) -> [LaneCount] { try await base.counts() }

    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) {
        base.queuedCounts(lane, of: tenant)
    }

    func oldestDue(_ lane: Lane) async throws(StoreError) -> Timestamp? { try await base.oldestDue(lane) }

    func expire(now: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try mayWrite()
        return try await base.expire(now: now, limit: limit)
    }

    func purge(endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try mayWrite()
        return try await base.purge(endedBefore: time, limit: limit)
    }

    // MARK: DeviceRegistry

    func markReached(_ tokens: [ReachedToken]) async throws(StoreError) {
        try mayWrite()
        try await base.markReached(tokens)
    }

    func put(_ registrations: [Device.Registration], now: Timestamp) async throws(StoreError) -> [PutResult] {
        try mayWrite()
        return try await base.put(registrations, now: now)
    }

    func devices(_ keys: [DeviceKey]) async throws(StoreError) -> [DeviceLookup] {
        try await base.devices(keys)
    }

    func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?] { try await base.bundles(of: keys) }

    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey] {
        try await base.devices(token: token, environment: environment, tenant: tenant)
    }

    func devices(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<Device> {
        try await base.devices(tenant: tenant, after: cursor, limit: limit)
    }

    func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool] {
        try mayWrite()
        return try await base.delete(keys)
    }

    func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult] {
        try await base.unregister(unregistrations)
    }

    func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int {
        try await base.quarantine(token: token, environment: environment, tenant: tenant)
    }

    // MARK: ReceiptBook, HookQueue, NoteBook

    func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        try mayWrite()
        var redemptions: [Redemption] = []
        for hash in hashes {
            let place = state.withLock { $0.receipts.removeValue(forKey: hash) }
            if let place, let entry = try await base.entries([place.id], tenant: place.tenant)[0] {
                redemptions.append(.received(entry))
            } else {
                redemptions.append(.unknown)
            }
        }
        return redemptions
    }

    func nextFallback(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? { nil }

    func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] { [] }

    func beginFallback(_ id: EntryID, completion: @escaping StoreCompletion<Bool>) { completion(.success(false)) }

    func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) {}

    func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        try mayWrite()
        state.withLock { $0.hooks += reports }
        return reports.map { _ in true }
    }

    func takeHooks(
        _ room: ClaimRoom,
        now: Timestamp,
        leasedUntil: Timestamp
    ) async throws(StoreError) -> [Hook] { [] }

    func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) {}

    func nextHook(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? { nil }

    func hookCounts() async throws(StoreError) -> [HookCount] { [] }

    func renewStamp() async throws(StoreError) {
        try mayWrite()
        try await base.renewStamp()
    }

    func emptyLog() async throws(StoreError) -> Bool { try await base.emptyLog() }

    func note(_ name: String) async throws(StoreError) -> [UInt8]? { state.withLock { $0.notes[name] } }

    func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) {
        try mayWrite()
        state.withLock { state in
            state.notes[name] = bytes
            state.noteSignal?.yield()
        }
    }
}
