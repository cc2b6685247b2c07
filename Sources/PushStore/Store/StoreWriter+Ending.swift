internal import APNS
internal import Envelope

extension StoreWriter {
    func end(_ standing: EntryStanding, as state: EntryState, now: Timestamp) throws(StoreError) {
        try sql("UPDATE entry SET state = ?, reason = ?, changed = ? WHERE id = ?").run([
            .integer(state.code.rawValue), .optional(state.reasonCode), now.column, .integer(standing.id.value),
        ])
        if standing.state.isWaiting { try unlist(standing.id.value) }
        if case .dead = state { try listDead(standing.id.value, tenant: standing.tenant) }
        try settlePayload(of: standing.id.value, as: state)
        try conclude(standing.id.value, tenant: standing.tenant, as: state.code, now: now)
        tallies.move(tenant: standing.tenant, lane: standing.lane, from: standing.state.code, to: state.code)
    }

    func expire(_ ids: [EntryID], by owned: ShardLeases, now: Timestamp) throws(StoreError) {
        try shards.require(owned)
        for id in ids {
            guard let standing = try standing(id), standing.state == .queued || standing.state == .parked,
                standing.deadline <= now
            else { continue }
            try end(standing, as: try lateEnd(of: standing), now: now)
        }
    }

    func expire(
        by owned: ShardLeases,
        now: Timestamp,
        limit: Int
    ) throws(StoreError) -> [(topic: Topic, pushType: PushType)?] {
        try shards.require(owned)
        let ids = try sql(
            "SELECT entry FROM waiting WHERE deadline <= ? AND \(ShardSet.condition) ORDER BY deadline LIMIT ?"
        ).all([now.column, owned.shards.value, .integer(Int64(limit))]) { $0.integer(0) }
        var ended: [(topic: Topic, pushType: PushType)?] = []
        for id in ids {
            if let known = EntryID(value: id), let standing = try standing(known), standing.state.isWaiting {
                try end(standing, as: try lateEnd(of: standing), now: now)
            } else {
                try setAside(id, now: now)
            }
            let header = try sql("SELECT header FROM entry WHERE id = ?").first([.integer(id)]) { $0.bytes(0) }
            ended.append(header.flatMap(EntryHeader.decode).map { (topic: $0.topic, pushType: $0.pushType) })
        }
        return ended
    }

    /// Ends a damaged row as dead, so that it blocks nothing. `id` need not have a row.
    func setAside(_ id: Int64, now: Timestamp) throws(StoreError) {
        // Even without a valid row.
        try unlist(id)
        let found = try sql("SELECT tenant, lane, state FROM entry WHERE id = ?").first([.integer(id)]) { row in
            (tenant: row.integer(0), lane: row.integer(1), state: row.integer(2))
        }
        guard let found, found.state != EntryState.Code.dead.rawValue else { return }
        try sql("UPDATE entry SET state = 5, reason = ?, changed = ? WHERE id = ?").run([
            .integer(Int64(DeathReason.corrupt.rawValue)), now.column, .integer(id),
        ])
        try listDead(id, tenant: found.tenant)
        try settlePayload(of: id, as: .dead(.corrupt))
        try conclude(id, tenant: found.tenant, as: .dead, now: now)
        guard let lane = UInt8(exactly: found.lane).flatMap(Lane.init) else { return }
        tallies.move(tenant: found.tenant, lane: lane, from: EntryState.Code(rawValue: found.state), to: .dead)
    }

    func release(
        tenant: TenantID,
        topic: Topic,
        limit: Int,
        by owned: ShardLeases,
        now: Timestamp
    ) throws(StoreError) -> Int {
        try shards.require(owned)
        guard let number = try tenants.number(tenant) else { return 0 }
        var count = 0
        var last: Int64 = 0
        while count < limit {
            let found = try sql(
                """
                SELECT \(EntryStanding.columns), header FROM entry WHERE id IN
                    (SELECT entry FROM waiting WHERE state = 2 AND tenant = ? AND entry > ? AND \(ShardSet.condition)
                    ORDER BY entry LIMIT 256)
                ORDER BY id
                """
            ).all([.integer(number), .integer(last), owned.shards.value]) { row in
                (id: row.integer(0), standing: EntryStanding(row), header: EntryHeader.decode(row.bytes(9)))
            }
            guard let end = found.last else { break }
            last = end.id
            for (id, standing, header) in found where count < limit {
                guard let standing, let header, standing.state == .parked else {
                    try setAside(id, now: now)
                    continue
                }
                guard header.topic == topic else { continue }
                count += 1
                try sql("UPDATE entry SET state = 0, reason = NULL, changed = ?, due = ? WHERE id = ?").run([
                    now.column, now.column, .integer(id),
                ])
                try sql("UPDATE waiting SET state = 0, due = ? WHERE entry = ?").run([now.column, .integer(id)])
                tallies.move(tenant: number, lane: standing.lane, from: .parked, to: .queued)
            }
        }
        return count
    }

    func deliver(_ standing: EntryStanding, at time: Timestamp) throws(StoreError) -> ReceiptResult {
        switch standing.state {
        case .delivered: return .repeated
        case .accepted, .sending: break
        // The answer was lost, but the push arrived: no retry.
        case .queued where standing.maybeDuplicate, .parked where standing.maybeDuplicate: break
        case .queued, .parked, .dead, .expired: return .implausible
        }
        try end(standing, as: .delivered, now: time)
        try sql("UPDATE entry SET receipt = ? WHERE id = ?").run([
            time.column, .integer(standing.id.value),
        ])
        return .recorded
    }
}
