package import APNS
package import Envelope
internal import Platform

extension SQLiteStore: DurableOutbox {
    @discardableResult
    package func enqueue(
        _ requests: [OutboxRequest],
        from relay: RelayID?,
        now: Timestamp,
        completion: @escaping StoreCompletion<[EnqueueResult]>
    ) -> StoreCall {
        EnqueueCall(requests, from: relay, now: now, to: self, .queued(completion)).begin()
    }

    @discardableResult
    package func enqueueSending(
        _ requests: [OutboxRequest],
        by owned: ShardLeases,
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    ) -> StoreCall {
        EnqueueCall(requests, from: owned.relay, now: now, to: self, .sending(owned, completion)).begin()
    }

    /// Queues again what a call put in flight after its time was over. On failure the shards' next owner does.
    func queueAgain(_ leases: [Lease], now: Timestamp) {
        guard !leases.isEmpty else { return }
        let outcomes = leases.map { Outcome(lease: $0, attempt: nil, verdict: .retry(at: now)) }
        write(weight: outcomes.count, { writer throws(StoreError) in try writer.finish(outcomes, now: now) }) { _ in }
    }

    package func take(_ demand: TakeDemand, by owned: ShardLeases) async throws(StoreError) -> [LeasedEntry] {
        guard !owned.isEmpty else { return [] }
        let last = lastTenants.withLock { $0[demand.lane] ?? .min }
        let waiting = tallies.withLock { $0.waitingTenants(demand.lane, behind: last) }
        guard !waiting.isEmpty else { return [] }
        let found = try await read { [leases] reader throws(StoreError) in
            try reader.take(demand, by: owned, waiting: waiting, leases: leases)
        }
        if let last = found.lastTenant { lastTenants.withLock { $0[demand.lane] = last } }
        if !found.expired.isEmpty || !found.damaged.isEmpty { await end(found, demand, owned) }
        return found.leased
    }

    /// Ends expired and damaged entries. A failure leaves the leased ones intact.
    private func end(_ found: QueueFinding, _ demand: TakeDemand, _ owned: ShardLeases) async {
        do throws(StoreError) {
            try await write { writer throws(StoreError) in
                try writer.expire(found.expired, by: owned, now: demand.now)
                for id in found.damaged { try writer.setAside(id, now: demand.now) }
            }
        } catch {
            // Holds damaged entries back for the life of this process.
            leases.withLock { snapshot in
                for id in found.damaged.compactMap(EntryID.init) {
                    guard let owner = owned[id.shard] else { continue }
                    _ = snapshot.hold(id, under: owner, until: Timestamp(milliseconds: .max), now: demand.now)
                }
            }
        }
    }

    @discardableResult
    package func markSending(
        _ marked: [Lease],
        now: Timestamp,
        completion: @escaping StoreCompletion<[MarkResult]>
    ) -> StoreCall {
        // Atomic: from here on no other taker gets them, however slow the disk.
        let isHeld = leases.withLock { snapshot in marked.map { snapshot.mark($0) } }
        let held = zip(marked, isHeld).filter(\.1).map(\.0)
        return write(
            weight: held.count,
            { writer throws(StoreError) in try writer.mark(held, now: now) },
            late: { [self] results in queueAgain(zip(held, results).filter { $0.1 == .sending }.map(\.0), now: now) }
        ) { [leases] result in
            // A marked entry is not queued, and so safe.
            leases.withLock { snapshot in
                guard case .success(let results) = result else { return held.forEach { snapshot.end($0) } }
                for (lease, result) in zip(held, results) {
                    if result == .lateOwner { snapshot.end(lease) } else { snapshot.didMark(lease) }
                }
            }
            completion(
                result.map { results in
                    var rest = results[...]
                    return isHeld.map { $0 ? rest.popFirst() ?? .lost : .lost }
                }
            )
        }
    }

    package func giveBack(_ returned: [Lease]) async {
        leases.withLock { snapshot in returned.forEach { snapshot.end($0) } }
    }

    @discardableResult
    package func finish(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) -> StoreCall {
        if outcomes.contains(where: { !$0.isMarked }) {
            return finishUnmarked(outcomes, now: now, completion: completion)
        }
        return write(weight: outcomes.count, { writer throws(StoreError) in try writer.finish(outcomes, now: now) }) {
            [leases] result in
            // A lease that was never marked is released.
            if case .success(let results) = result, results.contains(where: { !$0.isRecorded }) {
                leases.withLock { snapshot in outcomes.forEach { snapshot.end($0.lease) } }
            }
            completion(result)
        }
    }

    /// With unmarked leases. A failure keeps them, for the retry.
    private func finishUnmarked(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) -> StoreCall {
        let isHeld = leases.withLock { snapshot in outcomes.map { $0.isMarked || snapshot.mark($0.lease) } }
        let held = zip(outcomes, isHeld).filter(\.1).map(\.0)
        return write(weight: held.count, { writer throws(StoreError) in try writer.finish(held, now: now) }) {
            [leases] result in
            guard case .success(let results) = result else { return completion(result) }
            leases.withLock { snapshot in
                for (outcome, result) in zip(held, results) {
                    if !outcome.isMarked, result != .lateOwner {
                        snapshot.didMark(outcome.lease)
                    } else if !result.isRecorded {
                        snapshot.end(outcome.lease)
                    }
                }
            }
            var rest = results[...]
            completion(.success(isHeld.map { $0 ? rest.popFirst() ?? .unknown : .unknown }))
        }
    }

    package func release(
        tenant: TenantID,
        topic: Topic,
        limit: Int,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> Int {
        try await write { writer throws(StoreError) in
            try writer.release(tenant: tenant, topic: topic, limit: limit, by: owned, now: now)
        }
    }

    package func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?] {
        try await read { reader throws(StoreError) in try reader.entries(ids, tenant: tenant) }
    }

    package func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry? {
        try await read { reader throws(StoreError) in try reader.entry(apnsID: apnsID, tenant: tenant) }
    }

    package func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await read { reader throws(StoreError) in try reader.entries(device: device, limit: limit) }
    }

    package func entries(trace: Trace, tenant: TenantID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        let limit = Page<OutboxEntry>.clamped(limit)
        return try await read { reader throws(StoreError) in
            try reader.entries(trace: trace, tenant: tenant, limit: limit)
        }
    }

    package func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?] {
        try await read { reader throws(StoreError) in try reader.newestEntries(traces) }
    }

    package func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult? {
        try await read { reader throws(StoreError) in try reader.known(idempotency, tenant: tenant) }
    }

    package func rejected(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> [UInt8] {
        try await read { reader throws(StoreError) in try reader.rejected(idempotency, tenant: tenant) }
    }

    package func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt] {
        try await read { reader throws(StoreError) in try reader.attempts(id, tenant: tenant) }
    }

    package func deadLetters(
        tenant: TenantID,
        after cursor: Cursor?,
        limit: Int
    ) async throws(StoreError) -> Page<OutboxEntry> {
        try await read { reader throws(StoreError) in
            try reader.deadLetters(tenant: tenant, after: cursor, limit: limit)
        }
    }

    package func replay(
        _ replays: [Replay],
        tenant: TenantID,
        from relay: RelayID?,
        now: Timestamp
    ) async throws(StoreError) -> [ReplayResult] {
        try await write(weight: replays.count, canBeRefused: true) { writer throws(StoreError) in
            try writer.replay(replays, tenant: tenant, from: relay, now: now)
        }
    }

    package func counts(of shards: ShardSet) async throws(StoreError) -> [LaneCount] {
        let snapshot = tallies.withLock { $0.counts }
        return try await read { reader throws(StoreError) in
            let snapshot = shards == .all ? snapshot : try reader.countEntries(of: shards)
            var rows: [TallyTable.Key: LaneCount] = [:]
            for (key, count) in snapshot {
                guard let tenant = try reader.tenants.name(key.tenant) else { continue }
                // One row for all states of a tenant's lane.
                let place = TallyTable.Key(tenant: key.tenant, lane: key.lane, state: .queued)
                rows[place, default: LaneCount(tenant: tenant, lane: key.lane)][key.state] = count
            }
            return rows.values.sorted { one, other in
                one.tenant == other.tenant
                    ? one.lane.rawValue < other.lane.rawValue
                    : one.tenant.bytes.lexicographicallyPrecedes(other.tenant.bytes)
            }
        }
    }

    package func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) {
        tallies.withLock { $0.queuedCounts(lane, of: tenant) }
    }

    package func oldestDue(_ lane: Lane, in shards: ShardSet) async throws(StoreError) -> Timestamp? {
        let waiting = tallies.withLock { $0.waitingTenants(lane) }
        return try await read { reader throws(StoreError) in try reader.oldestDue(lane, waiting: waiting, in: shards) }
    }

    package func oldestDue(_ lane: Lane, of tenant: TenantID) async throws(StoreError) -> Timestamp? {
        guard let number = tallies.withLock({ $0.waitingNumber(lane, of: tenant) }) else { return nil }
        return try await read { reader throws(StoreError) in try reader.oldestDue(lane, waiting: [number]) }
    }

    package func expire(
        by owned: ShardLeases,
        now: Timestamp,
        limit: Int
    ) async throws(StoreError) -> [(topic: Topic, pushType: PushType)?] {
        try await write { writer throws(StoreError) in try writer.expire(by: owned, now: now, limit: limit) }
    }

    package func purge(_ shards: ShardSet, endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int {
        var count = 0
        // Continues after the last limit, so that not every call reads the waiting entries.
        var lastID: Int64? = purgePositions.withLock { $0[shards] ?? 0 }
        while let from = lastID, count < limit {
            // Others run between transactions.
            let step = try await write { [count] writer throws(StoreError) in
                try writer.purge(shards, endedBefore: time, after: from, limit: limit - count)
            }
            count += step.purgedCount
            lastID = step.lastID
        }
        purgePositions.withLock { [lastID] in $0[shards] = lastID }
        try await write { writer throws(StoreError) in try writer.purgeRest(before: time, limit: limit) }
        return count
    }
}

extension FinishResult {
    fileprivate var isRecorded: Bool { if case .recorded = self { true } else { false } }
}
