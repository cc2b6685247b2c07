internal import APNS
internal import Envelope
internal import PostgreSQL
internal import PushStore

/// Row of `entry`.
struct StoredEntry {
    /// Of the table `entry`, under this name.
    static let columns: StaticString = """
        entry.id, entry.tenant, entry.lane::int8, entry.state::int8, entry.reason::int8, entry.attempts::int8,
        entry.attempt_limit::int8, entry.due, entry.deadline, entry.created, entry.changed, entry.maybe_duplicate,
        entry.receipt, entry.apns_id, entry.trace, entry.header, entry.checksum, entry.replayed_as,
        entry.reported OR entry.fallback_after IS NOT NULL
        """
    static let columnCount = 19

    let entry: OutboxEntry
    /// True if a fallback or hook may depend on its end.
    let isWatched: Bool
    private let apnsID: [UInt8]
    private let header: [UInt8]
    private let checksum: Int64

    /// - Parameter first: column of its id.
    /// - Returns: nil for a damaged row, or none.
    /// - Throws: `.broken(.unexpectedResult)` for columns of another type.
    init?(_ row: Row, from first: Int = 0) throws(PostgreSQLError) {
        guard let number = try row.optionalInt64(first), let id = EntryID(value: number),
            // Damage can make a field invalid.
            let tenant = try? TenantID(bytes: try row.bytes(first + 1)),
            let lane = Lane(column: try row.int64(first + 2)),
            let state = EntryState(code: try row.int64(first + 3), reason: try row.optionalInt64(first + 4))
        else { return nil }
        let reason = try row.optionalInt64(first + 4)
        let trace = try row.optionalBytes(first + 14)
        let (apnsID, header) = (try row.bytes(first + 13), try row.bytes(first + 15))
        (self.apnsID, self.header) = (apnsID, header)
        checksum = try row.int64(first + 16)
        isWatched = try row.bool(first + 18)
        guard apnsID.count == 16, trace.map({ $0.count == 16 }) ?? true, let fields = EntryHeader.decode(header) else {
            return nil
        }
        entry = OutboxEntry(
            id: id,
            tenant: tenant,
            device: fields.device,
            topic: fields.topic,
            apnsID: APNSID(bytes: apnsID.span),
            collapseID: fields.collapseID,
            lane: lane,
            pushType: fields.pushType,
            priority: fields.priority,
            expiration: fields.expiration,
            deadline: Timestamp(column: try row.int64(first + 8)),
            attemptLimit: try row.optionalInt64(first + 6).map { Int(clamping: $0) },
            trace: trace.map { Trace(bytes: $0) },
            traceContext: fields.traceContext,
            state: state,
            created: Timestamp(column: try row.int64(first + 9)),
            changed: Timestamp(column: try row.int64(first + 10)),
            due: Timestamp(column: try row.int64(first + 7)),
            attemptCount: Int(clamping: try row.int64(first + 5)),
            maybeDuplicate: try row.bool(first + 11),
            receipt: try row.optionalInt64(first + 12).map { Timestamp(column: $0) },
            replayedAs: try row.optionalInt64(first + 17).flatMap(EntryID.init),
            waitCause: state.isWaiting ? reason.flatMap { UInt8(exactly: $0) }.flatMap(WaitCause.init) : nil,
            purpose: fields.purpose
        )
    }

    func isWhole(payload: [UInt8]) -> Bool {
        EntryHeader.checksum(apnsID: apnsID, header: header, payload: payload) == checksum
    }

    var standing: EntryStanding {
        EntryStanding(
            id: entry.id,
            tenant: 0,
            lane: entry.lane,
            state: entry.state,
            attemptCount: entry.attemptCount,
            attemptLimit: entry.attemptLimit,
            deadline: entry.deadline,
            maybeDuplicate: entry.maybeDuplicate,
            due: entry.due,
            mayBeWatched: isWatched
        )
    }
}

extension PostgreSQLStore {
    static func entries(_ rows: [Row]) throws(StoreError) -> [OutboxEntry] {
        try decode { () throws(PostgreSQLError) in
            var entries: [OutboxEntry] = []
            for row in rows { if let stored = try StoredEntry(row) { entries.append(stored.entry) } }
            return entries
        }
    }
}
