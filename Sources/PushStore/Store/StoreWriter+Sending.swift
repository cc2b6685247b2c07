internal import Envelope

extension EntryStanding {
    /// - Returns: nil for a damaged row.
    init?(_ row: SQLiteRow) {
        guard let id = EntryID(value: row.integer(0)), let lane = UInt8(exactly: row.integer(2)).flatMap(Lane.init),
            row.isCount(5), let state = EntryState(code: row.integer(3), reason: row.optionalInteger(4))
        else { return nil }
        self.id = id
        tenant = row.integer(1)
        self.lane = lane
        self.state = state
        attemptCount = Int(clamping: row.integer(5))
        attemptLimit = row.optionalInteger(6).map { Int(clamping: $0) }
        deadline = Timestamp(column: row.integer(7))
        maybeDuplicate = row.integer(8) != 0
    }

    init(_ row: EntryRow) {
        let entry = row.entry
        id = entry.id
        tenant = row.tenant
        lane = entry.lane
        state = entry.state
        attemptCount = entry.attemptCount
        attemptLimit = entry.attemptLimit
        deadline = entry.deadline
        maybeDuplicate = entry.maybeDuplicate
    }
}

extension NewEntry {
    package func standing(as id: EntryID, tenant: Int64) -> EntryStanding {
        EntryStanding(
            id: id,
            tenant: tenant,
            lane: lane,
            state: .sending,
            attemptCount: 0,
            attemptLimit: attemptLimit,
            deadline: deadline,
            maybeDuplicate: false,
            mayBeWatched: isWatched
        )
    }
}

extension StoreWriter {
    func standing(_ id: EntryID) throws(StoreError) -> EntryStanding? {
        let found = try sql("SELECT \(EntryStanding.columns) FROM entry WHERE id = ?").first(
            [.integer(id.value)]
        ) { EntryStanding($0) }
        return found ?? nil
    }

    func mark(_ leases: [Lease], now: Timestamp) throws(StoreError) -> [MarkResult] {
        var results: [MarkResult] = []
        for lease in leases { results.append(try mark(lease, now: now)) }
        return results
    }

    private func mark(_ lease: Lease, now: Timestamp) throws(StoreError) -> MarkResult {
        guard shards.permits(lease.shardLease) else { return .lateOwner }
        // The file decides: the entry must be queued and untried since.
        if lease.standing.deadline <= now {
            guard let standing = try standing(lease.id), standing.state == .queued,
                standing.attemptCount == lease.attemptCount
            else { return .lost }
            try end(standing, as: try lateEnd(of: standing), now: now)
            return .expired
        }
        if lease.yieldsToNewer, try isSuperseded(lease.id) {
            guard let standing = try standing(lease.id), standing.state == .queued,
                standing.attemptCount == lease.attemptCount
            else { return .lost }
            try end(standing, as: .dead(.superseded), now: now)
            return .superseded
        }
        hot.mark.bind(1, now.number)
        hot.mark.bind(2, lease.id.value)
        hot.mark.bind(3, Int64(lease.attemptCount))
        guard try hot.mark.runBound() == 1 else { return .lost }
        try unlist(lease.id.value)
        tallies.move(tenant: lease.standing.tenant, lane: lease.standing.lane, from: .queued, to: .sending)
        return .sending
    }

    func finish(_ outcomes: [Outcome], now: Timestamp) throws(StoreError) -> [FinishResult] {
        var results: [FinishResult] = []
        for outcome in outcomes { results.append(try finish(outcome, now: now)) }
        return results
    }

    private func finish(_ outcome: Outcome, now: Timestamp) throws(StoreError) -> FinishResult {
        guard shards.permits(outcome.lease.shardLease) else { return .lateOwner }
        if !outcome.isMarked, let end = try markUnsent(outcome.lease, now: now) { return end }
        guard let attempt = outcome.attempt else { return try postpone(outcome, now: now) }
        if let state = try finishHeld(outcome, attempt, now: now) { return .recorded(state) }
        guard let standing = try standing(outcome.lease.id) else { return .unknown }
        guard standing.attemptCount == outcome.lease.attemptCount else { return .notSending(standing.state) }
        // A receipt may precede the answer: then only the attempt is recorded.
        guard standing.state == .delivered else { return .notSending(standing.state) }
        try sql(
            "UPDATE entry SET attempts = ?1, tried = 1, first_attempt = iif(?2 = 0, ?3, first_attempt) WHERE id = ?4"
        ).run([
            .integer(Int64(standing.attemptCount + outcome.earlier.count + 1)), .integer(Int64(standing.attemptCount)),
            .bytes(FirstAttempt.encode(outcome.earlier.first ?? attempt, state: .delivered)),
            .integer(standing.id.value),
        ])
        try recordLater(outcome.earlier + [attempt], of: standing)
        return .recorded(.delivered)
    }

    /// - Returns: nil if it is marked.
    private func markUnsent(_ lease: Lease, now: Timestamp) throws(StoreError) -> FinishResult? {
        switch try mark(lease, now: now) {
        case .sending: return nil
        case .lateOwner: return .lateOwner
        case .expired, .superseded, .lost:
            guard let state = try standing(lease.id)?.state else { return .unknown }
            return state.isFinal ? .recorded(state) : .notSending(state)
        }
    }

    /// Settles an entry in flight as its lease says; nil if it is not, and nothing has changed.
    private func finishHeld(
        _ outcome: Outcome,
        _ attempt: Attempt,
        now: Timestamp
    ) throws(StoreError) -> EntryState? {
        let standing = outcome.lease.standing
        let settlement = Settlement(
            outcome.verdict,
            isOutcomeUnknown: attempt.isOutcomeUnknown,
            attemptCount: standing.attemptCount + outcome.earlier.count + 1,
            attemptLimit: standing.attemptLimit,
            deadline: standing.deadline
        )
        return try settle(standing, settlement, attempt, after: outcome.earlier, now: now) ? settlement.state : nil
    }

    /// Settles entries that an earlier owner of the shards left in flight, newest first, as nearly all are recent.
    ///
    /// - Parameters:
    ///   - last: end of the step before.
    ///   - limit: of entries read, of any shard.
    func recoverInterrupted(
        of shards: ShardSet,
        below last: Int64,
        limit: Int,
        now: Timestamp
    ) throws(StoreError) -> RecoveryStep {
        let found = try sql(
            """
            SELECT \(EntryStanding.columns), header FROM entry WHERE state = 1 AND id < ? ORDER BY id DESC LIMIT ?
            """
        ).all([.integer(last), .integer(Int64(limit))]) { row in
            (id: row.integer(0), standing: EntryStanding(row), header: EntryHeader.decode(row.bytes(9)))
        }
        var count = 0
        for (id, standing, header) in found where shards.contains(entry: id) {
            count += 1
            guard let standing, let header else {
                try setAside(id, now: now)
                continue
            }
            let settlement = Settlement.afterInterruption(
                isCollapsible: header.collapseID != nil,
                attemptCount: standing.attemptCount + 1,
                attemptLimit: standing.attemptLimit,
                deadline: standing.deadline,
                now: now
            )
            let attempt = Attempt(time: now, connection: .interrupted)
            guard try settle(standing, settlement, attempt, now: now) else {
                try setAside(id, now: now)
                continue
            }
        }
        return RecoveryStep(recoveredCount: count, lastID: found.count < limit ? nil : found.last?.id)
    }

    /// Stores attempts after the first, which is in its row, and keeps the last ones.
    private func recordLater(_ attempts: [Attempt], of standing: EntryStanding) throws(StoreError) {
        for (index, attempt) in attempts.enumerated() {
            let ordinal = standing.attemptCount + 1 + index
            guard ordinal > 1 else { continue }
            try record(attempt, of: standing.id, ordinal: ordinal)
            guard ordinal - Attempt.lastCountMax > 1 else { continue }
            try sql("DELETE FROM attempt WHERE entry = ? AND ordinal > 1 AND ordinal <= ?").run([
                .integer(standing.id.value), .integer(Int64(ordinal - Attempt.lastCountMax)),
            ])
        }
    }

    private func record(_ attempt: Attempt, of id: EntryID, ordinal: Int) throws(StoreError) {
        try sql(
            """
            INSERT INTO attempt (entry, ordinal, time, connection, status, reason, unique_id)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        ).run([
            .integer(id.value), .integer(Int64(ordinal)), attempt.time.column,
            .integer(Int64(attempt.connection.rawValue)), .optional(attempt.status.map { Int64($0) }),
            .optional(attempt.reason), .optional(attempt.uniqueID),
        ])
    }

    /// Records attempts and the resulting state of an entry in flight.
    ///
    /// - Returns: false if its state or attempt count differs; then nothing has changed.
    private func settle(
        _ standing: EntryStanding,
        _ settlement: Settlement,
        _ attempt: Attempt,
        after earlier: [Attempt] = [],
        now: Timestamp
    ) throws(StoreError) -> Bool {
        let isFirst = standing.attemptCount == 0
        let row = isFirst ? hot.settleFirst : hot.settle
        row.bind(1, settlement.state.code.rawValue)
        row.bind(2, optional: settlement.state.reasonCode)
        row.bind(3, now.number)
        row.bind(4, (settlement.due ?? now).number)
        row.bind(5, Int64(standing.attemptCount + earlier.count + 1))
        row.bind(6, standing.maybeDuplicate || attempt.isOutcomeUnknown ? 1 : 0)
        let changeCount: Int
        if isFirst {
            row.bind(8, standing.id.value)
            let first = FirstAttempt.encode(earlier.first ?? attempt, state: settlement.state)
            changeCount = try row.runBound(7, borrowing: first)
        } else {
            row.bind(7, standing.id.value)
            row.bind(8, Int64(standing.attemptCount))
            changeCount = try row.runBound()
        }
        guard changeCount == 1 else { return false }
        if !isFirst || !earlier.isEmpty { try recordLater(earlier + [attempt], of: standing) }
        try settlePayload(of: standing.id.value, as: settlement.state)
        if standing.mayBeWatched {
            try conclude(standing.id.value, tenant: standing.tenant, as: settlement.state.code, now: now)
        }
        let lane = Settlement.lane(
            standing.lane,
            attemptLimit: standing.attemptLimit,
            after: settlement.state
        )
        if lane != standing.lane {
            try sql("UPDATE entry SET lane = ? WHERE id = ?").run([
                .integer(Int64(lane.rawValue)), .integer(standing.id.value),
            ])
        }
        try list(standing, as: settlement, lane: lane, now: now)
        if lane == standing.lane {
            tallies.move(tenant: standing.tenant, lane: lane, from: .sending, to: settlement.state.code)
        } else {
            tallies.move(tenant: standing.tenant, lane: standing.lane, from: .sending, to: nil)
            tallies.move(tenant: standing.tenant, lane: lane, from: nil, to: settlement.state.code)
        }
        return true
    }
}

struct RecoveryStep: Sendable {
    let recoveredCount: Int
    /// nil at the end.
    let lastID: Int64?
}

extension EntryState {
    package var reasonCode: Int64? {
        if case .dead(let reason) = self { return Int64(reason.rawValue) }
        return nil
    }

    /// True for ended entries, except dead letters, which may be sent again.
    package var needsNoPayload: Bool {
        switch self {
        case .queued, .sending, .parked, .dead: false
        case .accepted, .delivered, .expired: true
        }
    }
}
