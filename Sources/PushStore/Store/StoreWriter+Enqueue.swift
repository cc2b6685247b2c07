internal import APNS
internal import Envelope

extension StoreWriter {
    private static let insertRequest =
        "INSERT INTO request (tenant, key, digest, created, entries, rejected) VALUES (?, ?, ?, ?, ?, ?)"

    /// - Parameter relay: gets no hint.
    func enqueue(
        _ requests: [OutboxRequest],
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) -> [EnqueueResult] {
        var results: [EnqueueResult] = []
        for request in requests { results.append(try enqueue(request, as: .queued, from: relay, now: now)) }
        return results
    }

    /// Queues requests with an entry of a shard that is not the caller's, or no longer.
    func enqueueSending(
        _ requests: [OutboxRequest],
        by owned: ShardLeases,
        now: Timestamp
    ) throws(StoreError) -> [SendingResult] {
        var results: [SendingResult] = []
        for request in requests {
            let isOwned = request.entries.indices.allSatisfy { index in
                shards.permits(owned, Shard(tenant: request.tenant, device: request.entries[index].device))
            }
            switch try enqueue(request, as: isOwned ? .sending : .queued, from: owned.relay, now: now) {
            case .duplicate(let ids): results.append(.duplicate(ids))
            case .conflict: results.append(.conflict)
            case .stored(let ids) where !isOwned: results.append(.queued(ids))
            case .stored(let ids):
                let tenant = try tenants.makeNumber(request.tenant)
                var leases: [Lease] = []
                leases.reserveCapacity(ids.count)
                for (index, id) in ids.enumerated() {
                    guard let owner = owned[id.shard] else { continue }
                    let standing = request.entries[index].standing(as: id, tenant: tenant)
                    leases.append(Lease(standing: standing, shardLease: owner, number: 0))
                }
                results.append(.sending(leases))
            }
        }
        return results
    }

    private func enqueue(
        _ request: OutboxRequest,
        as state: EntryState.Code,
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) -> EnqueueResult {
        let tenant = try tenants.makeNumber(request.tenant)
        if let known = try request.idempotency.map({ key throws(StoreError) in try known(key, tenant) }) ?? nil {
            return known
        }
        var ids: [EntryID] = []
        ids.reserveCapacity(request.entries.count)
        var foreign: [RelayID: [NewEntry]] = [:]
        // By index: entries are large, and iteration would copy each.
        for index in request.entries.indices {
            let shard = Shard(tenant: request.tenant, device: request.entries[index].device)
            let id = nextID(shard, milliseconds: now.milliseconds)
            try insert(request.entries[index], as: id, tenant: tenant, state: state, now: now)
            ids.append(id)
            guard state == .queued, let owner = shards.owner(of: shard), owner != relay else { continue }
            foreign[owner, default: []].append(request.entries[index])
        }
        if !foreign.isEmpty { hints.add(foreign, of: request.tenant) }
        if let idempotency = request.idempotency {
            try sql(Self.insertRequest).run([
                .integer(tenant), .bytes(idempotency.key), .bytes(idempotency.digest), now.column,
                .bytes(IDList.encode(ids)), request.rejected.isEmpty ? .null : .bytes(request.rejected),
            ])
        }
        return .stored(ids)
    }

    private func known(_ idempotency: Idempotency, _ tenant: Int64) throws(StoreError) -> EnqueueResult? {
        try RequestRow.result(of: idempotency, tenant, sql)
    }

    /// - Parameter state: `.queued`, or `.sending` if the sender has room.
    func insert(
        _ entry: NewEntry,
        as id: EntryID,
        tenant: Int64,
        state: EntryState.Code = .queued,
        now: Timestamp
    ) throws(StoreError) {
        let header = EntryHeader.encode(entry)
        let apnsID = entry.apnsID.bytes
        let checksum = EntryHeader.checksum(apnsID: apnsID, header: header, payload: entry.payload)
        let row = hot.insertEntry
        row.bind(1, id.value)
        row.bind(2, tenant)
        row.bind(3, Int64(entry.lane.rawValue))
        row.bind(4, Int64(id.shard.index))
        row.bind(5, state.rawValue)
        row.bind(6, optional: entry.attemptLimit.map { Int64($0) })
        row.bind(7, now.number)
        row.bind(8, entry.deadline.number)
        row.bind(9, now.number)
        row.bind(10, now.number)
        row.bind(11, apnsID)
        apnsIDs.note(TracePair.hash(apnsID: apnsID), entry: id)
        if let trace = entry.trace {
            var text: [UInt8] = []
            trace.appendText(to: &text)
            row.bind(12, text)
            traces.note(TracePair.hash(trace: text), entry: id)
        } else {
            row.bindNull(12)
        }
        deviceEntries.note(TracePair.hash(device: entry.device.bytes, tenant: tenant), entry: id)
        row.bind(14, checksum)
        try row.runBound(13, borrowing: header)
        if state == .sending {
            try parcels.add(entry.payload, of: id.value)
        } else {
            try insertPayload(entry.payload, of: id.value)
            try list(id.value, Waiting(entry, tenant: tenant, now: now))
        }
        try watch(entry, as: id)
        tallies.move(tenant: tenant, lane: entry.lane, from: nil, to: state)
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

    /// - Returns: nil for malformed bytes.
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
