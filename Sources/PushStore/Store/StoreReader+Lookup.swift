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
        return try RequestRow.read(idempotency.key, number, sql)?.result(idempotency.digest)
    }

    func rejected(_ idempotency: Idempotency, tenant: TenantID) throws(StoreError) -> [UInt8] {
        guard let number = try tenants.number(tenant) else { return [] }
        let found = try sql("SELECT rejected FROM request WHERE tenant = ? AND key = ?").first(
            [.integer(number), .bytes(idempotency.key)]
        ) { $0.optionalBytes(0) }
        return (found ?? nil) ?? []
    }
}
