package import Envelope
internal import Platform
internal import PostgreSQL
package import PushStore

/// Reports to tenants.
extension PostgreSQLStore: HookQueue {
    package func report(_ reports: [NewHook], now: Timestamp) async throws(StoreError) -> [Bool] {
        for report in reports where !NewHook.detailByteCounts.contains(report.detail.count) {
            throw .byteCount(field: .hookDetail, of: NewHook.detailByteCounts)
        }
        guard !reports.isEmpty else { return [] }
        let columns: [Parameter] = [
            .bytesList(reports.map(\.tenant.bytes)), .int64s(reports.map(\.entry.value)),
            .int64s(reports.map { Int64($0.kind.rawValue) }), .bytesList(reports.map(\.detail)),
        ]
        let rows = try await counting(hooks: reports.count, now: now) { batch, first in
            batch.add(HookStatements.report, first + columns)
        }[0].rows
        var exists = reports.map { _ in false }
        for ordinal in try Self.decode({ () throws(PostgreSQLError) in try rows.map(Self.ordinal) }) {
            if exists.indices.contains(ordinal) { exists[ordinal] = true }
        }
        await dropHooks(of: Set(zip(reports, exists).filter(\.1).map(\.0.tenant)))
        return exists
    }

    private static func ordinal(_ row: Row) throws(PostgreSQLError) -> Int { Int(clamping: try row.int64(0) - 1) }

    package func takeHooks(
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp,
        leasedUntil: Timestamp
    ) async throws(StoreError) -> [Hook] {
        let due = try await self.due(HookStatements.due, room, by: owned, now: now)
        guard !due.isEmpty else { return [] }
        var batch = Batch(writes: true)
        LeaseTable.require(owned, in: &batch)
        batch.add(
            HookStatements.lease,
            .int64s(due.map(\.id)),
            .int64s(due.map(\.lease.epoch)),
            .int64(now.number),
            .int64(leasedUntil.number)
        )
        let rows = try await run(batch)[1].rows
        var hooks: [Int64: Hook] = [:]
        var damaged: [Int64] = []
        for row in rows {
            let (id, hook) = try Self.decode { () throws(PostgreSQLError) in try Self.hook(row, by: owned) }
            if let hook { hooks[id] = hook } else { damaged.append(id) }
        }
        try await drop(damaged)
        return due.compactMap { hooks[$0.id] }
    }

    private static func hook(_ row: Row, by owned: ShardLeases) throws(PostgreSQLError) -> (id: Int64, hook: Hook?) {
        let id = try row.int64(0)
        guard let kind = UInt8(exactly: try row.int64(2)).flatMap(HookKind.init),
            let entry = try StoredEntry(row, from: HookStatements.leasedColumnCount)?.entry,
            let lease = owned[entry.id.shard]
        else { return (id, nil) }
        let hook = Hook(
            id: id,
            lease: lease,
            kind: kind,
            detail: try row.bytes(3),
            entry: entry,
            created: Timestamp(column: try row.int64(4)),
            attemptCount: Int(clamping: try row.int64(5))
        )
        return (id, hook)
    }

    private func drop(_ ids: [Int64]) async throws(StoreError) {
        guard !ids.isEmpty else { return }
        _ = try await counting { batch, tally in batch.add(HookStatements.drop, tally, .int64s(ids)) }
    }

    package func nextHook(_ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp? {
        try await next(HookStatements.next, room, of: shards)
    }

    @discardableResult
    package func finishHooks(_ outcomes: [HookOutcome]) async throws(StoreError) -> Int {
        guard !outcomes.isEmpty else { return 0 }
        let columns: [Parameter] = [
            .int64s(outcomes.map(\.id)), .int64s(outcomes.map { Int64($0.lease.shard.index) }),
            .int64s(outcomes.map(\.lease.epoch)), .int64s(outcomes.map { $0.verdict.due ?? -1 }),
        ]
        let rows = try await counting { batch, tally in
            batch.add(HookStatements.lockOwners, columns[1])
            batch.add(HookStatements.finish, [tally] + columns)
        }[1].rows
        return try Self.decode { () throws(PostgreSQLError) in
            try rows.first.map { row throws(PostgreSQLError) in Int(clamping: try row.int64(0)) } ?? 0
        }
    }

    private static let selectCounts: Statement = """
        SELECT tenant, sum(count)::int8, sum(dropped)::int8 FROM sealedpush.hook_tally GROUP BY tenant ORDER BY tenant
        """

    /// Row for each tenant that ever had one.
    package func hookCounts() async throws(StoreError) -> [HookCount] {
        let rows = try await read(Self.selectCounts)
        return try Self.decode { () throws(PostgreSQLError) in
            var counts: [HookCount] = []
            for row in rows {
                // Damage can make a tenant invalid.
                guard let tenant = try? TenantID(bytes: try row.bytes(0)) else { continue }
                let (waiting, dropped) = (Int(clamping: try row.int64(1)), Int(clamping: try row.int64(2)))
                counts.append(HookCount(tenant: tenant, waiting: waiting, dropped: dropped))
            }
            return counts
        }
    }

    // MARK: Steps

    struct Due {
        let time: Int64
        let id: Int64
        let lease: ShardLease
    }

    /// Finds what is due, with equal shares for tenants: so a dead receiver does not block other tenants.
    ///
    /// - Returns: longest due first.
    func due(
        _ statement: Statement,
        _ room: ClaimRoom,
        by owned: ShardLeases,
        now: Timestamp
    ) async throws(StoreError) -> [Due] {
        guard !owned.isEmpty, room.limit > 0 else { return [] }
        let rows = try await read(
            statement,
            .int64(now.number),
            Self.shards(owned.shards),
            .int64(Int64(room.limit(of: nil))),
            Self.tenants(room),
            Self.rooms(room)
        )
        let found = try Self.decode { () throws(PostgreSQLError) in
            var found: [(tenant: [UInt8], due: [Due])] = []
            for row in rows {
                let (tenant, number) = (try row.bytes(0), Int(clamping: try row.int64(3)))
                guard let lease = Shard(index: number).flatMap({ owned[$0] }) else { continue }
                if found.last?.tenant != tenant { found.append((tenant, [])) }
                let due = Due(time: try row.int64(1), id: try row.int64(2), lease: lease)
                found[found.count - 1].due.append(due)
            }
            return found.map(\.due)
        }
        let turn = turns.withLock { turn in
            turn = (turn + 1) % (1 << 20)
            return turn
        }
        let shares = FairShare.divide(room.limit, among: found.map(\.count), startingAt: turn)
        return zip(found, shares).flatMap { $0.prefix($1) }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    }

    func next(_ statement: Statement, _ room: ClaimRoom, of shards: ShardSet) async throws(StoreError) -> Timestamp? {
        let rows = try await read(
            statement,
            Self.shards(shards),
            .int64(Int64(room.limit(of: nil))),
            Self.tenants(room),
            Self.rooms(room)
        )
        return try Self.decode { () throws(PostgreSQLError) in
            try rows.first?.optionalInt64(0).map { Timestamp(column: $0) }
        }
    }

    static func shards(_ shards: ShardSet) -> Parameter { .int64s(shards.shards.map { Int64($0.index) }) }

    private static func tenants(_ room: ClaimRoom) -> Parameter { .bytesList(room.ofTenants.map(\.key.bytes)) }

    private static func rooms(_ room: ClaimRoom) -> Parameter {
        .int64s(room.ofTenants.map { Int64(room.limit(of: $0.key)) })
    }

    /// Keeps tenants' hooks within their bound. A failure leaves that to the next ones: those that were added are stored.
    func dropHooks(of tenants: Set<TenantID>) async {
        guard !tenants.isEmpty else { return }
        let bound: [Parameter] = [.int64(Int64(settings.hookCountMax)), .bytesList(tenants.map(\.bytes))]
        _ = try? await counting { batch, tally in batch.add(Conclusion.dropHooks, [tally] + bound) }
    }

    /// Repeats a call until its answer is certain, another relay has taken its shards over, or the store is closed.
    func settleLater(_ body: @escaping @Sendable () async throws(StoreError) -> Void) {
        startRest {
            var wait = Duration.milliseconds(50)
            while !Task.isCancelled {
                do throws(StoreError) {
                    try await body()
                    break
                } catch .lateOwner {
                    break
                } catch .closed {
                    break
                } catch {
                    // It fails only when the store is closed.
                    try? await Task.sleep(for: wait)
                    wait = min(wait * 2, .seconds(2))
                }
            }
        }
    }

    /// Runs a batch whose statements change counts: with rows of its own, so that no two batches write one.
    func counting(
        _ build: (inout Batch, Parameter) throws(StoreError) -> Void
    ) async throws(StoreError) -> [QueryResult] {
        let slot = slots.withLock { $0.take() }
        defer { slots.withLock { $0.end(slot) } }
        var batch = Batch(writes: true)
        try build(&batch, .bytes(tally(slot)))
        return try await run(batch)
    }

    /// - Parameters:
    ///   - hooks: bound of new hooks.
    ///   - build: adds statements that begin with the given parameters, those of `Conclusion`.
    func counting(
        hooks: Int,
        now: Timestamp,
        _ build: (inout Batch, [Parameter]) -> Void
    ) async throws(StoreError) -> [QueryResult] {
        let bits = UInt8.random(in: 0...255)
        let firstHook = ids.withLock { $0.hooks(hooks, milliseconds: now.milliseconds, random: bits) }
        return try await counting { batch, tally in build(&batch, [tally, .int64(now.number), .int64(firstHook)]) }
    }
}

extension HookOutcome.Verdict {
    /// nil for done ones.
    fileprivate var due: Int64? {
        switch self {
        case .done: nil
        case .retry(let time): time.number
        }
    }
}
