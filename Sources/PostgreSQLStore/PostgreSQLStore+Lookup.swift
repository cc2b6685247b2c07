package import APNS
package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore {
    private static let byID = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        "FROM sealedpush.entry WHERE id = ANY ($1) AND tenant = $2"
    )

    package func entries(_ ids: [EntryID], tenant: TenantID) async throws(StoreError) -> [OutboxEntry?] {
        let rows = try await read(Self.byID, .int64s(ids.map(\.value)), .bytes(tenant.bytes))
        let found = Dictionary(try Self.entries(rows).map { ($0.id, $0) }) { first, _ in first }
        return ids.map { found[$0] }
    }

    private static let byAPNSID = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        "FROM sealedpush.entry WHERE apns_id = $1 AND tenant = $2 ORDER BY id DESC LIMIT 1"
    )

    package func entry(apnsID: APNSID, tenant: TenantID) async throws(StoreError) -> OutboxEntry? {
        try Self.entries(try await read(Self.byAPNSID, .bytes(apnsID.bytes), .bytes(tenant.bytes))).first
    }

    /// The hash alone is in the index; another device with the same hash is left out here.
    private static let byDevice = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        "FROM sealedpush.entry WHERE device = $1 AND tenant = $2 AND id < $3 ORDER BY id DESC LIMIT $4"
    )

    package func entries(device: DeviceKey, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        let limit = Page<OutboxEntry>.clamped(limit)
        let hash = Int64(bitPattern: Shard.hash(tenant: device.tenant, device: device.device))
        var (found, before): ([OutboxEntry], Int64?) = ([], .max)
        while let last = before, found.count < limit {
            let rows = try await read(
                Self.byDevice,
                .int64(hash),
                .bytes(device.tenant.bytes),
                .int64(last),
                .int64(Int64(limit))
            )
            found += try Self.entries(rows).filter { $0.device == device.device }
            before = try Self.decode { () throws(PostgreSQLError) in
                rows.count < limit ? nil : try rows.last?.optionalInt64(0)
            }
        }
        return Array(found.prefix(limit))
    }

    private static let byTrace = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        "FROM sealedpush.entry WHERE trace = $1 AND tenant = $2 ORDER BY id DESC LIMIT $3"
    )

    package func entries(trace: Trace, tenant: TenantID, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        let rows = try await read(
            Self.byTrace,
            .bytes(trace.rawRepresentation),
            .bytes(tenant.bytes),
            .int64(Int64(Page<OutboxEntry>.clamped(limit)))
        )
        return try Self.entries(rows)
    }

    private static let newestByTrace = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        """
        FROM unnest($1) AS given (trace) CROSS JOIN LATERAL (
            SELECT * FROM sealedpush.entry WHERE entry.trace = given.trace ORDER BY id DESC LIMIT 1
        ) AS entry
        """
    )

    package func newestEntries(_ traces: [Trace]) async throws(StoreError) -> [OutboxEntry?] {
        let rows = try await read(Self.newestByTrace, .bytesList(traces.map(\.rawRepresentation)))
        var found: [Trace: OutboxEntry] = [:]
        for entry in try Self.entries(rows) { if let trace = entry.trace { found[trace] = entry } }
        return traces.map { found[$0] }
    }

    package func known(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> EnqueueResult? {
        let rows = try await read(
            StoredRequest.select,
            .bytesList([tenant.bytes]),
            .bytesList([idempotency.key])
        )
        guard let row = rows.first else { return nil }
        guard let known = try Self.decode({ () throws(PostgreSQLError) in try StoredRequest(row) }) else {
            throw .damaged
        }
        return known.result(idempotency.digest)
    }

    package func rejected(_ idempotency: Idempotency, tenant: TenantID) async throws(StoreError) -> [UInt8] {
        let rows = try await read(
            "SELECT rejected FROM sealedpush.request WHERE tenant = $1 AND key = $2",
            .bytes(tenant.bytes),
            .bytes(idempotency.key)
        )
        return try Self.decode { () throws(PostgreSQLError) in try rows.first?.optionalBytes(0) ?? [] }
    }

    package func attempts(_ id: EntryID, tenant: TenantID) async throws(StoreError) -> [Attempt] {
        var batch = Batch(writes: false)
        let parameters: [Parameter] = [.int64(id.value), .bytes(tenant.bytes)]
        batch.add("SELECT first_attempt FROM sealedpush.entry WHERE id = $1 AND tenant = $2", parameters)
        batch.add(
            """
            SELECT attempt.time, connection::int8, status::int8, attempt.reason, unique_id FROM sealedpush.attempt
            JOIN sealedpush.entry ON entry.id = attempt.entry WHERE attempt.entry = $1 AND tenant = $2 ORDER BY ordinal
            """,
            parameters
        )
        let results = try await run(batch)
        return try Self.decode { () throws(PostgreSQLError) in
            let first = try results[0].rows.first?.optionalBytes(0)
            var attempts = [first.flatMap { FirstAttempt.decode($0) }].compactMap(\.self)
            for row in results[1].rows { attempts.append(try Attempt(row)) }
            return attempts
        }
    }

    private static let dead = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        """
        , dead.entry FROM (
            SELECT entry FROM sealedpush.dead WHERE tenant = $1 AND entry < $2 ORDER BY entry DESC LIMIT $3
        ) AS dead LEFT JOIN LATERAL (
            SELECT * FROM sealedpush.entry WHERE entry.id = dead.entry OFFSET 0
        ) AS entry ON true ORDER BY dead.entry DESC
        """
    )

    package func deadLetters(
        tenant: TenantID,
        after cursor: Cursor?,
        limit: Int
    ) async throws(StoreError) -> Page<OutboxEntry> {
        let limit = Page<OutboxEntry>.clamped(limit)
        var before = Int64.max
        if let cursor {
            let position = try cursors.open(cursor, of: .deadLetters, tenant: tenant)
            guard let ids = IDList.decode(position), ids.count == 1 else { throw .invalidCursor }
            before = ids[0].value
        }
        let rows = try await read(Self.dead, .bytes(tenant.bytes), .int64(before), .int64(Int64(limit)))
        let last = try Self.decode { () throws(PostgreSQLError) in
            rows.count < limit
                ? nil
                : try rows.last.flatMap { row throws(PostgreSQLError) in
                    EntryID(value: try row.int64(StoredEntry.columnCount))
                }
        }
        return Page(
            elements: try Self.entries(rows),
            next: last.map { cursors.seal(IDList.encode([$0]), of: .deadLetters, tenant: tenant) }
        )
    }

    // MARK: Counts

    package func counts(of shards: ShardSet) async throws(StoreError) -> [LaneCount] {
        let rows: [Row]
        if shards == .all {
            rows = try await read(
                """
                SELECT tenant, lane::int8, state::int8, sum(count)::int8 FROM sealedpush.tally GROUP BY tenant, lane, state
                """
            )
        } else {
            // Reads all entries.
            rows = try await read(
                """
                SELECT tenant, lane::int8, state::int8, count(*) FROM sealedpush.entry
                WHERE shard = ANY ($1) GROUP BY tenant, lane, state
                """,
                .int64s(shards.shards.map { Int64($0.index) })
            )
        }
        let counts = try Self.decode { () throws(PostgreSQLError) in try Self.tally(rows) }
        var lanes: [TenantID: [LaneCount?]] = [:]
        for (tenant, lane, state, count) in counts {
            var row = lanes[tenant] ?? Lane.allCases.map { _ in nil }
            var found = row[lane.index] ?? LaneCount(tenant: tenant, lane: lane)
            found[state] = count
            row[lane.index] = found
            lanes[tenant] = row
        }
        return lanes.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }.flatMap {
            $0.value.compactMap(\.self)
        }
    }

    private static func tally(
        _ rows: [Row]
    ) throws(PostgreSQLError) -> [(tenant: TenantID, lane: Lane, state: EntryState.Code, count: Int)] {
        var counts: [(tenant: TenantID, lane: Lane, state: EntryState.Code, count: Int)] = []
        for row in rows {
            // Damage can make a field invalid.
            guard let tenant = try? TenantID(bytes: try row.bytes(0)), let lane = Lane(column: try row.int64(1)),
                let state = EntryState.Code(rawValue: try row.int64(2))
            else { continue }
            counts.append((tenant, lane, state, Int(clamping: try row.int64(3))))
        }
        return counts
    }

    package func queuedCounts(_ lane: Lane, of tenant: TenantID) -> (own: Int, all: Int) {
        queue.withLock { $0.count(lane, of: tenant) }
    }

    /// Counts what all relays have queued.
    func refreshCounts() async throws(StoreError) {
        let rows = try await read(
            """
            SELECT tenant, lane::int8, state::int8, sum(count)::int8 FROM sealedpush.tally
            WHERE state = 0 GROUP BY tenant, lane, state
            """
        )
        let counts = try Self.decode { () throws(PostgreSQLError) in try Self.tally(rows) }
        queue.withLock { $0.replace(counts.map { ($0.lane, $0.tenant, $0.count) }) }
    }

    /// One seek for each tenant with queued entries.
    private static let oldest: Statement = """
        WITH RECURSIVE queued AS (
            (SELECT tenant FROM sealedpush.waiting WHERE lane = $1 AND NOT parked ORDER BY tenant LIMIT 1)
            UNION ALL
            SELECT (
                SELECT waiting.tenant FROM sealedpush.waiting
                WHERE lane = $1 AND NOT parked AND waiting.tenant > queued.tenant ORDER BY waiting.tenant LIMIT 1
            ) FROM queued WHERE tenant IS NOT NULL
        )
        SELECT min(row.due) FROM queued CROSS JOIN (VALUES (false), (true)) AS way (tried) CROSS JOIN LATERAL (
            SELECT due FROM sealedpush.waiting
            WHERE lane = $1 AND NOT parked AND waiting.tenant = queued.tenant AND waiting.tried = way.tried
                AND shard = ANY ($2)
            ORDER BY due, entry LIMIT 1
        ) AS row
        WHERE $3::bytea IS NULL OR queued.tenant = $3
        """

    package func oldestDue(_ lane: Lane, in shards: ShardSet) async throws(StoreError) -> Timestamp? {
        try await oldestDue(lane, in: shards, .noBytes)
    }

    package func oldestDue(_ lane: Lane, of tenant: TenantID) async throws(StoreError) -> Timestamp? {
        try await oldestDue(lane, in: .all, .bytes(tenant.bytes))
    }

    private func oldestDue(
        _ lane: Lane,
        in shards: ShardSet,
        _ tenant: Parameter
    ) async throws(StoreError) -> Timestamp? {
        let rows = try await read(
            Self.oldest,
            .int64(Int64(lane.rawValue)),
            .int64s(shards.shards.map { Int64($0.index) }),
            tenant
        )
        return try Self.decode { () throws(PostgreSQLError) in try rows.first?.optionalInt64(0) }
            .map { Timestamp(column: $0) }
    }
}

extension Attempt {
    /// - Parameter row: time, connection, status, reason, unique id.
    init(_ row: Row) throws(PostgreSQLError) {
        self.init(
            time: Timestamp(column: try row.int64(0)),
            // The cautious reading of a damaged row.
            connection: UInt8(exactly: try row.int64(1)).flatMap(Connection.init) ?? .ambiguous,
            status: try row.optionalInt64(2).map { Int(clamping: $0) },
            reason: try row.optionalBytes(3).map { String(decoding: $0, as: UTF8.self) },
            uniqueID: try row.optionalBytes(4).map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
