internal import APNS
package import Envelope
internal import PostgreSQL
package import PushStore

/// Endpoints, and the key with which a device makes and revokes its own. All of them end with their device.
///
/// A hash is the only name that its holder gives: its look-up is by no tenant.
extension PostgreSQLStore: EndpointRegistry {
    private static let lockDevice: Statement = """
        SELECT FROM sealedpush.device WHERE tenant = $1 AND shard = $2 AND id = $3 FOR NO KEY UPDATE
        """
    /// Its enrolment ends with its key.
    private static let endEnrolment: Statement = """
        UPDATE sealedpush.gateway SET devices = greatest(0, devices - 1) FROM sealedpush.device
        WHERE device.tenant = $1 AND device.shard = $2 AND device.id = $3 AND device.enrolled > 0
            AND gateway.tenant = device.tenant AND gateway.topic = device.topic
            AND gateway.environment = device.environment
        """
    private static let deleteAttested: Statement = """
        DELETE FROM sealedpush.attested WHERE tenant = $1 AND shard = $2 AND id = $3
        """
    private static let setKey: Statement = """
        UPDATE sealedpush.device SET endpoint_key = $4, enrolled = 0, revision = $5
        WHERE tenant = $1 AND shard = $2 AND id = $3
        """

    /// Replaces the device's key.
    package func setEndpointKey(
        _ hash: [UInt8],
        of device: DeviceKey
    ) async throws(StoreError) -> EndpointKeyResult {
        let key = DeviceTable.key(device)
        return try await untilUnchanged { () async throws(StoreError) -> EndpointKeyResult? in
            guard try await !isTaken(hash, by: device) else { return .taken }
            var batch = Batch(writes: true)
            batch.add(Self.lockDevice, key)
            batch.add(Self.endEnrolment, key)
            batch.add(Self.deleteAttested, key)
            batch.add(Self.setKey, key + [.bytes(hash), .int64(.random(in: 1...(.max)))])
            guard let results = try await runUnlessChanged(batch) else { return nil }
            return results[0].rowCount > 0 ? .set : .noDevice
        }
    }

    private static let selectKeyOwner: Statement = """
        SELECT tenant, id FROM sealedpush.device WHERE endpoint_key = $1
        """

    private func isTaken(_ hash: [UInt8], by device: DeviceKey) async throws(StoreError) -> Bool {
        let owner = try await self.device(endpointKey: hash)
        return owner != nil && owner != device
    }

    package func device(endpointKey hash: [UInt8]) async throws(StoreError) -> DeviceKey? {
        try await read(Self.selectKeyOwner, [.bytes(hash)]) { result throws(PostgreSQLError) in
            try result.rows.first.flatMap { row throws(PostgreSQLError) in
                DeviceKey(tenant: try row.bytes(0), device: try row.bytes(1))
            }
        }
    }

    private static let selectEndpoints: Statement = """
        SELECT given.ordinal, hash, endpoint.created, vapid, expiry, device.tenant, device.id, device.topic,
            device.environment
        FROM unnest($1) WITH ORDINALITY AS given (hash, ordinal)
        JOIN sealedpush.endpoint USING (hash) JOIN sealedpush.device USING (tenant, shard, id)
        """

    package func endpoints(_ hashes: [[UInt8]], completion: @escaping StoreCompletion<[EndpointTarget?]>) {
        _ = Self.start(completion) { [self] () async throws(StoreError) in
            let found = try await read(Self.selectEndpoints, [.bytesList(hashes)]) { result throws(PostgreSQLError) in
                try result.rows.map { row throws(PostgreSQLError) in try Self.target(row) }.compactMap(\.self)
            }
            let lookups = try await devices(found.map(\.target.endpoint.device))
            var targets: [EndpointTarget?] = hashes.map { _ in nil }
            for ((index, found), lookup) in zip(found, lookups) where targets.indices.contains(index) {
                // A device that is gone meanwhile takes its endpoints along.
                guard lookup != .missing else { continue }
                targets[index] = EndpointTarget(
                    endpoint: found.endpoint,
                    lookup: lookup,
                    topic: found.topic,
                    environment: found.environment
                )
            }
            return targets
        }
    }

    /// - Returns: its place in the question, and the target without its registration; nil for a damaged row.
    private static func target(_ row: Row) throws(PostgreSQLError) -> (index: Int, target: EndpointTarget)? {
        let name = try row.bytes(7)
        guard let device = DeviceKey(tenant: try row.bytes(5), device: try row.bytes(6)),
            let topic = try? Topic(bytes: name.span),
            let environment = APNSEnvironment(code: try row.int64(8))
        else { return nil }
        let endpoint = PushEndpoint(
            hash: try row.bytes(1),
            device: device,
            created: Timestamp(column: try row.int64(2)),
            expiry: try row.optionalInt64(4).map { Timestamp(column: $0) },
            vapidKeyHash: try row.optionalBytes(3)
        )
        return (
            Int(clamping: try row.int64(0) - 1),
            EndpointTarget(endpoint: endpoint, lookup: .missing, topic: topic, environment: environment)
        )
    }

    package func endpoints(of device: DeviceKey) async throws(StoreError) -> [PushEndpoint] {
        try await countedEndpoints(of: device).map(\.endpoint)
    }

    private static let insertEndpoint: Statement = """
        INSERT INTO sealedpush.endpoint (tenant, shard, id, hash, created, vapid, expiry)
        SELECT $1, $2, $3, $4, $5, $6, nullif($8, -1)
        WHERE EXISTS (SELECT FROM sealedpush.device WHERE tenant = $1 AND shard = $2 AND id = $3)
            AND (SELECT count(*) FROM sealedpush.endpoint WHERE tenant = $1 AND shard = $2 AND id = $3) < $7
        """

    private static let dropOwnExpired: Statement = """
        DELETE FROM sealedpush.endpoint WHERE tenant = $1 AND shard = $2 AND id = $3 AND expiry <= $4
        """
    private static let dropExpiredEndpoints: Statement = """
        DELETE FROM sealedpush.endpoint WHERE hash IN (
            SELECT hash FROM sealedpush.endpoint WHERE expiry <= $1 ORDER BY expiry LIMIT $2 FOR UPDATE SKIP LOCKED
        )
        """

    func dropEndpoints(expiredAt time: Timestamp, limit: Int) async throws(StoreError) {
        _ = try await write(Self.dropExpiredEndpoints, [.int64(time.number), .int64(Int64(limit))])
    }

    package func add(_ endpoint: PushEndpoint) async throws(StoreError) -> EndpointAddition {
        let key = DeviceTable.key(endpoint.device)
        var batch = Batch(writes: true)
        // The count holds over all relays behind this lock.
        batch.add(Self.lockDevice, key)
        batch.add(Self.dropOwnExpired, key + [.int64(endpoint.created.number)])
        batch.add(
            Self.insertEndpoint,
            key + [
                .bytes(endpoint.hash), .int64(endpoint.created.number),
                endpoint.vapidKeyHash.map { .bytes($0) } ?? .noBytes, .int64(Int64(PushEndpoint.countMax)),
                .int64(endpoint.expiry?.number ?? -1),
            ]
        )
        let results = try await run(batch)
        guard results[0].rowCount > 0 else { return .noDevice }
        return results[2].changedCount > 0 ? .added : .full
    }

    private static let deleteEndpoint: Statement = """
        DELETE FROM sealedpush.endpoint WHERE tenant = $1 AND shard = $2 AND id = $3 AND hash = $4
        """

    /// - Parameter hash: an endpoint's.
    /// - Returns: false if the device has none of this hash.
    package func revoke(_ hash: [UInt8], of device: DeviceKey) async throws(StoreError) -> Bool {
        try await write(Self.deleteEndpoint, DeviceTable.key(device) + [.bytes(hash)]).changedCount > 0
    }

    // MARK: Records

    private static let lockEndpoint: Statement = """
        SELECT FROM sealedpush.endpoint WHERE hash = $1 FOR NO KEY UPDATE
        """
    private static let dropExpired: Statement = """
        DELETE FROM sealedpush.record WHERE name IN (
            SELECT name FROM sealedpush.record WHERE expiry <= $1 ORDER BY expiry LIMIT $2 FOR UPDATE SKIP LOCKED
        )
        """
    private static let dropOldest: Statement = """
        DELETE FROM sealedpush.record WHERE name IN (
            SELECT name FROM sealedpush.record WHERE endpoint = $1 ORDER BY number DESC OFFSET $2
        )
        """
    private static let insertRecord: Statement = """
        INSERT INTO sealedpush.record (name, endpoint, expiry, bytes)
        SELECT $1, hash, $3, $4 FROM sealedpush.endpoint WHERE hash = $2
        """

    /// Keeps a record, and drops expired ones.
    package func keep(_ record: KeptRecord, now: Timestamp) async throws(StoreError) {
        var batch = Batch(writes: true)
        batch.add(Self.lockEndpoint, .bytes(record.endpoint))
        batch.add(Self.dropExpired, .int64(now.number), .int64(Int64(KeptRecord.countMax)))
        batch.add(Self.dropOldest, .bytes(record.endpoint), .int64(Int64(KeptRecord.countMax - 1)))
        batch.add(
            Self.insertRecord,
            .bytes(record.name),
            .bytes(record.endpoint),
            .int64(record.expiry.number),
            .bytes(record.bytes)
        )
        _ = try await run(batch)
    }

    private static let deleteRecord: Statement = "DELETE FROM sealedpush.record WHERE name = $1"

    /// Drops a record whose push was refused.
    package func dropRecord(_ name: [UInt8]) async throws(StoreError) {
        _ = try await write(Self.deleteRecord, [.bytes(name)])
    }

    private static let selectRecord: Statement = """
        SELECT bytes FROM sealedpush.record WHERE name = $1 AND expiry > $2
        """

    /// - Returns: nil if there is none, it has expired or its endpoint is gone.
    package func record(_ name: [UInt8], now: Timestamp) async throws(StoreError) -> [UInt8]? {
        try await read(Self.selectRecord, [.bytes(name), .int64(now.number)]) { result throws(PostgreSQLError) in
            try result.rows.first.map { row throws(PostgreSQLError) in try row.bytes(0) }
        }
    }
}

extension DeviceKey {
    /// - Returns: nil for damaged columns.
    init?(tenant: [UInt8], device: [UInt8]) {
        guard let tenant = try? TenantID(bytes: tenant), let device = try? DeviceID(bytes: device) else { return nil }
        self.init(tenant: tenant, device: device)
    }
}
