package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore {
    /// Tenants in turns, each with its longest due first; retries before fresh ones up to $7, and after them.
    ///
    /// One seek for each tenant with queued entries. $1 lane, $2 now, $3 shards, $4 excluded tenants, $5 leased entries,
    /// $6 limit, $8 tenant served last.
    private static let due = Statement(
        joining: """
            WITH RECURSIVE queued AS (
                (SELECT tenant FROM sealedpush.waiting WHERE lane = $1 AND NOT parked ORDER BY tenant LIMIT 1)
                UNION ALL
                SELECT (
                    SELECT waiting.tenant FROM sealedpush.waiting
                    WHERE lane = $1 AND NOT parked AND waiting.tenant > queued.tenant ORDER BY waiting.tenant LIMIT 1
                ) FROM queued WHERE tenant IS NOT NULL
            ), due AS (
                SELECT queued.tenant, way.tried, row.entry,
                    row_number() OVER (PARTITION BY queued.tenant, way.tried ORDER BY row.due, row.entry) AS turn
                FROM queued CROSS JOIN (VALUES (false), (true)) AS way (tried) CROSS JOIN LATERAL (
                    SELECT entry, waiting.due FROM sealedpush.waiting
                    WHERE lane = $1 AND NOT parked AND waiting.tenant = queued.tenant AND waiting.tried = way.tried
                        AND waiting.due <= $2 AND shard = ANY ($3) AND NOT entry = ANY ($5)
                    ORDER BY waiting.due, entry LIMIT $6
                ) AS row
                WHERE queued.tenant IS NOT NULL AND NOT queued.tenant = ANY ($4)
            ), ranked AS (
                SELECT tenant, tried, entry, count(*) FILTER (WHERE tried) OVER () AS tried_count,
                    count(*) FILTER (WHERE NOT tried) OVER () AS fresh_count,
                    row_number() OVER (PARTITION BY tried ORDER BY turn, tenant <= $8, tenant) AS rank
                FROM due
            ), chosen AS MATERIALIZED (
                SELECT tenant, entry, tried, rank, tried AND rank <= $7 AS is_first FROM ranked
                WHERE CASE WHEN tried THEN rank <= greatest($7, $6 - fresh_count)
                    ELSE rank <= $6 - least($7, tried_count) END
            )
            SELECT
            """,
        StoredEntry.columns,
        """
        , payload.bytes, chosen.entry, chosen.tenant
        FROM chosen LEFT JOIN LATERAL (
            SELECT * FROM sealedpush.entry WHERE entry.id = chosen.entry OFFSET 0
        ) AS entry ON true LEFT JOIN LATERAL (
            SELECT bytes FROM sealedpush.payload WHERE payload.entry = chosen.entry OFFSET 0
        ) AS payload ON true
        ORDER BY is_first DESC, tried, rank
        """
    )

    package func take(_ demand: TakeDemand, by owned: ShardLeases) async throws(StoreError) -> [LeasedEntry] {
        let shards = owned.shards.intersection(demand.shards)
        guard !shards.isEmpty, demand.limit > 0 else { return [] }
        let held = leases.withLock { leases in
            leases.beginLook()
            return leases.held(from: owned, now: demand.now)
        }
        defer { leases.withLock { $0.endLook() } }
        let last = lastTenants.withLock { $0[demand.lane] ?? [] }
        let rows = try await read(
            Self.due,
            .int64(Int64(demand.lane.rawValue)),
            .int64(demand.now.number),
            .int64s(shards.shards.map { Int64($0.index) }),
            .bytesList(demand.excluding.map(\.bytes)),
            .int64s(held.map(\.value)),
            .int64(Int64(demand.limit)),
            .int64(Int64(demand.retryLimit)),
            .bytes(last)
        )
        let found = try Self.decode { () throws(PostgreSQLError) in try finding(rows, demand, owned) }
        if let last = found.lastTenant { lastTenants.withLock { $0[demand.lane] = last } }
        if !found.expired.isEmpty || !found.damaged.isEmpty { await end(found, demand, owned) }
        return found.leased
    }

    private struct Finding {
        var leased: [LeasedEntry] = []
        var expired: [EntryID] = []
        /// Ids of damaged rows.
        var damaged: [Int64] = []
        var lastTenant: [UInt8]?
    }

    private func finding(_ rows: [Row], _ demand: TakeDemand, _ owned: ShardLeases) throws(PostgreSQLError) -> Finding {
        var found = Finding()
        for row in rows {
            let number = try row.int64(StoredEntry.columnCount + 1)
            guard let stored = try StoredEntry(row), let payload = try row.optionalBytes(StoredEntry.columnCount),
                stored.isWhole(payload: payload)
            else {
                found.damaged.append(number)
                continue
            }
            let entry = stored.entry
            guard entry.state == .queued, let owner = owned[entry.id.shard] else { continue }
            guard entry.deadline > demand.now else {
                found.expired.append(entry.id)
                continue
            }
            let lease = leases.withLock { $0.lease(stored.standing, under: owner, demand: demand) }
            guard let lease else { continue }
            found.leased.append(LeasedEntry(lease: lease, entry: entry, payload: payload))
            found.lastTenant = try row.bytes(StoredEntry.columnCount + 2)
        }
        return found
    }

    /// Ends expired and damaged entries. A failure leaves the leased ones intact.
    private func end(_ found: Finding, _ demand: TakeDemand, _ owned: ShardLeases) async {
        do throws(StoreError) {
            try await change(under: owned, now: demand.now, hooks: found.expired.count + found.damaged.count) {
                batch,
                first in
                batch.add(Conclusion.expireThese, first + [.int64s(found.expired.map(\.value))])
                Self.setAside(found.damaged, first, &batch)
            }
        } catch {
            // Holds damaged entries back for the life of this process.
            leases.withLock { leases in
                for id in found.damaged.compactMap(EntryID.init) {
                    guard let owner = owned[id.shard] else { continue }
                    _ = leases.hold(id, under: owner, until: Timestamp(milliseconds: .max), now: demand.now)
                }
            }
        }
    }

    // MARK: Marks

    @discardableResult
    package func markSending(
        _ marked: [Lease],
        now: Timestamp,
        completion: @escaping StoreCompletion<[MarkResult]>
    ) -> StoreCall {
        // Atomic: from here on no other taker gets them, however slow the database.
        let isHeld = leases.withLock { leases in marked.map { leases.mark($0) } }
        let held = zip(marked, isHeld).filter(\.1).map(\.0)
        return Self.start({ [leases] result in
            leases.withLock { leases in
                guard case .success(let results) = result else { return held.forEach { leases.end($0) } }
                for (lease, result) in zip(held, results) {
                    if result == .lateOwner { leases.end(lease) } else { leases.didMark(lease) }
                }
            }
            completion(
                result.map { results in
                    var rest = results[...]
                    return isHeld.map { $0 ? rest.popFirst() ?? .lost : .lost }
                }
            )
        }) { [self] () throws(StoreError) in
            try await mark(held, now: now)
        }
    }

    private func mark(_ marked: [Lease], now: Timestamp) async throws(StoreError) -> [MarkResult] {
        guard !marked.isEmpty else { return [] }
        let plan = MarkPlan(marked, now: now)
        do throws(StoreError) {
            let results = try await fenced(plan.leases, now: now, hooks: marked.count(where: \.standing.mayBeWatched)) {
                batch,
                first in
                plan.add(to: &batch, first)
            }
            let found = try Self.decode { () throws(PostgreSQLError) in try plan.results(results) }
            note(found.changes)
            return found.results
        } catch .lateOwner {
            return try await split(marked, \.shardLease, .lateOwner) { [self] (rest) async throws(StoreError) in
                try await mark(rest, now: now)
            }
        } catch {
            if error == .uncertain { queueAgain(marked, now: now, isNew: false) }
            throw error
        }
    }

    /// Runs a call for those under leases that hold; the others get `late`.
    func split<Element: Sendable, Result: Sendable>(
        _ all: [Element],
        _ lease: (Element) -> ShardLease,
        _ late: Result,
        _ call: ([Element]) async throws(StoreError) -> [Result]
    ) async throws(StoreError) -> [Result] {
        // Two epochs of a shard may be among them.
        var held: Set<ShardLease> = []
        for lease in try await permitted(Set(all.map(lease))) { held.insert(lease) }
        let rest = all.filter { held.contains(lease($0)) }
        var results = try await call(rest)[...]
        return all.map { held.contains(lease($0)) ? results.popFirst() ?? late : late }
    }

    private func permitted(_ leases: Set<ShardLease>) async throws(StoreError) -> [ShardLease] {
        let rows = try await read("SELECT shard, epoch FROM sealedpush.shard WHERE owner IS NOT NULL")
        return try Self.decode { () throws(PostgreSQLError) in
            var held: [ShardLease] = []
            for row in rows {
                guard let shard = Shard(index: Int(clamping: try row.int64(0))) else { continue }
                let lease = ShardLease(shard: shard, epoch: try row.int64(1))
                if leases.contains(lease) { held.append(lease) }
            }
            return held
        }
    }

    package func giveBack(_ returned: [Lease]) async {
        leases.withLock { leases in returned.forEach { leases.end($0) } }
    }

    // MARK: Batches that act on entries

    /// Runs a batch that acts on entries under these leases, with counts of its own.
    ///
    /// - Parameters:
    ///   - hooks: bound of the hooks of one statement.
    ///   - build: adds statements that begin with the given parameters.
    /// - Returns: results of what `build` added.
    func fenced(
        _ leases: [ShardLease],
        now: Timestamp,
        hooks: Int,
        _ build: (inout Batch, [Parameter]) -> Void
    ) async throws(StoreError) -> ArraySlice<QueryResult> {
        var owned = ShardLeases(relay: relay)
        for lease in leases {
            // Of two epochs of a shard one is old.
            guard owned[lease.shard].map({ $0 == lease }) ?? true else { throw .lateOwner }
            owned.add(lease)
        }
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var random = SystemRandomNumberGenerator()
        let bits = UInt8.random(in: 0...255, using: &random)
        let firstHook = ids.withLock { $0.hooks(hooks, milliseconds: now.milliseconds, random: bits) }
        var batch = Batch(writes: true)
        LeaseTable.require(owned, in: &batch)
        build(&batch, Conclusion.parameters(tally(slot), now.number, firstHook: firstHook))
        return try await run(batch).dropFirst()
    }

    /// Runs statements that end with `Conclusion.result`, and counts what they changed.
    @discardableResult
    func change(
        under owned: ShardLeases,
        now: Timestamp,
        hooks: Int,
        _ build: (inout Batch, [Parameter]) -> Void
    ) async throws(StoreError) -> [StateChange] {
        let results = try await fenced(owned.all, now: now, hooks: hooks, build)
        let changes = try Self.decode { () throws(PostgreSQLError) in
            var changes: [StateChange] = []
            for row in results.flatMap(\.rows) { if let change = try StateChange(row) { changes.append(change) } }
            return changes
        }
        note(changes)
        await dropHooks(changes)
        return changes
    }

    /// Follows changes of the queue.
    func note(_ changes: [StateChange]) {
        queue.withLock { queue in
            for change in changes {
                if change.before == EntryState.Code.queued.rawValue {
                    queue.add(-1, change.laneBefore, of: change.tenant)
                }
                if change.state == .queued { queue.add(1, change.lane, of: change.tenant) }
            }
        }
    }

    /// Keeps tenants' hooks within their bound.
    func dropHooks(_ changes: [StateChange]) async {
        await dropHooks(of: Set(changes.filter { $0.state.isFinal && $0.state != .accepted }.map(\.tenant)))
    }

    static func setAside(_ ids: [Int64], _ first: [Parameter], _ batch: inout Batch) {
        guard !ids.isEmpty else { return }
        batch.add(Conclusion.setAside, first + [.int64s(ids)])
        // Also those without an entry.
        batch.add("DELETE FROM sealedpush.waiting WHERE entry = ANY ($1)", .int64s(ids))
        batch.add("DELETE FROM sealedpush.flight WHERE entry = ANY ($1)", .int64s(ids))
    }
}

/// Statements of a `markSending`, in the order of its leases: of two of a device the first is out before the second.
struct MarkPlan {
    enum Step {
        case mark([Int])
        case expire([Int])
        /// The entry yields to a newer one.
        case supersede(Int)
    }

    private let marked: [Lease]
    private(set) var steps: [Step] = []

    var leases: [ShardLease] { Array(Set(marked.map(\.shardLease))) }

    init(_ marked: [Lease], now: Timestamp) {
        self.marked = marked
        var fresh: [Int] = []
        for index in marked.indices where marked[index].standing.deadline > now {
            guard marked[index].yieldsToNewer else {
                fresh.append(index)
                continue
            }
            if !fresh.isEmpty { steps.append(.mark(fresh)) }
            fresh = []
            steps += [.supersede(index), .mark([index])]
        }
        if !fresh.isEmpty { steps.append(.mark(fresh)) }
        let late = marked.indices.filter { marked[$0].standing.deadline <= now }
        if !late.isEmpty { steps.append(.expire(late)) }
    }

    private func ids(_ indices: [Int]) -> Parameter { .int64s(indices.map { marked[$0].id.value }) }

    private func counts(_ indices: [Int]) -> Parameter { .int64s(indices.map { Int64(marked[$0].attemptCount) }) }

    /// - Parameter first: of `Conclusion.parameters`.
    func add(to batch: inout Batch, _ first: [Parameter]) {
        for step in steps {
            switch step {
            case .mark(let indices):
                let dues = Parameter.int64s(indices.map { marked[$0].standing.due.number })
                batch.add(Conclusion.mark, first.prefix(2) + [ids(indices), counts(indices), dues])
            case .expire(let indices): batch.add(Conclusion.expireLeased, first + [ids(indices), counts(indices)])
            case .supersede(let index):
                let lease = marked[index]
                batch.add(Conclusion.supersede, first + [.int64(lease.id.value), .int64(Int64(lease.attemptCount))])
            }
        }
    }

    func results(
        _ results: ArraySlice<QueryResult>
    ) throws(PostgreSQLError) -> (results: [MarkResult], changes: [StateChange]) {
        var found = [MarkResult](repeating: .lost, count: marked.count)
        var changes: [StateChange] = []
        for (step, result) in zip(steps, results) {
            for row in result.rows {
                switch step {
                case .mark(let indices):
                    guard let index = Self.index(try row.int64(0), in: indices) else { continue }
                    found[index] = .sending
                    if let change = try StateChange(marked: row) { changes.append(change) }
                case .expire(let indices):
                    guard let index = Self.index(try row.int64(0), in: indices) else { continue }
                    found[index] = .expired
                    if let change = try StateChange(row) { changes.append(change) }
                case .supersede(let index):
                    found[index] = .superseded
                    if let change = try StateChange(row) { changes.append(change) }
                }
            }
        }
        return (found, changes)
    }

    private static func index(_ ordinal: Int64, in indices: [Int]) -> Int? {
        guard let place = Int(exactly: ordinal - 1), indices.indices.contains(place) else { return nil }
        return indices[place]
    }
}

extension StateChange {
    /// - Parameter marked: of `Conclusion.mark`.
    /// - Returns: nil for a damaged row.
    init?(marked row: Row) throws(PostgreSQLError) {
        // Damage can make a tenant invalid.
        guard let tenant = try? TenantID(bytes: try row.bytes(1)), let lane = Lane(column: try row.int64(2)) else {
            return nil
        }
        ordinal = try row.int64(0)
        state = .sending
        before = EntryState.Code.queued.rawValue
        (laneBefore, self.lane) = (lane, lane)
        self.tenant = tenant
    }
}
