internal import APNS
internal import Envelope
internal import PostgreSQL
internal import PushStore

/// Columns of new entries, as arrays.
struct EntryInsert {
    private(set) var ids: [EntryID] = []
    private var requests: [Int64] = []
    private var lanes: [Int64] = []
    private var states: [Int64] = []
    private var deadlines: [Int64] = []
    private var limits: [Int64] = []
    private var devices: [Int64] = []
    private var checksums: [Int64] = []
    private var fallbacks: [Int64] = []
    private var reported: [Int64] = []
    private var tenants: [[UInt8]?] = []
    private var apnsIDs: [[UInt8]?] = []
    private var traces: [[UInt8]?] = []
    private var collapses: [[UInt8]?] = []
    private var headers: [[UInt8]?] = []
    private var payloads: [[UInt8]?] = []
    private var receipts: [[UInt8]?] = []

    /// - Parameters:
    ///   - request: first id of its request with an idempotency key; 0 without one.
    ///   - deviceHash: `Shard.hash`.
    mutating func add(
        _ entry: NewEntry,
        as id: EntryID,
        of tenant: TenantID,
        request: Int64,
        state: EntryState.Code,
        deviceHash: UInt64,
        _ secrets: StoreSecrets
    ) {
        let header = EntryHeader.encode(entry)
        let apnsID = entry.apnsID.bytes
        ids.append(id)
        requests.append(request)
        lanes.append(Int64(entry.lane.rawValue))
        states.append(state.rawValue)
        deadlines.append(entry.deadline.number)
        limits.append(entry.attemptLimit.map { Int64(Int32(clamping: $0)) } ?? -1)
        devices.append(Int64(bitPattern: deviceHash))
        checksums.append(EntryHeader.checksum(apnsID: apnsID, header: header, payload: entry.payload))
        fallbacks.append(entry.fallbackAfter.map { Int64($0 / .milliseconds(1)) } ?? -1)
        reported.append(entry.isReported ? 1 : 0)
        tenants.append(tenant.bytes)
        apnsIDs.append(apnsID)
        traces.append(entry.trace?.rawRepresentation)
        collapses.append(
            entry.collapseID.map {
                Self.collapse($0, device: entry.device, topic: entry.topic, of: tenant, secrets)
            }
        )
        headers.append(header)
        payloads.append(entry.payload)
        receipts.append(entry.receiptHash)
    }

    /// 16 bytes that only entries of one device, topic and collapse id have in common.
    static func collapse(
        _ id: CollapseID,
        device: DeviceID,
        topic: Topic,
        of tenant: TenantID,
        _ secrets: StoreSecrets
    ) -> [UInt8] {
        Array(secrets.tag(.collapse, [tenant.bytes, device.bytes, topic.bytes, id.bytes]).prefix(16))
    }

    /// $4 … $20 of the statements.
    var parameters: [Parameter] {
        [
            .int64s(ids.map(\.value)), .int64s(requests), .int64s(lanes), .int64s(states), .int64s(deadlines),
            .int64s(limits), .int64s(devices), .int64s(checksums), .int64s(fallbacks), .int64s(reported),
            .bytesList(tenants), .bytesList(apnsIDs), .bytesList(traces), .bytesList(collapses), .bytesList(headers),
            .bytesList(payloads), .bytesList(receipts),
        ]
    }

    /// Gate: which of them are stored. $1 tally key, $2 now, $3 unused.
    private static let given: StaticString = """
        , given AS MATERIALIZED (
            SELECT *, id & 255 AS shard FROM unnest(
                $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20
            ) AS given (id, request, lane, state, deadline, attempt_limit, device, checksum, fallback_after, reported,
                tenant, apns_id, trace, collapse, header, payload, receipt)
            WHERE request = 0 OR int8send(request) IN (SELECT first FROM mine)
        )
        """

    private static let inserts: StaticString = """
        , entered AS (
            INSERT INTO sealedpush.entry (id, due, deadline, created, changed, device, checksum, fallback_after, attempts,
                attempt_limit, shard, lane, state, maybe_duplicate, outcome_unknown, reported, tenant, apns_id, trace,
                collapse, header)
            SELECT id, $2, deadline, $2, $2, device, checksum, nullif(fallback_after, -1), 0, nullif(attempt_limit, -1),
                shard, lane, state, false, false, reported = 1, tenant, apns_id, trace, collapse, header FROM given
        ), loaded AS (
            INSERT INTO sealedpush.payload (entry, bytes) SELECT id, payload FROM given
        ), listed AS (
            INSERT INTO sealedpush.waiting (entry, due, deadline, shard, lane, parked, tried, tenant)
            SELECT id, $2, deadline, shard, lane, false, false, tenant FROM given WHERE state = 0
        ), flown AS (
            INSERT INTO sealedpush.flight (entry, shard) SELECT id, shard FROM given WHERE state = 1
        ), awaited AS (
            INSERT INTO sealedpush.receipt (entry, shard, tenant, hash)
            SELECT id, shard, tenant, receipt FROM given WHERE receipt IS NOT NULL
        ), counted AS (
            INSERT INTO sealedpush.tally (relay, tenant, lane, state, count)
            SELECT $1, tenant, lane, state, count(*) FROM given GROUP BY tenant, lane, state
            ON CONFLICT (relay, tenant, lane, state) DO UPDATE SET count = tally.count + excluded.count
        )
        SELECT id FROM given
        """

    /// Requests without a key.
    static let statement = Statement(
        joining: "WITH mine AS (SELECT ''::bytea AS first WHERE $3::int8 < 0)",
        given,
        inserts
    )

    /// Requests with a key first: of two with the same one the second waits, and stores nothing. $21 … $25: tenants, keys,
    /// digests, ids, rejected.
    static let withRequests = Statement(
        joining: """
            WITH mine AS (
                INSERT INTO sealedpush.request (created, tenant, key, digest, entries, rejected)
                SELECT $2, tenant, key, digest, entries, rejected
                FROM unnest($21, $22, $23, $24, $25) AS given (tenant, key, digest, entries, rejected)
                WHERE $3::int8 = 0
                ON CONFLICT (tenant, key) DO NOTHING RETURNING substr(entries, 1, 8) AS first
            )
            """,
        given,
        inserts
    )

    /// Copies of dead letters, if they have none. $21, $22: letters, their copies. A receipt's hash goes to the copy.
    static let replay = Statement(
        joining: """
            WITH claimed AS (
                UPDATE sealedpush.entry SET replayed_as = letter.copy
                FROM unnest($21, $22) AS letter (id, copy)
                WHERE entry.id = letter.id AND entry.state = 5 AND entry.reason <> 4 AND entry.replayed_as IS NULL
                RETURNING entry.id, entry.replayed_as AS copy, entry.shard, entry.tenant
            ), unhashed AS (
                DELETE FROM sealedpush.receipt USING claimed WHERE receipt.entry = claimed.id
                RETURNING claimed.copy, claimed.shard, claimed.tenant, receipt.hash
            ), rehashed AS (
                INSERT INTO sealedpush.receipt (entry, shard, tenant, hash) SELECT copy, shard, tenant, hash FROM unhashed
            ), mine AS (
                SELECT int8send(copy) AS first FROM claimed WHERE $3::int8 = 0
            )
            """,
        given,
        inserts
    )
}
