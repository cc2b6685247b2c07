internal import APNS
package import Envelope
internal import PostgreSQL
package import PushStore

/// Counts of servers' pushes, and the servers that tenants keep out.
extension PostgreSQLStore {
    private static let countApps: Statement = """
        INSERT INTO sealedpush.gateway (tenant, topic, environment, devices, accepted, refused)
        SELECT tenant, topic, environment, 0, accepted, refused
        FROM unnest($1, $2, $3, $4, $5) AS given (tenant, topic, environment, accepted, refused)
        ORDER BY tenant, topic, environment
        ON CONFLICT (tenant, topic, environment) DO UPDATE SET
            accepted = gateway.accepted + excluded.accepted, refused = gateway.refused + excluded.refused
        """
    private static let lockEndpoints: Statement = """
        SELECT FROM sealedpush.endpoint WHERE hash = ANY ($1) ORDER BY hash FOR NO KEY UPDATE
        """
    private static let countEndpoints: Statement = """
        UPDATE sealedpush.endpoint SET accepted = endpoint.accepted + given.accepted,
            refused = endpoint.refused + given.refused
        FROM unnest($1, $2, $3) AS given (hash, accepted, refused) WHERE endpoint.hash = given.hash
        """

    package func add(_ deltas: GatewayDeltas) async throws(StoreError) {
        let (apps, endpoints) = (Array(deltas.apps), Array(deltas.endpoints))
        let hashes = Parameter.bytesList(endpoints.map(\.key))
        _ = try await untilUnchanged { () async throws(StoreError) in
            var batch = Batch(writes: true)
            // In this order, in which a device's end takes them too.
            batch.add(
                Self.countApps,
                .bytesList(apps.map(\.key.tenant.bytes)),
                .bytesList(apps.map(\.key.topic.bytes)),
                .int64s(apps.map { Int64($0.key.environment.code) }),
                .int64s(apps.map { Int64($0.value.accepted) }),
                .int64s(apps.map { Int64($0.value.refused) })
            )
            batch.add(Self.lockEndpoints, hashes)
            batch.add(
                Self.countEndpoints,
                hashes,
                .int64s(endpoints.map { Int64($0.value.accepted) }),
                .int64s(endpoints.map { Int64($0.value.refused) })
            )
            return try await runUnlessChanged(batch)
        }
    }

    private static let selectApp: Statement = """
        SELECT devices, accepted, refused FROM sealedpush.gateway
        WHERE tenant = $1 AND topic = $2 AND environment = $3
        """

    /// - Returns: counts and enrolled devices of an app.
    package func gatewayCounts(_ app: GatewayApp) async throws(StoreError) -> (counts: GatewayCounts, deviceCount: Int)
    {
        let parameters: [Parameter] = [
            .bytes(app.tenant.bytes), .bytes(app.topic.bytes), .int64(Int64(app.environment.code)),
        ]
        return try await read(Self.selectApp, parameters) { result throws(PostgreSQLError) in
            guard let row = result.rows.first else { return (GatewayCounts(), 0) }
            return (try Self.counts(row, from: 1), Int(clamping: try row.int64(0)))
        }
    }

    private static let selectEndpoints: Statement = """
        SELECT hash, created, vapid, accepted, refused, expiry FROM sealedpush.endpoint
        WHERE tenant = $1 AND shard = $2 AND id = $3 ORDER BY created, hash
        """

    /// - Returns: a device's endpoints, oldest first.
    package func countedEndpoints(
        of device: DeviceKey
    ) async throws(StoreError) -> [(endpoint: PushEndpoint, counts: GatewayCounts)] {
        try await read(Self.selectEndpoints, DeviceTable.key(device)) { result throws(PostgreSQLError) in
            try result.rows.map { row throws(PostgreSQLError) in
                let endpoint = PushEndpoint(
                    hash: try row.bytes(0),
                    device: device,
                    created: Timestamp(column: try row.int64(1)),
                    expiry: try row.optionalInt64(5).map { Timestamp(column: $0) },
                    vapidKeyHash: try row.optionalBytes(2)
                )
                return (endpoint, try Self.counts(row, from: 3))
            }
        }
    }

    private static func counts(_ row: Row, from column: Int) throws(PostgreSQLError) -> GatewayCounts {
        GatewayCounts(
            accepted: Int(clamping: try row.int64(column)),
            refused: Int(clamping: try row.int64(column + 1))
        )
    }

    /// - Returns: all tenants'.
    package func endpointBlocks() async throws(StoreError) -> Set<EndpointBlock> {
        let rows = try await read("SELECT tenant, id FROM sealedpush.endpoint_block", []) {
            result throws(PostgreSQLError) in
            try result.rows.map { row throws(PostgreSQLError) in (tenant: try row.bytes(0), id: try row.bytes(1)) }
        }
        var blocks: Set<EndpointBlock> = []
        for row in rows {
            // Damage can make a tenant invalid.
            guard let tenant = try? TenantID(bytes: row.tenant) else { continue }
            blocks.insert(EndpointBlock(tenant: tenant, id: row.id))
        }
        return blocks
    }

    /// Administrators' calls alone wait for each other.
    private static let lockBlocks: Statement = "LOCK TABLE sealedpush.endpoint_block IN SHARE ROW EXCLUSIVE MODE"
    private static let insertBlock: Statement = """
        INSERT INTO sealedpush.endpoint_block (tenant, id, created) SELECT $1, $2, $3
        WHERE (SELECT count(*) FROM sealedpush.endpoint_block WHERE tenant = $1 AND id <> $2) < $4
        ON CONFLICT (tenant, id) DO UPDATE SET created = endpoint_block.created
        """

    /// - Returns: false if the tenant has `EndpointBlock.countMax`.
    package func add(_ block: EndpointBlock, now: Timestamp) async throws(StoreError) -> Bool {
        var batch = Batch(writes: true)
        batch.add(Self.lockBlocks)
        batch.add(
            Self.insertBlock,
            .bytes(block.tenant.bytes),
            .bytes(block.id),
            .int64(now.number),
            .int64(Int64(EndpointBlock.countMax))
        )
        return try await run(batch)[1].changedCount > 0
    }

    private static let deleteBlock: Statement = """
        DELETE FROM sealedpush.endpoint_block WHERE tenant = $1 AND id = $2
        """

    /// - Returns: false if it is not there.
    package func remove(_ block: EndpointBlock) async throws(StoreError) -> Bool {
        try await write(Self.deleteBlock, [.bytes(block.tenant.bytes), .bytes(block.id)]).changedCount > 0
    }
}
