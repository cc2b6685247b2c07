import APNS
import Envelope

@testable import PushStore

/// A store in memory with hooks and fallbacks in it, as their protocols say; of the rest only what hooks ask for. It
/// outlives the runners of a test, as a disk does a process.
final class HookStandIn: Sendable {
    /// A fallback; the states are those of its row.
    struct Waiting: Sendable {
        var fallback: ClaimedFallback
        var state = FallbackState.armed
    }

    struct Due: Sendable {
        var hook: Hook
        var due: Timestamp
    }

    struct State: Sendable {
        var entries: [EntryID: OutboxEntry] = [:]
        var attempts: [EntryID: [Attempt]] = [:]
        var devices: [DeviceKey: Device] = [:]
        var hooks: [Int64: Due] = [:]
        var fallbacks: [EntryID: Waiting] = [:]
        /// In their order.
        var done: [Int64] = []
        var retried: [Int64] = []
        var claimed: [OutboxEntry] = []
        var begun: [EntryID] = []
        /// What `finishFallbacks` throws.
        var failure: StoreError?
        var reported: [NewHook] = []
        var lastID: Int64 = 0
        var nextFallbackCount = 0

        mutating func arm(_ entry: OutboxEntry, at due: Timestamp) {
            entries[entry.id] = entry
            fallbacks[entry.id] = Waiting(fallback: ClaimedFallback(entry: entry, due: due))
        }

        mutating func add(_ kind: HookKind, _ entry: OutboxEntry, detail: [UInt8] = [], at time: Timestamp) -> Int64 {
            entries[entry.id] = entry
            lastID += 1
            let hook = Hook(id: lastID, kind: kind, detail: detail, entry: entry, created: time, attemptCount: 0)
            hooks[lastID] = Due(hook: hook, due: time)
            return lastID
        }
    }

    let state = Watched(State())
}

extension HookStandIn: HookQueue {
    func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        state.change { state in
            state.reported += reports
            return reports.map { report in
                guard let entry = state.entries[report.entry], entry.tenant == report.tenant else { return false }
                _ = state.add(report.kind, entry, detail: report.detail, at: now)
                return true
            }
        }
    }

    func takeHooks(
        _ room: ClaimRoom,
        now: Timestamp,
        leasedUntil: Timestamp
    ) async throws(StoreError) -> [Hook] {
        state.change { state in
            let due = state.hooks.values.filter { $0.due <= now }.sorted { ($0.due, $0.hook.id) < ($1.due, $1.hook.id) }
            let taken = room.takes(due) { $0.hook.entry.tenant }
            for one in taken { state.hooks[one.hook.id]?.due = leasedUntil }
            return taken.map(\.hook)
        }
    }

    func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) {
        state.change { state in
            for outcome in outcomes {
                guard let found = state.hooks[outcome.id] else { continue }
                switch outcome.verdict {
                case .done:
                    state.hooks[outcome.id] = nil
                    state.done.append(outcome.id)
                case .retry(let time):
                    let hook = found.hook
                    let tried = Hook(
                        id: hook.id,
                        kind: hook.kind,
                        detail: hook.detail,
                        entry: hook.entry,
                        created: hook.created,
                        attemptCount: hook.attemptCount + 1
                    )
                    state.hooks[outcome.id] = Due(hook: tried, due: time)
                    state.retried.append(outcome.id)
                }
            }
        }
    }

    func nextHook(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? {
        state.value.hooks.values.filter { room.limit(of: $0.hook.entry.tenant) > 0 }.map(\.due).min()
    }

    func hookCounts() async throws(StoreError) -> [HookCount] { throw .closed }
}

extension HookStandIn: ReceiptBook {
    func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] { throw .closed }

    func nextFallback(_ room: ClaimRoom) async throws(StoreError) -> Timestamp? {
        state.change { state in
            state.nextFallbackCount += 1
            return state.fallbacks.values.filter {
                $0.state == .armed && room.limit(of: $0.fallback.entry.tenant) > 0
            }.map(\.fallback.due).min()
        }
    }

    func claimFallbacks(_ room: ClaimRoom, now: Timestamp) async throws(StoreError) -> [ClaimedFallback] {
        state.change { state in
            let due = state.fallbacks.values.filter { $0.state == .armed && $0.fallback.due <= now }
                .map(\.fallback).sorted { ($0.due, $0.entry.id.value) < ($1.due, $1.entry.id.value) }
            let taken = room.takes(due, of: \.entry.tenant)
            for one in taken { state.fallbacks[one.entry.id]?.state = .claimed }
            state.claimed += taken.map(\.entry)
            return taken
        }
    }

    func beginFallback(_ id: EntryID, completion: @escaping StoreCompletion<Bool>) {
        let begins = state.change { state in
            guard state.fallbacks[id]?.state == .claimed else { return false }
            state.fallbacks[id]?.state = .sending
            state.begun.append(id)
            return true
        }
        completion(.success(begins))
    }

    func finishFallbacks(_ outcomes: [FallbackOutcome], now: Timestamp) async throws(StoreError) {
        let failure = state.change { state in
            if let failure = state.failure { return failure as StoreError? }
            for outcome in outcomes {
                guard let entry = state.fallbacks[outcome.id]?.fallback.entry else { continue }
                switch outcome.verdict {
                case .ended(let kind):
                    state.fallbacks[outcome.id] = nil
                    guard let kind else { continue }
                    state.reported.append(NewHook(tenant: entry.tenant, entry: entry.id, kind: kind))
                    _ = state.add(kind, entry, at: now)
                case .givenBack(let due, let tried):
                    let fallback = ClaimedFallback(entry: entry, due: due, tried: tried)
                    state.fallbacks[outcome.id] = Waiting(fallback: fallback)
                }
            }
            return nil
        }
        if let failure { throw failure }
    }
}

extension ClaimRoom {
    /// - Returns: the first of them that there is room for.
    fileprivate func takes<Work>(_ due: [Work], of tenant: (Work) -> TenantID) -> [Work] {
        var counts: [TenantID: Int] = [:]
        return Array(
            due.filter { work in
                counts[tenant(work), default: 0] += 1
                return counts[tenant(work), default: 0] <= limit(of: tenant(work))
            }.prefix(limit)
        )
    }
}

extension HookStandIn: NoteBook {
    func note(_ name: String) async throws(StoreError) -> [UInt8]? { throw .closed }
    func setNote(_ name: String, to bytes: [UInt8]) async throws(StoreError) { throw .closed }
}

extension HookStandIn: StoreUpkeep {
    func renewStamp() async throws(StoreError) { throw .closed }
    func emptyLog() async throws(StoreError) -> Bool { throw .closed }
}

extension HookStandIn: DeviceRegistry {
    func markReached(_ tokens: [ReachedToken]) async throws(StoreError) { throw .closed }

    func put(_ registrations: [Device.Registration], now: Timestamp) async throws(StoreError) -> [PutResult] {
        throw .closed
    }

    func devices(_ keys: [DeviceKey]) async throws(StoreError) -> [DeviceLookup] {
        let devices = state.value.devices
        return keys.map { key in devices[key].map { .found($0) } ?? .missing }
    }

    func bundles(of keys: [DeviceKey]) async throws(StoreError) -> [[UInt8]?] { throw .closed }

    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> [DeviceKey] { throw .closed }

    func devices(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<Device> {
        throw .closed
    }

    func delete(_ keys: [DeviceKey]) async throws(StoreError) -> [Bool] { throw .closed }

    func unregister(_ unregistrations: [Unregistration]) async throws(StoreError) -> [UnregisterResult] {
        throw .closed
    }

    func quarantine(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) async throws(StoreError) -> Int { throw .closed }
}

extension HookStandIn: DurableOutbox {
    func enqueue(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [EnqueueResult] {
        throw .closed
    }

    func enqueueSending(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [SendingResult] {
        throw .closed
    }

    func take(_ demand: TakeDemand) async throws(StoreError) -> [LeasedEntry] { throw .closed }
    func markSending(_ leases: [Lease], now: Timestamp) async throws(StoreError) -> [MarkResult] { throw .closed }
    func giveBack(_ leases: [Lease]) async {}
    func finish(_ outcomes: [Outcome], now: Timestamp) async throws(StoreError) -> [FinishResult] { throw .closed }

    func release(tenant: TenantID, topic: Topic, limit: Int, now: Timestamp) async throws(StoreError) -> Int {
        throw .closed
    }

    func record(_ receipts: [Receipt]) async throws(StoreError) -> [ReceiptResult] { throw .closed }
    func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?] { throw .closed }
    func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry? { throw .closed }

    func entries(trace: Trace, tenant: TenantID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        throw .closed
    }

    func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry] { throw .closed }

    func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?] { throw .closed }
    func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult? {
        throw .closed
    }

    func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt] {
        state.value.attempts[id] ?? []
    }

    func deadLetters(tenant: TenantID, after cursor: Cursor?, limit: Int) async throws(StoreError) -> Page<OutboxEntry>
    { throw .closed }

    func replay(_ replays: [Replay], tenant: TenantID, now: Timestamp) async throws(StoreError) -> [ReplayResult] {
        throw .closed
    }

    func counts() async throws(StoreError) -> [LaneCount] { throw .closed }
    func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) { (0, 0) }
    func oldestDue(_ lane: Lane) async throws(StoreError) -> Timestamp? { throw .closed }
    func expire(now: Timestamp, limit: Int) async throws(StoreError) -> Int { throw .closed }
    func purge(endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int { throw .closed }
}
