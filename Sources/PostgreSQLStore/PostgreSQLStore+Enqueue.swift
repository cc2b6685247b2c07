package import Envelope
internal import Platform
internal import PostgreSQL
internal import Primitives
package import PushStore

extension PostgreSQLStore: DurableOutbox {
    /// All entries of a call are one transaction, also those of others' shards: one database has them all, so that
    /// nothing is ever cut off.
    @discardableResult
    package func enqueue(
        _ requests: [OutboxRequest],
        from relay: RelayID?,
        now: Timestamp,
        completion: @escaping StoreCompletion<[EnqueueResult]>
    ) -> StoreCall {
        Self.start(completion) { [self] () throws(StoreError) in
            try await store(requests, by: nil, from: relay, now: now).map { result in
                if case .enqueued(let result) = result { result } else { .conflict }
            }
        }
    }

    @discardableResult
    package func enqueueSending(
        _ requests: [OutboxRequest],
        by owned: ShardLeases,
        now: Timestamp,
        completion: @escaping StoreCompletion<[SendingResult]>
    ) -> StoreCall {
        Self.start(completion) { [self] () throws(StoreError) in
            var owned = owned
            while true {
                do throws(StoreError) {
                    return try await store(requests, by: owned, from: owned.relay, now: now)
                } catch .lateOwner {
                    // What another relay owns is queued for it.
                    let held = try await permitted(owned)
                    guard held != owned else { throw .lateOwner }
                    owned = held
                }
            }
        }
    }

    /// Leases that are the newest of their shards.
    func permitted(_ leases: ShardLeases) async throws(StoreError) -> ShardLeases {
        let rows = try await read(
            "SELECT shard, epoch FROM sealedpush.shard WHERE owner IS NOT NULL AND shard = ANY ($1)",
            .int64s(leases.all.map { Int64($0.shard.index) })
        )
        var held = ShardLeases(relay: leases.relay)
        try Self.decode { () throws(PostgreSQLError) in
            for row in rows {
                guard let shard = Shard(index: Int(clamping: try row.int64(0))), let lease = leases[shard],
                    lease.epoch == (try row.int64(1))
                else { continue }
                held.add(lease)
            }
        }
        return held
    }

    private static let attemptCountMax = 8

    /// - Parameter owned: sends where it has all shards of a request; nil queues.
    private func store(
        _ requests: [OutboxRequest],
        by owned: ShardLeases?,
        from relay: RelayID?,
        now: Timestamp
    ) async throws(StoreError) -> [SendingResult] {
        if let fault = clockFault.withLock({ $0 }) { throw fault }
        for request in requests { for entry in request.entries { try entry.check() } }
        guard !requests.isEmpty else { return [] }
        for _ in 0..<Self.attemptCountMax {
            let plan = ids.withLock { ids in EnqueuePlan(requests, by: owned, &ids, secrets, now: now) }
            try await makeDays(plan.insert.ids)
            let results: [QueryResult]
            do throws(PostgreSQLError) {
                results = try await run(plan, now: now)
            } catch .notDone(.refused(let state)) where state.description == "23505" {
                // Another relay has issued an id of these: it has this one's number.
                try await claimNumber()
                continue
            } catch .notDone(.refused(let state)) where state.description == "23514" {
                // A day was dropped since.
                ids.withLock { ids in for id in plan.insert.ids { ids.forget(IDSource.day(of: id)) } }
                continue
            } catch {
                if case .uncertain = error { queueAgain(plan.flying, now: now, isNew: true) }
                throw StoreError(error)
            }
            let found = try Self.decode { () throws(PostgreSQLError) in try plan.results(results) }
            note(found, requests, from: relay)
            return found
        }
        throw .overloaded
    }

    private func run(_ plan: EnqueuePlan, now: Timestamp) async throws(PostgreSQLError) -> [QueryResult] {
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var batch = Batch(writes: true)
        if !plan.leases.isEmpty { LeaseTable.require(plan.leases, in: &batch) }
        plan.add(to: &batch, Conclusion.parameters(tally(slot), now.number, firstHook: 0))
        return try await pool.run(batch, within: settings.callTime)
    }

    /// Key of the counts of a batch.
    func tally(_ slot: UInt16) -> [UInt8] {
        relay.rawRepresentation + [UInt8(truncatingIfNeeded: slot >> 8), UInt8(truncatingIfNeeded: slot)]
    }

    /// Counts what is queued, and tells other owners.
    private func note(_ results: [SendingResult], _ requests: [OutboxRequest], from relay: RelayID?) {
        let own = relay.flatMap { relay in owned.withLock { $0[relay]?.shards } } ?? .none
        var foreign: [EntryID] = []
        queue.withLock { queue in
            for (request, result) in zip(requests, results) {
                guard case .enqueued(.stored(let ids)) = result else { continue }
                for (entry, id) in zip(request.entries, ids) {
                    queue.add(1, entry.lane, of: request.tenant)
                    if !own.contains(id.shard) { foreign.append(id) }
                }
            }
        }
        if !foreign.isEmpty { notifyOwners(foreign) }
    }
}

/// Requests of a call with their ids, as one batch.
private struct EnqueuePlan {
    private(set) var insert = EntryInsert()
    /// Leases of the shards of what is sent at once.
    private(set) var leases: ShardLeases
    /// Entries that are stored as in flight.
    private(set) var flying: [Lease] = []
    /// By request.
    private var ids: [[EntryID]] = []
    private var leasesOf: [[Lease]] = []
    /// Indices of those with a key, in the order of tenants and keys: no two calls wait for each other.
    private var keyed: [Int] = []
    private let requests: [OutboxRequest]

    init(
        _ requests: [OutboxRequest],
        by owned: ShardLeases?,
        _ source: inout IDSource,
        _ secrets: StoreSecrets,
        now: Timestamp
    ) {
        self.requests = requests
        var used = ShardSet.none
        for index in requests.indices {
            let request = requests[index]
            let hashes = request.entries.indices.map { entry in
                Shard.hash(tenant: request.tenant, device: request.entries[entry].device)
            }
            let isSent = owned.map { owned in hashes.allSatisfy { owned.shards.contains(Shard(hash: $0)) } } ?? false
            var (ids, leases): ([EntryID], [Lease]) = ([], [])
            for (entry, hash) in hashes.enumerated() {
                let shard = Shard(hash: hash)
                let id = source.next(shard, milliseconds: now.milliseconds)
                ids.append(id)
                insert.add(
                    request.entries[entry],
                    as: id,
                    of: request.tenant,
                    request: request.idempotency == nil ? 0 : ids[0].value,
                    state: isSent ? .sending : .queued,
                    deviceHash: hash,
                    secrets
                )
                guard isSent, let lease = owned?[shard] else { continue }
                used.insert(shard)
                var standing = request.entries[entry].standing(as: id, tenant: 0)
                standing.due = now
                leases.append(Lease(standing: standing, shardLease: lease, number: 0))
            }
            if request.idempotency != nil { keyed.append(index) }
            flying += leases
            self.ids.append(ids)
            leasesOf.append(leases)
        }
        leases = owned?.only(used) ?? ShardLeases(relay: RelayID(high: 0, low: 0))
        keyed.sort { one, other in
            let (one, other) = (requests[one], requests[other])
            return one.tenant == other.tenant
                ? (one.idempotency?.key ?? []).lexicographicallyPrecedes(other.idempotency?.key ?? [])
                : one.tenant.bytes.lexicographicallyPrecedes(other.tenant.bytes)
        }
    }

    func add(to batch: inout Batch, _ first: [Parameter]) {
        guard !keyed.isEmpty else { return batch.add(EntryInsert.statement, first + insert.parameters) }
        let tenants = Parameter.bytesList(keyed.map { requests[$0].tenant.bytes })
        let keys = Parameter.bytesList(keyed.map { requests[$0].idempotency?.key ?? [] })
        let rest: [Parameter] = [
            tenants, keys, .bytesList(keyed.map { requests[$0].idempotency?.digest ?? [] }),
            .bytesList(keyed.map { IDList.encode(ids[$0]) }),
            .bytesList(keyed.map { requests[$0].rejected.isEmpty ? nil : requests[$0].rejected }),
        ]
        batch.add(EntryInsert.withRequests, first + insert.parameters + rest)
        batch.add(StoredRequest.select, tenants, keys)
    }

    func results(_ results: [QueryResult]) throws(PostgreSQLError) -> [SendingResult] {
        var found: [Int: StoredRequest] = [:]
        if !keyed.isEmpty, let rows = results.last?.rows {
            for row in rows {
                let index = try row.int64(0) - 1
                guard let place = Int(exactly: index), keyed.indices.contains(place) else { continue }
                found[keyed[place]] = try StoredRequest(row)
            }
        }
        return requests.indices.map { index in
            if let idempotency = requests[index].idempotency {
                guard let known = found[index] else { return .enqueued(.cut([], new: [], error: .damaged)) }
                if known.ids != ids[index] { return .enqueued(known.result(idempotency.digest)) }
            }
            return leasesOf[index].isEmpty ? .enqueued(.stored(ids[index])) : .sending(leasesOf[index])
        }
    }
}

/// Row of `request`.
struct StoredRequest {
    /// Columns: place, from 1; digest, ids, places. A request has places if SQLite stored it and was cut off.
    static let select: Statement = """
        SELECT given.place, request.digest, request.entries, request.places
        FROM unnest($1, $2) WITH ORDINALITY AS given (tenant, key, place)
        JOIN sealedpush.request ON request.tenant = given.tenant AND request.key = given.key
        """

    let ids: [EntryID]
    private let digest: [UInt8]
    private let isOpen: Bool

    init?(_ row: Row) throws(PostgreSQLError) {
        guard let ids = IDList.decode(try row.bytes(2)) else { return nil }
        self.ids = ids
        digest = try row.bytes(1)
        isOpen = try row.optionalBytes(3) != nil
    }

    func result(_ digest: [UInt8]) -> EnqueueResult {
        guard self.digest == digest else { return .conflict }
        return isOpen ? .cut(ids, new: [], error: nil) : .duplicate(ids)
    }
}
