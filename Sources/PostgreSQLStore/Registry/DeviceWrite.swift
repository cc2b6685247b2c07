internal import APNS
internal import Envelope
internal import PostgreSQL
internal import PushStore

/// Changes of devices in one transaction. It stores all of them, or fails with SP002 because another relay was faster.
///
/// Each key at most once, and in one order for all relays, so that two seldom wait for each other.
struct DeviceWrite {
    private var inserted: [RegistrationRow] = []
    private var updated: [(row: RegistrationRow, known: Int64)] = []
    private var deleted: [(key: DeviceKey, known: Int64)] = []
    private var bundled: [RegistrationRow] = []
    /// Of each row that this writes.
    let revision = Int64.random(in: 1...(.max))

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// - Parameter found: nil for a new device.
    mutating func put(_ row: RegistrationRow, over found: FoundDevice?) {
        if found == nil || found?.registration?.bundle != row.bundle { bundled.append(row) }
        update(row, over: found)
    }

    /// Leaves the bundle as it is.
    mutating func update(_ row: RegistrationRow, over found: FoundDevice?) {
        if let found { updated.append((row, found.revision)) } else { inserted.append(row) }
    }

    mutating func delete(_ key: DeviceKey, _ found: FoundDevice) { deleted.append((key, found.revision)) }

    private static let insert: Statement = """
        WITH made AS (
            INSERT INTO sealedpush.device (tenant, shard, id, topic, environment, token, fingerprint, quarantine,
                voip_token, voip_fingerprint, voip_quarantine, extra_tokens, language, region, app_version, registered,
                seen, reached, revision)
            SELECT tenant, shard, id, topic, environment, token, fingerprint, quarantine, voip_token, voip_fingerprint,
                voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached <> 0, $19
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) AS given
                (tenant, shard, id, topic, environment, token, fingerprint, quarantine, voip_token, voip_fingerprint,
                voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached)
            ON CONFLICT DO NOTHING RETURNING 1
        )
        SELECT sealedpush.require(count(*) = $20)::text FROM made
        """
    private static let update: Statement = """
        WITH made AS (
            UPDATE sealedpush.device SET topic = given.topic, environment = given.environment, token = given.token,
                fingerprint = given.fingerprint, quarantine = given.quarantine, voip_token = given.voip_token,
                voip_fingerprint = given.voip_fingerprint, voip_quarantine = given.voip_quarantine,
                extra_tokens = given.extra_tokens, language = given.language, region = given.region,
                app_version = given.app_version, registered = given.registered, seen = given.seen,
                reached = given.reached <> 0, revision = $19
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $21) AS given
                (tenant, shard, id, topic, environment, token, fingerprint, quarantine, voip_token, voip_fingerprint,
                voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached, known)
            WHERE device.tenant = given.tenant AND device.shard = given.shard AND device.id = given.id
                AND device.revision = given.known
            RETURNING 1
        )
        SELECT sealedpush.require(count(*) = $20)::text FROM made
        """
    private static let writeBundles: Statement = """
        INSERT INTO sealedpush.bundle (tenant, shard, id, bytes) SELECT * FROM unnest($1, $2, $3, $4)
        ON CONFLICT (tenant, shard, id) DO UPDATE SET bytes = excluded.bytes
        """
    /// With all that ends with it. An enrolled one leaves its app's count.
    private static let delete: Statement = """
        WITH gone AS (
            DELETE FROM sealedpush.device USING unnest($1, $2, $3, $4) AS given (tenant, shard, id, known)
            WHERE device.tenant = given.tenant AND device.shard = given.shard AND device.id = given.id
                AND device.revision = given.known
            RETURNING device.tenant, topic, environment, enrolled
        ), ended AS (
            SELECT tenant, topic, environment, count(*) AS count FROM gone WHERE enrolled > 0
            GROUP BY tenant, topic, environment
        ), counted AS (
            UPDATE sealedpush.gateway SET devices = greatest(0, devices - ended.count) FROM ended
            WHERE gateway.tenant = ended.tenant AND gateway.topic = ended.topic
                AND gateway.environment = ended.environment
        )
        SELECT sealedpush.require(count(*) = $5)::text FROM gone
        """

    func add(to batch: inout Batch) {
        if !inserted.isEmpty {
            batch.add(Self.insert, Self.columns(inserted) + [.int64(revision), .int64(Int64(inserted.count))])
        }
        if !updated.isEmpty {
            let last: [Parameter] = [
                .int64(revision), .int64(Int64(updated.count)), .int64s(updated.map(\.known)),
            ]
            batch.add(Self.update, Self.columns(updated.map(\.row)) + last)
        }
        if !bundled.isEmpty {
            let bundles = Parameter.bytesList(bundled.map { $0.bundle ?? [] })
            batch.add(Self.writeBundles, DeviceTable.columns(bundled.map(\.row.key)) + [bundles])
        }
        if !deleted.isEmpty {
            let last: [Parameter] = [.int64s(deleted.map(\.known)), .int64(Int64(deleted.count))]
            batch.add(Self.delete, DeviceTable.columns(deleted.map(\.key)) + last)
        }
    }

    private static func columns(_ rows: [RegistrationRow]) -> [Parameter] {
        let devices = rows.map(\.row)
        return DeviceTable.columns(devices.map(\.key)) + [
            .bytesList(devices.map(\.topic.bytes)), .int64s(devices.map { Int64($0.environment.code) }),
            .bytesList(devices.map(\.token)), .bytesList(rows.map(\.fingerprint)),
            .int64s(devices.map { $0.quarantine.code }), .bytesList(devices.map(\.voIPToken)),
            .bytesList(rows.map(\.voIPFingerprint)), .int64s(devices.map { $0.voIPQuarantine.code }),
            .bytesList(devices.map(\.extraTokens)), texts(devices.map(\.language)), texts(devices.map(\.region)),
            texts(devices.map(\.appVersion)), .int64s(devices.map(\.registered.number)),
            .int64s(devices.map(\.seen.number)), .int64s(devices.map { $0.isReached ? 1 : 0 }),
        ]
    }

    private static func texts(_ texts: [String?]) -> Parameter { .bytesList(texts.map { $0.map { Array($0.utf8) } }) }
}

extension Quarantine? {
    fileprivate var code: Int64 { Int64(self?.rawValue ?? 0) }
}
