internal import Envelope

extension StoreReader {
    /// Newest first: replays have their letter's trace.
    func entries(trace: Trace, tenant: TenantID, limit: Int) throws(StoreError) -> [OutboxEntry] {
        guard let number = try tenants.number(tenant) else { return [] }
        var entries: [OutboxEntry] = []
        try entryNumbers(trace: Array(trace.text.utf8)) { id throws(StoreError) in
            let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ? AND tenant = ?").first(
                [.integer(id), .integer(number)],
                whole
            )
            if let entry = found ?? nil, entry.trace == trace { entries.append(entry) }
            return entries.count < limit
        }
        return entries
    }

    func newestEntries(_ traces: [Trace]) throws(StoreError) -> [OutboxEntry?] {
        var entries: [OutboxEntry?] = []
        for trace in traces {
            var newest: OutboxEntry?
            try entryNumbers(trace: Array(trace.text.utf8)) { id throws(StoreError) in
                let found = try sql("SELECT \(EntryRow.columns) FROM entry WHERE id = ?").first([.integer(id)], whole)
                if let entry = found ?? nil, entry.trace == trace { newest = entry }
                return newest == nil
            }
            entries.append(newest)
        }
        return entries
    }

    func known(_ idempotency: Idempotency, tenant: TenantID) throws(StoreError) -> EnqueueResult? {
        guard let number = try tenants.number(tenant) else { return nil }
        return try RequestRow.result(of: idempotency, number, sql)
    }

    func rejected(_ idempotency: Idempotency, tenant: TenantID) throws(StoreError) -> [UInt8] {
        guard let number = try tenants.number(tenant) else { return [] }
        let found = try sql("SELECT rejected FROM request WHERE tenant = ? AND key = ?").first(
            [.integer(number), .bytes(idempotency.key)]
        ) { $0.optionalBytes(0) }
        return (found ?? nil) ?? []
    }
}

/// Request with an idempotency key.
enum RequestRow {
    /// - Returns: nil for a new request.
    /// - Throws: `.damaged`, and disk errors.
    static func result(
        of idempotency: Idempotency,
        _ tenant: Int64,
        _ sql: StatementCache
    ) throws(StoreError) -> EnqueueResult? {
        let found = try sql("SELECT digest, entries FROM request WHERE tenant = ? AND key = ?").first(
            [.integer(tenant), .bytes(idempotency.key)]
        ) { row in (digest: row.bytes(0), entries: row.bytes(1)) }
        guard let found else { return nil }
        guard found.digest == idempotency.digest else { return .conflict }
        guard let ids = IDList.decode(found.entries) else { throw .damaged }
        return .duplicate(ids)
    }
}
