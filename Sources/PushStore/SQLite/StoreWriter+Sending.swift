internal import Envelope

/// What a change of state has to know of an entry.
struct EntryStanding {
    let id: EntryID
    let tenant: Int64
    let lane: Lane
    let state: EntryState
    let attemptCount: Int
    let attemptLimit: Int?
    let deadline: Timestamp
    let maybeDuplicate: Bool

    static let columns = "id, tenant, lane, state, reason, attempts, attempt_limit, deadline, maybe_duplicate"

    /// - Returns: nil for a row that is not what was written.
    init?(_ row: SQLiteRow) {
        guard let id = EntryID(value: row.integer(0)), let lane = UInt8(exactly: row.integer(2)).flatMap(Lane.init),
            let state = EntryState(code: row.integer(3), reason: row.optionalInteger(4))
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
        // The file decides, not the memory of who had what: it must be queued, and not have been tried since.
        guard let standing = try standing(lease.id), standing.state == .queued,
            standing.attemptCount == lease.attemptCount
        else { return .lost }
        if standing.deadline <= now {
            try end(standing, as: .expired, now: now)
            return .expired
        }
        try sql("UPDATE entry SET state = 1, changed = ? WHERE id = ?").run([now.column, .integer(lease.id.value)])
        tallies.move(tenant: standing.tenant, lane: standing.lane, from: .queued, to: .sending)
        return .sending
    }

    func finish(_ outcomes: [Outcome], now: Timestamp) throws(StoreError) -> [FinishResult] {
        var results: [FinishResult] = []
        for outcome in outcomes { results.append(try finish(outcome, now: now)) }
        return results
    }

    private func finish(_ outcome: Outcome, now: Timestamp) throws(StoreError) -> FinishResult {
        guard let standing = try standing(outcome.lease.id) else { return .unknown }
        guard standing.attemptCount == outcome.lease.attemptCount else { return .notSending(standing.state) }
        // The device may have been quicker than the answer: then the attempt is written down, and nothing else changes.
        guard standing.state == .sending || standing.state == .delivered else { return .notSending(standing.state) }
        let ordinal = standing.attemptCount + 1
        try record(outcome.attempt, of: standing.id, ordinal: ordinal)
        if standing.state == .delivered {
            try sql("UPDATE entry SET attempts = ?, tried = 1 WHERE id = ?").run([
                .integer(Int64(ordinal)), .integer(standing.id.value),
            ])
            return .recorded(.delivered)
        }
        let settlement = Settlement(
            outcome.verdict,
            attemptCount: ordinal,
            attemptLimit: standing.attemptLimit,
            deadline: standing.deadline
        )
        let isAmbiguous = outcome.attempt.connection == .ambiguous || outcome.attempt.connection == .interrupted
        try settle(standing, settlement, attemptCount: ordinal, isAmbiguous: isAmbiguous, now: now)
        return .recorded(settlement.state)
    }

    /// After a start: everything that was on its way when the process before ended.
    ///
    /// - Returns: how many.
    func recoverInterrupted(limit: Int, now: Timestamp) throws(StoreError) -> Int {
        let found = try sql("SELECT \(EntryStanding.columns) FROM entry WHERE state = 1 LIMIT ?").all(
            [.integer(Int64(limit))]
        ) { (id: $0.integer(0), standing: EntryStanding($0)) }
        for (id, standing) in found {
            guard let standing else {
                try setAside(id, now: now)
                continue
            }
            let ordinal = standing.attemptCount + 1
            try record(Attempt(time: now, connection: .interrupted), of: standing.id, ordinal: ordinal)
            let settlement = Settlement.afterInterruption(
                attemptCount: ordinal,
                attemptLimit: standing.attemptLimit,
                deadline: standing.deadline,
                now: now
            )
            try settle(standing, settlement, attemptCount: ordinal, isAmbiguous: true, now: now)
        }
        return found.count
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

    private func settle(
        _ standing: EntryStanding,
        _ settlement: Settlement,
        attemptCount: Int,
        isAmbiguous: Bool,
        now: Timestamp
    ) throws(StoreError) {
        try sql(
            """
            UPDATE entry SET state = ?, reason = ?, changed = ?, due = ?, attempts = ?, tried = 1, maybe_duplicate = ?
            WHERE id = ?
            """
        ).run([
            .integer(settlement.state.code.rawValue), .optional(settlement.state.reasonCode), now.column,
            (settlement.due ?? now).column, .integer(Int64(attemptCount)),
            .integer(standing.maybeDuplicate || isAmbiguous ? 1 : 0), .integer(standing.id.value),
        ])
        if settlement.state.needsNoPayload { try deletePayload(standing.id.value) }
        try conclude(standing.id.value, tenant: standing.tenant, as: settlement.state.code, now: now)
        tallies.move(
            tenant: standing.tenant,
            lane: standing.lane,
            from: standing.state.code,
            to: settlement.state.code
        )
    }

    func deletePayload(_ id: Int64) throws(StoreError) {
        try sql("DELETE FROM payload WHERE entry = ?").run([.integer(id)])
    }
}

extension EntryState {
    /// As a column; nil where there is none.
    var reasonCode: Int64? {
        if case .dead(let reason) = self { return Int64(reason.rawValue) }
        return nil
    }

    /// Ended, and never sent again: only a dead letter may be.
    var needsNoPayload: Bool {
        switch self {
        case .queued, .sending, .parked, .dead: false
        case .accepted, .delivered, .expired: true
        }
    }
}
