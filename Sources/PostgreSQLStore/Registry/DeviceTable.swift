internal import APNS
internal import Envelope
internal import PostgreSQL
internal import PushStore

/// Device as it was read, with the revision that a write must find.
struct FoundDevice {
    let revision: Int64
    /// nil for a damaged row. Without its bundle, unless that was asked for.
    let registration: RegistrationRow?
}

/// Reads devices. Each statement takes columns of keys, and gives `ordinal` (from 1) for those that exist.
enum DeviceTable {
    static let select: Statement = """
        SELECT given.ordinal, device.revision, topic, environment, token, fingerprint, quarantine, voip_token,
            voip_fingerprint, voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached
        FROM unnest($1, $2, $3) WITH ORDINALITY AS given (tenant, shard, id, ordinal)
        JOIN sealedpush.device USING (tenant, shard, id)
        """
    static let selectWithBundles: Statement = """
        SELECT given.ordinal, device.revision, topic, environment, token, fingerprint, quarantine, voip_token,
            voip_fingerprint, voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached,
            bundle.bytes
        FROM unnest($1, $2, $3) WITH ORDINALITY AS given (tenant, shard, id, ordinal)
        JOIN sealedpush.device USING (tenant, shard, id)
        LEFT JOIN sealedpush.bundle USING (tenant, shard, id)
        """
    static let bundleColumn = 17
    static let selectBundles: Statement = """
        SELECT given.ordinal, bundle.bytes
        FROM unnest($1, $2, $3) WITH ORDINALITY AS given (tenant, shard, id, ordinal)
        JOIN sealedpush.bundle USING (tenant, shard, id)
        """
    /// A tenant's, in the order of shard and id. The first column is the shard.
    static let selectPage: Statement = """
        SELECT shard, revision, topic, environment, token, fingerprint, quarantine, voip_token,
            voip_fingerprint, voip_quarantine, extra_tokens, language, region, app_version, registered, seen, reached,
            id
        FROM sealedpush.device WHERE tenant = $1 AND (shard, id) > ($2, $3) ORDER BY shard, id LIMIT $4
        """
    static let idColumn = 17

    static func columns(_ keys: [DeviceKey]) -> [Parameter] {
        [
            .bytesList(keys.map(\.tenant.bytes)), .int64s(keys.map { Int64($0.shard.index) }),
            .bytesList(keys.map(\.device.bytes)),
        ]
    }

    static func key(_ key: DeviceKey) -> [Parameter] {
        [.bytes(key.tenant.bytes), .int64(Int64(key.shard.index)), .bytes(key.device.bytes)]
    }

    /// Sorts rows by the keys that they were read for; nil for those that are missing.
    static func inOrder<Value>(
        _ rows: [Row],
        of keys: [DeviceKey],
        _ read: (Row, DeviceKey) throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> [Value?] {
        var values: [Value?] = keys.map { _ in nil }
        for row in rows {
            let index = Int(clamping: try row.int64(0) - 1)
            guard keys.indices.contains(index) else { throw .broken(.unexpectedResult(column: 0)) }
            values[index] = try read(row, keys[index])
        }
        return values
    }

    static func read(_ row: Row, key: DeviceKey) throws(PostgreSQLError) -> FoundDevice {
        try read(row, key: key, bundle: nil)
    }

    static func readWithBundle(_ row: Row, key: DeviceKey) throws(PostgreSQLError) -> FoundDevice {
        try read(row, key: key, bundle: try row.optionalBytes(bundleColumn))
    }

    private static func read(_ row: Row, key: DeviceKey, bundle: [UInt8]?) throws(PostgreSQLError) -> FoundDevice {
        let revision = try row.int64(1)
        let name = try row.bytes(2)
        guard let topic = try? Topic(bytes: name.span),
            let environment = APNSEnvironment(code: try row.int64(3)),
            let quarantine = Quarantine.decode(try row.int64(6)), let forCalls = Quarantine.decode(try row.int64(9))
        else { return FoundDevice(revision: revision, registration: nil) }
        let device = DeviceRow(
            key: key,
            topic: topic,
            environment: environment,
            token: try row.bytes(4),
            quarantine: quarantine,
            voIPToken: try row.optionalBytes(7),
            voIPQuarantine: forCalls,
            language: try text(row, 11),
            region: try text(row, 12),
            appVersion: try text(row, 13),
            registered: Timestamp(column: try row.int64(14)),
            seen: Timestamp(column: try row.int64(15)),
            isReached: try row.bool(16),
            extraTokens: try row.optionalBytes(10)
        )
        return FoundDevice(
            revision: revision,
            registration: RegistrationRow(
                row: device,
                fingerprint: try row.bytes(5),
                voIPFingerprint: try row.optionalBytes(8),
                bundle: bundle
            )
        )
    }

    private static func text(_ row: Row, _ column: Int) throws(PostgreSQLError) -> String? {
        try row.optionalBytes(column).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension Quarantine {
    /// - Returns: nil for an unknown code.
    fileprivate static func decode(_ code: Int64) -> Quarantine?? {
        if code == 0 { return .some(nil) }
        return UInt8(exactly: code).flatMap(Quarantine.init).map { .some($0) }
    }
}
