internal import APNS
internal import Envelope

/// Result of one transaction of an `enqueue`.
struct EnqueueStep: Sendable {
    /// One for each request, in order; of an open one preliminary.
    var results: [SendingResult] = []
    var open: [OpenRequest] = []

    /// Next shard to store; nil at the end.
    var nextShard: Shard? { open.compactMap { $0.rest.keys.min { $0.index < $1.index } }.min { $0.index < $1.index } }

    mutating func end(by error: StoreError?) {
        for request in open { results[request.index] = .enqueued(request.result(error)) }
        open = []
    }
}

/// Request with entries in shards of other relays: it is stored shard by shard.
struct OpenRequest: Sendable {
    /// Index in the call.
    let index: Int
    let tenant: Int64
    /// Indices of entries that are not stored yet.
    var rest: [Shard: [Int]] = [:]
    /// Stored entries by their places in the request, also those of earlier calls.
    var ids: [Int: EntryID]
    /// Indices of entries that this call stored.
    var new: [Int] = []
    /// True if an earlier call, or one at the same time, stored some.
    var isRepeated: Bool

    /// Takes over what another call has stored meanwhile.
    ///
    /// - Returns: false if nothing is left to store.
    mutating func adopt(_ row: RequestRow) -> Bool {
        guard let stored = row.open else {
            (isRepeated, rest) = (true, [:])
            ids = Dictionary(uniqueKeysWithValues: zip(0..., row.ids))
            return false
        }
        isRepeated = isRepeated || stored.count > ids.count
        ids = stored
        return true
    }

    func result(_ error: StoreError?) -> EnqueueResult {
        let stored = ids.sorted { $0.key < $1.key }.map(\.value)
        guard rest.isEmpty else { return .cut(stored, new: new, error: error) }
        return isRepeated ? .completed(stored, new: new) : .stored(stored)
    }
}

extension StoreWriter {
    /// Stores requests as queued, but for entries in shards of other relays, which `enqueueRest` stores.
    ///
    /// - Parameter relay: gets no hint; without one all is stored here.
    func enqueue(
        _ requests: [OutboxRequest],
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) -> EnqueueStep {
        var step = EnqueueStep()
        for request in requests {
            let result = try enqueue(request, as: .queued, from: relay, now: now, &step.open, index: step.results.count)
            step.results.append(.enqueued(result))
        }
        return step
    }

    /// Queues requests with an entry of a shard that is not the caller's, or no longer.
    func enqueueSending(
        _ requests: [OutboxRequest],
        by owned: ShardLeases,
        now: Timestamp
    ) throws(StoreError) -> EnqueueStep {
        var step = EnqueueStep()
        for request in requests {
            let isOwned = request.entries.indices.allSatisfy { index in
                shards.permits(owned, Shard(tenant: request.tenant, device: request.entries[index].device))
            }
            let state = isOwned ? EntryState.Code.sending : .queued
            let index = step.results.count
            let result = try enqueue(request, as: state, from: owned.relay, now: now, &step.open, index: index)
            guard isOwned, case .stored(let ids) = result else {
                step.results.append(.enqueued(result))
                continue
            }
            let tenant = try tenants.makeNumber(request.tenant)
            var leases: [Lease] = []
            leases.reserveCapacity(ids.count)
            for (index, id) in ids.enumerated() {
                guard let owner = owned[id.shard] else { continue }
                let standing = request.entries[index].standing(as: id, tenant: tenant)
                leases.append(Lease(standing: standing, shardLease: owner, number: 0))
            }
            step.results.append(.sending(leases))
        }
        return step
    }

    private func enqueue(
        _ request: OutboxRequest,
        as state: EntryState.Code,
        from relay: RelayID?,
        now: Timestamp,
        _ open: inout [OpenRequest],
        index requestIndex: Int
    ) throws(StoreError) -> EnqueueResult {
        let tenant = try tenants.makeNumber(request.tenant)
        if let known = try row(of: request, tenant) {
            return try complete(request, known, tenant, from: relay, now: now, &open, index: requestIndex)
        }
        var ids: [EntryID] = []
        ids.reserveCapacity(request.entries.count)
        var foreign: [RelayID: [NewEntry]] = [:]
        var later: OpenRequest?
        // By index: entries are large, and iteration would copy each.
        for index in request.entries.indices {
            let shard = Shard(tenant: request.tenant, device: request.entries[index].device)
            if state == .queued, let owner = shards.owner(of: shard), owner != relay {
                guard relay == nil else {
                    if later == nil {
                        later = OpenRequest(index: requestIndex, tenant: tenant, ids: [:], isRepeated: false)
                    }
                    later?.rest[shard, default: []].append(index)
                    continue
                }
                if hints.isHeard(by: owner) { foreign[owner, default: []].append(request.entries[index]) }
            }
            let id = nextID(shard, milliseconds: now.milliseconds)
            try insert(request.entries[index], as: id, tenant: tenant, state: state, now: now)
            ids.append(id)
        }
        if !foreign.isEmpty { hints.add(foreign, of: request.tenant) }
        if let rest = later?.rest {
            let isLater = Set(rest.values.joined())
            let new = request.entries.indices.filter { !isLater.contains($0) }
            later?.new = new
            later?.ids = Dictionary(uniqueKeysWithValues: zip(new.map(request.place), ids))
        }
        if let later { open.append(later) }
        if let idempotency = request.idempotency {
            let row = RequestRow(digest: idempotency.digest, ids: ids, open: later.map(\.ids))
            try sql(RequestRow.insert).run([
                .integer(tenant), .bytes(idempotency.key), .bytes(row.digest), now.column, .bytes(row.entries),
                request.rejected.isEmpty ? .null : .bytes(request.rejected), .optional(row.places),
            ])
        }
        return .stored(ids)
    }

    /// Stores what a repeated request lacks.
    private func complete(
        _ request: OutboxRequest,
        _ known: RequestRow,
        _ tenant: Int64,
        from relay: RelayID?,
        now: Timestamp,
        _ open: inout [OpenRequest],
        index requestIndex: Int
    ) throws(StoreError) -> EnqueueResult {
        guard known.digest == request.idempotency?.digest else { return .conflict }
        guard let stored = known.open else { return .duplicate(known.ids) }
        var later = OpenRequest(index: requestIndex, tenant: tenant, ids: stored, isRepeated: true)
        for index in request.entries.indices where stored[request.place(index)] == nil {
            let shard = Shard(tenant: request.tenant, device: request.entries[index].device)
            later.rest[shard, default: []].append(index)
        }
        let own = later.rest.keys.filter { shard in
            relay == nil || shards.owner(of: shard).map { $0 == relay } ?? true
        }
        for shard in own { try store(&later, of: request, in: shard, from: relay, now: now) }
        try write(later, of: request)
        if !later.rest.isEmpty { open.append(later) }
        return later.result(nil)
    }

    /// Stores open requests' entries in a shard; what another call has stored meanwhile is not stored again.
    func enqueueRest(
        of open: [OpenRequest],
        _ requests: [OutboxRequest],
        in shard: Shard,
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) -> [OpenRequest] {
        var open = open
        for index in open.indices where open[index].rest[shard] != nil {
            let request = requests[open[index].index]
            // Without a row, the request had no key or is purged.
            if let known = try row(of: request, open[index].tenant), !open[index].adopt(known) { continue }
            try store(&open[index], of: request, in: shard, from: relay, now: now)
            try write(open[index], of: request)
        }
        return open
    }

    private func store(
        _ open: inout OpenRequest,
        of request: OutboxRequest,
        in shard: Shard,
        from relay: RelayID?,
        now: Timestamp
    ) throws(StoreError) {
        var foreign: [RelayID: [NewEntry]] = [:]
        for index in open.rest.removeValue(forKey: shard) ?? [] where open.ids[request.place(index)] == nil {
            let id = nextID(shard, milliseconds: now.milliseconds)
            try insert(request.entries[index], as: id, tenant: open.tenant, now: now)
            open.ids[request.place(index)] = id
            open.new.append(index)
            guard let owner = shards.owner(of: shard), owner != relay, hints.isHeard(by: owner) else { continue }
            foreign[owner, default: []].append(request.entries[index])
        }
        if !foreign.isEmpty { hints.add(foreign, of: request.tenant) }
    }

    private func write(_ open: OpenRequest, of request: OutboxRequest) throws(StoreError) {
        guard let idempotency = request.idempotency else { return }
        let ids = open.ids.sorted { $0.key < $1.key }.map(\.value)
        let row = RequestRow(digest: idempotency.digest, ids: ids, open: open.rest.isEmpty ? nil : open.ids)
        try sql(RequestRow.update).run([
            .bytes(row.entries), .optional(row.places), request.rejected.isEmpty ? .null : .bytes(request.rejected),
            .integer(open.tenant), .bytes(idempotency.key),
        ])
    }

    private func row(of request: OutboxRequest, _ tenant: Int64) throws(StoreError) -> RequestRow? {
        guard let idempotency = request.idempotency else { return nil }
        return try RequestRow.read(idempotency.key, tenant, sql)
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
