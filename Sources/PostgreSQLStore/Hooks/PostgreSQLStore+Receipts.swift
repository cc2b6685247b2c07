package import Envelope
internal import PostgreSQL
package import PushStore

extension PostgreSQLStore: ReceiptTable {
    /// The newest entry with each hash. What strangers guess costs this read alone.
    private static let select: Statement = """
        SELECT given.ordinal, found.id, found.state::int8
        FROM unnest($1) WITH ORDINALITY AS given (hash, ordinal) CROSS JOIN LATERAL (
            SELECT entry.id, entry.state FROM sealedpush.receipt JOIN sealedpush.entry ON entry.id = receipt.entry
            WHERE receipt.hash = given.hash ORDER BY receipt.entry DESC LIMIT 1
        ) AS found
        """

    /// Before the statement that delivers: it must see what another relay's statement did beside the entry's row.
    private static let lock: Statement = """
        SELECT FROM sealedpush.entry WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
        """

    /// Delivers entries that may have arrived: in flight, accepted, or to be repeated after an attempt without an answer.
    private static let deliver = Statement(
        joining: """
            WITH found AS MATERIALIZED (
                SELECT id, state, lane FROM sealedpush.entry
                WHERE id = ANY ($4) AND (state IN (1, 3) OR state IN (0, 2) AND maybe_duplicate)
            ), changed AS (
                UPDATE sealedpush.entry SET state = 4, reason = NULL, changed = $2, receipt = $2
                FROM found WHERE entry.id = found.id
                RETURNING 1::int8 AS ordinal, entry.id, entry.shard, entry.tenant, found.lane AS lane_before,
                    found.state AS before, entry.lane, entry.state, entry.reason, entry.due, entry.deadline,
                    entry.attempts > 0 AS tried, entry.fallback_after, entry.reported
            )
            """,
        Conclusion.follows,
        Conclusion.result
    )
    private static let reread = Statement(
        joining: "SELECT",
        StoredEntry.columns,
        "FROM sealedpush.entry WHERE id = ANY ($1)"
    )

    package func redeem(_ hashes: [[UInt8]], now: Timestamp) async throws(StoreError) -> [Redemption] {
        guard !hashes.isEmpty else { return [] }
        let rows = try await read(Self.select, .bytesList(hashes))
        var redemptions: [Redemption] = hashes.map { _ in .unknown }
        var claims: [(index: Int, id: Int64)] = []
        for row in rows {
            let found = try Self.decode { () throws(PostgreSQLError) in
                (
                    index: Int(clamping: try row.int64(0) - 1), id: try row.int64(1),
                    state: EntryState.Code(rawValue: try row.int64(2))
                )
            }
            guard redemptions.indices.contains(found.index) else { continue }
            switch found.state {
            case .delivered: redemptions[found.index] = .repeated
            case .dead, .expired, nil: break
            case .queued, .sending, .parked, .accepted: claims.append((found.index, found.id))
            }
        }
        guard !claims.isEmpty else { return redemptions }
        var delivered = try await deliver(Set(claims.map(\.id)), now: now)
        for claim in claims.sorted(by: { $0.index < $1.index }) {
            redemptions[claim.index] = delivered[claim.id] ?? .unknown
            if case .received = redemptions[claim.index] { delivered[claim.id] = .repeated }
        }
        return redemptions
    }

    func deliver(_ ids: Set<Int64>, now: Timestamp) async throws(StoreError) -> [Int64: Redemption] {
        let sorted = Parameter.int64s(ids.sorted())
        let results = try await counting(hooks: ids.count, now: now) { batch, first in
            batch.add(Self.lock, sorted)
            batch.add(Self.deliver, first + [sorted])
            batch.add(Self.reread, sorted)
        }
        var redemptions: [Int64: Redemption] = [:]
        let changes = try Self.decode { () throws(PostgreSQLError) in
            var new: Set<Int64> = []
            var changes: [StateChange] = []
            for row in results[1].rows {
                new.insert(try row.int64(1))
                if let change = try StateChange(row) { changes.append(change) }
            }
            for row in results[2].rows {
                guard let entry = try StoredEntry(row)?.entry else { continue }
                if new.contains(entry.id.value) {
                    redemptions[entry.id.value] = .received(entry)
                } else if entry.state == .delivered {
                    // Another relay was faster.
                    redemptions[entry.id.value] = .repeated
                }
            }
            return changes
        }
        note(changes)
        await dropHooks(of: Set(changes.map(\.tenant)))
        return redemptions
    }
}
