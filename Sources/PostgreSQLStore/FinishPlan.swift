internal import Envelope
internal import PostgreSQL
internal import PushStore

/// Statements of a `finish`.
struct FinishPlan {
    private let outcomes: [Outcome]
    /// Indices of those with an attempt, and without.
    private var attempted: [Int] = []
    private var postponed: [Int] = []
    private var settlements: [Settlement] = []

    init(_ outcomes: [Outcome], now: Timestamp) {
        self.outcomes = outcomes
        for (index, outcome) in outcomes.enumerated() {
            guard let attempt = outcome.attempt else {
                postponed.append(index)
                continue
            }
            attempted.append(index)
            let standing = outcome.lease.standing
            settlements.append(
                Settlement(
                    outcome.verdict,
                    isOutcomeUnknown: attempt.isOutcomeUnknown,
                    attemptCount: standing.attemptCount + outcome.earlier.count + 1,
                    attemptLimit: standing.attemptLimit,
                    deadline: standing.deadline
                )
            )
        }
    }

    /// - Parameter first: of `Conclusion.parameters`.
    func add(to batch: inout Batch, _ first: [Parameter]) {
        if !attempted.isEmpty {
            guard case .int64(let now) = first[1] else { preconditionFailure("the second parameter is the time") }
            let entries = zip(attempted, settlements).compactMap { index, settlement in
                outcomes[index].attempt.map { attempt in
                    SettledEntry(
                        standing: outcomes[index].lease.standing,
                        settlement: settlement,
                        attempts: outcomes[index].earlier + [attempt]
                    )
                }
            }
            SettledEntry.add(entries, to: &batch, first, now: now)
        }
        if !postponed.isEmpty { addPostponed(to: &batch, first) }
    }

    private func addPostponed(to batch: inout Batch, _ first: [Parameter]) {
        guard case .int64(let now) = first[1] else { preconditionFailure("the second parameter is the time") }
        var states: [Int64] = []
        var dues: [Int64] = []
        for index in postponed {
            switch outcomes[index].verdict {
            case .retry(let time):
                states.append(EntryState.Code.queued.rawValue)
                dues.append(time.number)
            case .park, .accepted, .dead:
                states.append(EntryState.Code.parked.rawValue)
                dues.append(now)
            }
        }
        let leases = postponed.map { outcomes[$0].lease }
        batch.add(
            Conclusion.postpone,
            first + [
                .int64s(leases.map(\.id.value)), .int64s(leases.map { Int64($0.attemptCount) }), .int64s(states),
                .int64s(postponed.map { outcomes[$0].waitCause.map { Int64($0.rawValue) } ?? -1 }), .int64s(dues),
            ]
        )
    }

    /// - Returns: nil for an entry that was not in flight.
    func results(
        _ results: ArraySlice<QueryResult>
    ) throws(PostgreSQLError) -> (results: [FinishResult?], changes: [StateChange]) {
        var found = [FinishResult?](repeating: nil, count: outcomes.count)
        var changes: [StateChange] = []
        let steps = (attempted.isEmpty ? [] : [attempted]) + (postponed.isEmpty ? [] : [postponed])
        // Later attempts' statements stand between the two.
        let answers = [attempted.isEmpty ? nil : results.first, postponed.isEmpty ? nil : results.last].compactMap(
            \.self
        )
        for (indices, result) in zip(steps, answers) {
            for row in result.rows {
                guard let change = try StateChange(row), let place = Int(exactly: change.ordinal - 1),
                    indices.indices.contains(place)
                else { continue }
                changes.append(change)
                found[indices[place]] = .recorded(change.state)
            }
        }
        return (found, changes)
    }
}

/// Entry in flight with its attempts since, and what they came to.
struct SettledEntry {
    let standing: EntryStanding
    let settlement: Settlement
    let attempts: [Attempt]

    /// Adds one statement, and two more where an entry has had several attempts.
    static func add(_ entries: [SettledEntry], to batch: inout Batch, _ first: [Parameter], now: Int64) {
        let totals = entries.map { Int64($0.standing.attemptCount + $0.attempts.count) }
        batch.add(
            Conclusion.settle,
            first + [
                .int64s(entries.map(\.standing.id.value)), .int64s(entries.map { Int64($0.standing.attemptCount) }),
                .int64s(entries.map { Int64($0.standing.lane.rawValue) }), .int64s(entries.map { $0.laneAfter }),
                .int64s(entries.map(\.settlement.state.code.rawValue)),
                .int64s(entries.map { $0.settlement.state.reasonCode ?? -1 }),
                .int64s(entries.map { $0.settlement.due?.number ?? now }), .int64s(totals),
                .int64s(entries.map { $0.attempts.last?.isOutcomeUnknown == true ? 1 : 0 }),
                .bytesList(
                    entries.map { entry in
                        guard entry.standing.attemptCount == 0, let attempt = entry.attempts.first else { return nil }
                        return FirstAttempt.encode(attempt, state: entry.settlement.state)
                    }
                ),
            ]
        )
        Attempts.add(
            zip(entries, totals).map { (entry: $0.standing.id, before: $0.standing.attemptCount, $0.attempts, $1) },
            to: &batch
        )
    }

    private var laneAfter: Int64 {
        let lane = Settlement.lane(standing.lane, attemptLimit: standing.attemptLimit, after: settlement.state)
        return Int64(lane.rawValue)
    }
}

/// Attempts after an entry's first, which is in its row.
enum Attempts {
    /// Only where the entry has as many attempts: the statement before has recorded them. A repetition does nothing.
    private static let insert: Statement = """
        INSERT INTO sealedpush.attempt (entry, ordinal, time, connection, status, reason, unique_id)
        SELECT given.entry, given.ordinal, given.time, given.connection, nullif(given.status, -1), given.reason,
            given.unique_id
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS given
            (entry, total, ordinal, time, connection, status, reason, unique_id)
        JOIN sealedpush.entry ON entry.id = given.entry AND entry.attempts = given.total
        ON CONFLICT (entry, ordinal) DO NOTHING
        """
    private static let forget: Statement = """
        DELETE FROM sealedpush.attempt USING unnest($1, $2) AS given (entry, last), sealedpush.entry
        WHERE attempt.entry = given.entry AND attempt.ordinal > 1 AND attempt.ordinal <= given.last
            AND entry.id = given.entry AND entry.attempts = given.last + $3
        """
    private static let deliver: Statement = """
        UPDATE sealedpush.entry SET attempts = given.total, first_attempt = coalesce(given.first, first_attempt)
        FROM unnest($1, $2, $3, $4) AS given (id, before, total, first)
        WHERE entry.id = given.id AND entry.state = 4 AND entry.attempts = given.before RETURNING entry.id
        """

    static func add(
        _ entries: [(entry: EntryID, before: Int, attempts: [Attempt], total: Int64)],
        to batch: inout Batch
    ) {
        var rows: [(entry: Int64, total: Int64, ordinal: Int64, attempt: Attempt)] = []
        for (entry, before, attempts, total) in entries {
            for (index, attempt) in attempts.enumerated() where before + index > 0 {
                rows.append((entry.value, total, Int64(before + index + 1), attempt))
            }
        }
        guard !rows.isEmpty else { return }
        batch.add(
            insert,
            .int64s(rows.map(\.entry)),
            .int64s(rows.map(\.total)),
            .int64s(rows.map(\.ordinal)),
            .int64s(rows.map { $0.attempt.time.number }),
            .int64s(rows.map { Int64($0.attempt.connection.rawValue) }),
            .int64s(rows.map { $0.attempt.status.map { Int64($0) } ?? -1 }),
            .bytesList(rows.map { $0.attempt.reason.map { Array($0.utf8) } }),
            .bytesList(rows.map { $0.attempt.uniqueID.map { Array($0.utf8) } })
        )
        let kept = Int64(Attempt.lastCountMax)
        let many = entries.filter { $0.total - kept > 1 }
        guard !many.isEmpty else { return }
        batch.add(
            forget,
            .int64s(many.map(\.entry.value)),
            .int64s(many.map { $0.total - kept }),
            .int64(kept)
        )
    }

    /// Records attempts of delivered entries. The first statement returns the ids of those that were.
    static func addDelivered(_ outcomes: [Outcome], to batch: inout Batch) {
        let entries = outcomes.map { outcome in
            let attempts = outcome.earlier + [outcome.attempt].compactMap(\.self)
            let before = outcome.lease.attemptCount
            return (entry: outcome.lease.id, before: before, attempts: attempts, total: Int64(before + attempts.count))
        }
        batch.add(
            deliver,
            .int64s(entries.map(\.entry.value)),
            .int64s(entries.map { Int64($0.before) }),
            .int64s(entries.map(\.total)),
            .bytesList(
                entries.map { entry in
                    guard entry.before == 0, let first = entry.attempts.first else { return nil }
                    return FirstAttempt.encode(first, state: .delivered)
                }
            )
        )
        add(entries, to: &batch)
    }
}
