internal import APNS
internal import Envelope

extension StoreWriter {
    func enqueue(_ requests: [OutboxRequest], now: Timestamp) throws(StoreError) -> [EnqueueResult] {
        var results: [EnqueueResult] = []
        for request in requests { results.append(try enqueue(request, now: now)) }
        return results
    }

    private func enqueue(_ request: OutboxRequest, now: Timestamp) throws(StoreError) -> EnqueueResult {
        let tenant = try tenants.makeNumber(request.tenant)
        if let known = try request.idempotency.map({ key throws(StoreError) in try known(key, tenant) }) ?? nil {
            return known
        }
        var ids: [EntryID] = []
        ids.reserveCapacity(request.entries.count)
        for entry in request.entries {
            let shard = Shard(tenant: request.tenant, device: entry.device)
            let id = nextID(shard, milliseconds: now.milliseconds)
            try insert(entry, as: id, tenant: tenant, now: now)
            ids.append(id)
        }
        if let idempotency = request.idempotency {
            try sql("INSERT INTO request (tenant, key, digest, created, entries) VALUES (?, ?, ?, ?, ?)").run([
                .integer(tenant), .bytes(idempotency.key), .bytes(idempotency.digest), now.column,
                .bytes(IDList.encode(ids)),
            ])
        }
        return .stored(ids)
    }

    /// - Returns: the answer to a request whose key is there; nil for a new one.
    private func known(_ idempotency: Idempotency, _ tenant: Int64) throws(StoreError) -> EnqueueResult? {
        try RequestRow.result(of: idempotency, tenant, sql)
    }

    func insert(_ entry: NewEntry, as id: EntryID, tenant: Int64, now: Timestamp) throws(StoreError) {
        let header = EntryHeader.encode(entry)
        let apnsID = entry.apnsID.bytes
        let checksum = EntryHeader.checksum(apnsID: apnsID, header: header, payload: entry.payload)
        try sql(
            """
            INSERT INTO entry (id, tenant, lane, shard, state, attempts, tried, attempt_limit, due, deadline, created,
                changed, maybe_duplicate, apns_id, trace, header, checksum)
            VALUES (?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)
            """
        ).run([
            .integer(id.value), .integer(tenant), .integer(Int64(entry.lane.rawValue)),
            .integer(Int64(id.shard.index)), .optional(entry.attemptLimit.map { Int64($0) }), now.column,
            entry.deadline.column, now.column, now.column, .bytes(apnsID), .optional(entry.trace?.text),
            .bytes(header), .integer(checksum),
        ])
        try sql("INSERT INTO payload (entry, bytes) VALUES (?, ?)").run([.integer(id.value), .bytes(entry.payload)])
        try watch(entry, as: id)
        tallies.move(tenant: tenant, lane: entry.lane, from: nil, to: .queued)
    }
}

/// Ids as a column: eight bytes each.
enum IDList {
    static func encode(_ ids: [EntryID]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * ids.count)
        for id in ids { bytes.append(bigEndian: UInt64(id.value)) }
        return bytes
    }

    /// - Returns: nil for what `encode` does not make.
    static func decode(_ bytes: [UInt8]) -> [EntryID]? {
        guard bytes.count.isMultiple(of: 8) else { return nil }
        var reader = ByteReader(bytes[...])
        var ids: [EntryID] = []
        while let value = reader.take(UInt64.self) {
            guard let id = Int64(exactly: value).flatMap(EntryID.init) else { return nil }
            ids.append(id)
        }
        return ids
    }
}
