package import APNS
package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore {
    @discardableResult
    package func finish(
        _ outcomes: [Outcome],
        now: Timestamp,
        completion: @escaping StoreCompletion<[FinishResult]>
    ) -> StoreCall {
        // A failure keeps unmarked leases, for the retry.
        let isHeld = leases.withLock { leases in outcomes.map { $0.isMarked || leases.mark($0.lease) } }
        let held = zip(outcomes, isHeld).filter(\.1).map(\.0)
        return Self.start({ [leases] result in
            guard case .success(let results) = result else { return completion(result) }
            leases.withLock { leases in
                for (outcome, result) in zip(held, results) {
                    if !outcome.isMarked, result != .lateOwner {
                        leases.didMark(outcome.lease)
                    } else if !result.isRecorded {
                        leases.end(outcome.lease)
                    }
                }
            }
            var rest = results[...]
            completion(.success(isHeld.map { $0 ? rest.popFirst() ?? .unknown : .unknown }))
        }) { [self] () throws(StoreError) in
            try await record(held, now: now)
        }
    }

    private func record(_ outcomes: [Outcome], now: Timestamp) async throws(StoreError) -> [FinishResult] {
        guard !outcomes.isEmpty else { return [] }
        let marks = MarkPlan(outcomes.filter { !$0.isMarked }.map(\.lease), now: now)
        let plan = FinishPlan(outcomes, now: now)
        let leases = Array(Set(outcomes.map(\.lease.shardLease)))
        do throws(StoreError) {
            let hookCount = outcomes.count(where: \.lease.standing.mayBeWatched)
            let results = try await fenced(leases, now: now, hooks: hookCount) { batch, first in
                marks.add(to: &batch, first)
                plan.add(to: &batch, first)
            }
            let (found, changes) = try Self.decode { () throws(PostgreSQLError) in
                let marked = try marks.results(results.prefix(marks.statementCount))
                let (found, changes) = try plan.results(results.dropFirst(marks.statementCount))
                return (found, marked.changes + changes)
            }
            note(changes)
            await dropHooks(changes)
            return try await complete(found, outcomes, now: now)
        } catch .lateOwner {
            return try await split(outcomes, \.lease.shardLease, .lateOwner) { [self] (rest) async throws(StoreError) in
                try await record(rest, now: now)
            }
        }
    }

    /// Completes results of what was not in flight.
    private func complete(
        _ found: [FinishResult?],
        _ outcomes: [Outcome],
        now: Timestamp
    ) async throws(StoreError) -> [FinishResult] {
        let rest = found.indices.filter { found[$0] == nil }
        guard !rest.isEmpty else { return found.compactMap(\.self) }
        // A receipt may precede the answer: then only the attempt is recorded.
        let early = rest.map { outcomes[$0] }.filter { $0.attempt != nil && $0.isMarked }
        let results = try await fenced(early.map(\.lease.shardLease), now: now, hooks: 0) { batch, _ in
            if !early.isEmpty { Attempts.addDelivered(early, to: &batch) }
            batch.add(
                "SELECT id, state::int8, reason::int8 FROM sealedpush.entry WHERE id = ANY ($1)",
                .int64s(rest.map { outcomes[$0].lease.id.value })
            )
        }
        let (recorded, states) = try Self.decode { () throws(PostgreSQLError) in
            var recorded: Set<Int64> = []
            if !early.isEmpty { for row in results.first?.rows ?? [] { recorded.insert(try row.int64(0)) } }
            var states: [Int64: EntryState] = [:]
            for row in results.last?.rows ?? [] {
                states[try row.int64(0)] = EntryState(code: try row.int64(1), reason: try row.optionalInt64(2))
            }
            return (recorded, states)
        }
        return found.indices.map { index in
            if let result = found[index] { return result }
            let (outcome, id) = (outcomes[index], outcomes[index].lease.id.value)
            guard let state = states[id] else { return .unknown }
            if recorded.contains(id), outcome.attempt != nil { return .recorded(.delivered) }
            return !outcome.isMarked && state.isFinal ? .recorded(state) : .notSending(state)
        }
    }

    // MARK: Without an answer

    /// Queues entries again that a call may have put in flight. Its caller has been told that it does not know, and sends
    /// none of them.
    ///
    /// The call may still run on the server, or begin there. Its rows of `flight` have the keys that are inserted here: it
    /// ends before, or fails. A mark names the due time, which is another one afterwards.
    ///
    /// - Parameter isNew: true for entries that the call stored.
    func queueAgain(_ leases: [Lease], now: Timestamp, isNew: Bool) {
        guard !leases.isEmpty else { return }
        settleLater { [self] () async throws(StoreError) in
            try await resolve(leases, now: now, isNew: isNew)
        }
    }

    private func resolve(_ leases: [Lease], now: Timestamp, isNew: Bool) async throws(StoreError) {
        let entries = Parameter.int64s(leases.map(\.id.value))
        let counts = Parameter.int64s(leases.map { Int64($0.attemptCount) })
        // Later than the due time that a mark still on its way may name.
        let due = leases.map { max($0.standing.due.number + 1, now.number) }
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var owned = ShardLeases(relay: relay)
        for lease in leases { owned.add(lease.shardLease) }
        var batch = Batch(writes: true)
        LeaseTable.require(owned, in: &batch)
        if isNew {
            batch.add(
                """
                INSERT INTO sealedpush.flight (entry, shard) SELECT entry, entry & 255 FROM unnest($1) AS entry
                ON CONFLICT (entry) DO NOTHING
                """,
                entries
            )
        }
        // Waits for a mark that runs.
        batch.add("SELECT FROM sealedpush.entry WHERE id = ANY ($1) ORDER BY id FOR UPDATE", entries)
        batch.add(
            """
            UPDATE sealedpush.waiting SET due = given.due FROM unnest($1, $2) AS given (id, due)
            WHERE waiting.entry = given.id AND NOT parked
            """,
            entries,
            .int64s(due)
        )
        batch.add(
            """
            UPDATE sealedpush.entry SET due = given.due FROM unnest($1, $2, $3) AS given (id, due, before)
            WHERE entry.id = given.id AND entry.state = 0 AND entry.attempts = given.before
            """,
            entries,
            .int64s(due),
            counts
        )
        let first = Conclusion.parameters(tally(slot), now.number, firstHook: 0)
        let zeros = Parameter.int64s(leases.map { _ in 0 })
        let none = Parameter.int64s(leases.map { _ in -1 })
        batch.add(Conclusion.postpone, first + [entries, counts, zeros, none, .int64s(due)])
        let rows = try await run(batch).last?.rows ?? []
        try Self.decode { () throws(PostgreSQLError) in
            var changes: [StateChange] = []
            for row in rows { if let change = try StateChange(row) { changes.append(change) } }
            note(changes)
        }
    }

    // MARK: Time, parking

    /// - Returns: topics and push types; nil for a damaged row.
    /// - Throws: `.lateOwner`, and errors of the database; then none is ended.
    package func expire(
        by owned: ShardLeases,
        now: Timestamp,
        limit: Int
    ) async throws(StoreError) -> [(topic: Topic, pushType: PushType)?] {
        let results = try await fenced(owned.all, now: now, hooks: limit) { batch, first in
            let shards = Parameter.int64s(owned.shards.shards.map { Int64($0.index) })
            batch.add(Conclusion.expire, first + [shards, .int64(Int64(limit))])
        }
        let rows = results.first?.rows ?? []
        var damaged: [Int64] = []
        let (ended, changes) = try Self.decode { () throws(PostgreSQLError) in
            var ended: [(topic: Topic, pushType: PushType)?] = []
            var changes: [StateChange] = []
            for row in rows {
                guard try row.optionalInt64(0) != nil else {
                    damaged.append(try row.int64(1))
                    ended.append(nil)
                    continue
                }
                if let change = try StateChange(row) { changes.append(change) }
                let fields = EntryHeader.decode(try row.bytes(8))
                ended.append(fields.map { (topic: $0.topic, pushType: $0.pushType) })
            }
            return (ended, changes)
        }
        note(changes)
        await dropHooks(changes)
        if !damaged.isEmpty {
            try await change(under: owned, now: now, hooks: damaged.count) { [damaged] batch, first in
                Self.setAside(damaged, first, &batch)
            }
        }
        return ended
    }

    private static let parked: Statement = """
        SELECT entry.id, entry.header FROM (
            SELECT entry FROM sealedpush.waiting
            WHERE parked AND tenant = $1 AND entry > $2 AND shard = ANY ($3) ORDER BY entry LIMIT 256
        ) AS parked LEFT JOIN LATERAL (
            SELECT id, header FROM sealedpush.entry WHERE entry.id = parked.entry OFFSET 0
        ) AS entry ON true ORDER BY entry.id
        """
    private static let release: Statement = """
        WITH changed AS (
            UPDATE sealedpush.entry SET state = 0, reason = NULL, changed = $2, due = $2
            WHERE id = ANY ($3) AND state = 2 RETURNING id, tenant, lane
        ), listed AS (
            UPDATE sealedpush.waiting SET parked = false, due = $2 FROM changed WHERE waiting.entry = changed.id
        ), counted AS (
            INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
            SELECT $1, tenant, lane, state, sum(change) FROM (
                SELECT tenant, lane, 2 AS state, -1 AS change FROM changed
                UNION ALL SELECT tenant, lane, 0, 1 FROM changed
            ) AS moves GROUP BY tenant, lane, state
            ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count
        )
        SELECT lane::int8 FROM changed
        """

    package func release(
        tenant: TenantID,
        topic: Topic,
        limit: Int,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> Int {
        var chosen: [Int64] = []
        var last: Int64? = 0
        while let after = last, chosen.count < limit {
            let rows = try await read(
                Self.parked,
                .bytes(tenant.bytes),
                .int64(after),
                .int64s(owned.shards.shards.map { Int64($0.index) })
            )
            last = nil
            try Self.decode { () throws(PostgreSQLError) in
                for row in rows {
                    guard let id = try row.optionalInt64(0) else { continue }
                    last = id
                    guard EntryHeader.decode(try row.bytes(1))?.topic == topic, chosen.count < limit else { continue }
                    chosen.append(id)
                }
            }
        }
        // Also without any: a late owner learns that it is one.
        let results = try await fenced(owned.all, now: now, hooks: 0) { [chosen] batch, first in
            batch.add(Self.release, first.prefix(2) + [.int64s(chosen)])
        }
        let rows = results.first?.rows ?? []
        try Self.decode { () throws(PostgreSQLError) in
            for row in rows {
                guard let lane = Lane(column: try row.int64(0)) else { continue }
                queue.withLock { $0.add(1, lane, of: tenant) }
            }
        }
        return rows.count
    }
}

extension FinishResult {
    fileprivate var isRecorded: Bool { if case .recorded = self { true } else { false } }
}

extension MarkPlan {
    var statementCount: Int { steps.count }
}
