internal import Envelope

extension StoreWriter {
    func postpone(_ outcome: Outcome, now: Timestamp) throws(StoreError) -> FinishResult {
        let lease = outcome.lease
        guard let standing = try standing(lease.id) else { return .unknown }
        guard standing.state == .sending, standing.attemptCount == lease.attemptCount else {
            return .notSending(standing.state)
        }
        switch outcome.verdict {
        case .park: try wait(standing, as: .parked, for: outcome.waitCause, until: now, now: now)
        case .retry(let time) where time < standing.deadline:
            try wait(standing, as: .queued, for: outcome.waitCause, until: time, now: now)
            return .recorded(.queued)
        case .retry:
            let state = try lateEnd(of: standing)
            try end(standing, as: state, now: now)
            return .recorded(state)
        case .accepted, .dead: preconditionFailure("an outcome without an attempt only waits")
        }
        return .recorded(.parked)
    }

    private func wait(
        _ standing: EntryStanding,
        as state: EntryState,
        for cause: WaitCause?,
        until due: Timestamp,
        now: Timestamp
    ) throws(StoreError) {
        // The wait cause; a dead entry's reason uses the same column.
        try sql("UPDATE entry SET state = ?, reason = ?, changed = ?, due = ? WHERE id = ?").run([
            .integer(state.code.rawValue), .optional(cause.map { Int64($0.rawValue) }), now.column, due.column,
            .integer(standing.id.value),
        ])
        try list(
            standing.id.value,
            Waiting(
                tenant: standing.tenant,
                lane: standing.lane,
                isParked: state == .parked,
                isTried: standing.attemptCount > 0,
                due: due,
                deadline: standing.deadline
            )
        )
        try settlePayload(of: standing.id.value, as: state)
        tallies.move(tenant: standing.tenant, lane: standing.lane, from: standing.state.code, to: state.code)
    }

    /// State after a missed deadline: what may have arrived has not expired.
    func lateEnd(of standing: EntryStanding) throws(StoreError) -> EntryState {
        guard standing.maybeDuplicate else { return .expired }
        return try lastAttempt(of: standing)?.isOutcomeUnknown == true ? .dead(.outcomeUnknown) : .expired
    }

    private func lastAttempt(of standing: EntryStanding) throws(StoreError) -> Attempt? {
        let ordinal = Int64(standing.attemptCount)
        let later = try sql("SELECT time, connection FROM attempt WHERE entry = ? AND ordinal = ?").first(
            [.integer(standing.id.value), .integer(ordinal)]
        ) { row in
            // The cautious reading of a damaged row.
            let connection = UInt8(exactly: row.integer(1)).flatMap(Attempt.Connection.init) ?? .ambiguous
            return Attempt(time: Timestamp(column: row.integer(0)), connection: connection)
        }
        if let later { return later }
        let first = try sql("SELECT first_attempt FROM entry WHERE id = ?").first([.integer(standing.id.value)]) {
            row in
            FirstAttempt.decode(row.bytes(0))
        }
        return first ?? nil
    }
}
