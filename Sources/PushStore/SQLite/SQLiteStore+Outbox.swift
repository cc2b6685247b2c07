package import APNS
package import Envelope
internal import Platform

extension SQLiteStore: DurableOutbox {
    package func enqueue(_ requests: [OutboxRequest], now: Timestamp) async throws(StoreError) -> [EnqueueResult] {
        try await called { enqueue(requests, now: now, completion: $0) }
    }

    package func enqueueSending(
        _ requests: [OutboxRequest],
        now: Timestamp
    ) async throws(StoreError) -> [SendingResult] {
        try await called { enqueueSending(requests, now: now, completion: $0) }
    }

    package func take(_ demand: TakeDemand) async throws(StoreError) -> [LeasedEntry] {
        let last = lastTenants.withLock { $0[demand.lane] ?? .min }
        let waiting = tallies.withLock { $0.waitingTenants(demand.lane, behind: last) }
        guard !waiting.isEmpty else { return [] }
        let found = try await reader.perform { [leases] reader throws(StoreError) in
            try reader.take(demand, waiting: waiting, leases: leases)
        }
        if let last = found.lastTenant { lastTenants.withLock { $0[demand.lane] = last } }
        if !found.expired.isEmpty || !found.damaged.isEmpty { await end(found, demand) }
        return found.leased
    }

    /// What a look at the queue found, and nobody can send. What is leased already is not lost over it.
    private func end(_ found: QueueFinding, _ demand: TakeDemand) async {
        do throws(StoreError) {
            try await writer.perform { writer throws(StoreError) in
                try writer.expire(found.expired, now: demand.now)
                for id in found.damaged { try writer.setAside(id, now: demand.now) }
            }
        } catch {
            // The disk does not take that either. Out of the way for as long as this process lives.
            leases.withLock { book in
                for id in found.damaged.compactMap(EntryID.init) {
                    _ = book.hold(id, until: Timestamp(milliseconds: .max), now: demand.now)
                }
            }
        }
    }

    package func markSending(_ leases: [Lease], now: Timestamp) async throws(StoreError) -> [MarkResult] {
        try await called { markSending(leases, now: now, completion: $0) }
    }

    package func giveBack(_ returned: [Lease]) async {
        leases.withLock { book in returned.forEach { book.end($0) } }
    }

    package func finish(_ outcomes: [Outcome], now: Timestamp) async throws(StoreError) -> [FinishResult] {
        try await called { finish(outcomes, now: now, completion: $0) }
    }

    package func release(
        tenant: TenantID,
        topic: Topic,
        limit: Int,
        now: Timestamp
    ) async throws(StoreError) -> Int {
        try await writer.perform { writer throws(StoreError) in
            try writer.release(tenant: tenant, topic: topic, limit: limit, now: now)
        }
    }

    package func record(_ receipts: [Receipt]) async throws(StoreError) -> [ReceiptResult] {
        try await writer.perform(weight: receipts.count, canBeRefused: true) { writer throws(StoreError) in
            try writer.record(receipts)
        }
    }

    package func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?] {
        try await reader.perform { reader throws(StoreError) in try reader.entries(ids, tenant: tenant) }
    }

    package func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry? {
        try await reader.perform { reader throws(StoreError) in try reader.entry(apnsID: apnsID, tenant: tenant) }
    }

    package func entries(trace: Trace, tenant: TenantID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await reader.perform { reader throws(StoreError) in
            try reader.entries(trace: trace, tenant: tenant, limit: limit)
        }
    }

    package func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt] {
        try await reader.perform { reader throws(StoreError) in try reader.attempts(id, tenant: tenant) }
    }

    package func deadLetters(
        tenant: TenantID,
        after cursor: Cursor?,
        limit: Int
    ) async throws(StoreError) -> Page<OutboxEntry> {
        try await reader.perform { reader throws(StoreError) in
            try reader.deadLetters(tenant: tenant, after: cursor, limit: limit)
        }
    }

    package func replay(
        _ replays: [Replay],
        tenant: TenantID,
        now: Timestamp
    ) async throws(StoreError) -> [ReplayResult] {
        try await writer.perform(weight: replays.count, canBeRefused: true) { writer throws(StoreError) in
            try writer.replay(replays, tenant: tenant, now: now)
        }
    }

    package func counts() async throws(StoreError) -> [LaneCount] {
        let book = tallies.withLock { $0.counts }
        return try await reader.perform { reader throws(StoreError) in
            var rows: [TallyTable.Key: LaneCount] = [:]
            for (key, count) in book {
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

    package func oldestDue(_ lane: Lane) async throws(StoreError) -> Timestamp? {
        let waiting = tallies.withLock { $0.waitingTenants(lane) }
        return try await reader.perform { reader throws(StoreError) in
            try reader.oldestDue(lane, waiting: waiting)
        }
    }

    package func expire(now: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try await writer.perform { writer throws(StoreError) in try writer.expire(now: now, limit: limit) }
    }

    package func purge(endedBefore time: Timestamp, limit: Int) async throws(StoreError) -> Int {
        var count = 0
        // A call that ended at its limit is gone on with, so that what still waits is not looked at again by each.
        var lastID: Int64? = purgePosition.withLock { $0 }
        while let from = lastID, count < limit {
            // Steps of their own, so that others get their turn between them.
            let step = try await writer.perform { [count] writer throws(StoreError) in
                try writer.purge(endedBefore: time, after: from, limit: limit - count)
            }
            count += step.purgedCount
            lastID = step.lastID
        }
        purgePosition.withLock { [lastID] in $0 = lastID ?? 0 }
        try await writer.perform { writer throws(StoreError) in try writer.purgeRest(before: time, limit: limit) }
        return count
    }
}
