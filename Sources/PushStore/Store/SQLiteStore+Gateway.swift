internal import APNS
package import Envelope

extension SQLiteStore {
    package func add(_ deltas: GatewayDeltas) async throws(StoreError) {
        try await write(weight: deltas.endpoints.count + deltas.apps.count) { writer throws(StoreError) in
            try writer.add(deltas)
        }
    }

    package func gatewayCounts(_ app: GatewayApp) async throws(StoreError) -> (counts: GatewayCounts, deviceCount: Int)
    {
        try await read { reader throws(StoreError) in try reader.gatewayCounts(app) }
    }

    package func countedEndpoints(
        of device: DeviceKey
    ) async throws(StoreError) -> [(endpoint: PushEndpoint, counts: GatewayCounts)] {
        try await read { reader throws(StoreError) in try reader.countedEndpoints(of: device) }
    }

    package func endpointBlocks() async throws(StoreError) -> Set<EndpointBlock> {
        try await read { reader throws(StoreError) in try reader.endpointBlocks() }
    }

    package func add(_ block: EndpointBlock, now: Timestamp) async throws(StoreError) -> Bool {
        try await write(canBeRefused: true) { writer throws(StoreError) in try writer.add(block, now: now) }
    }

    package func remove(_ block: EndpointBlock) async throws(StoreError) -> Bool {
        try await write { writer throws(StoreError) in try writer.remove(block) }
    }
}

extension StoreReader {
    func gatewayCounts(_ app: GatewayApp) throws(StoreError) -> (counts: GatewayCounts, deviceCount: Int) {
        guard let number = try tenants.number(app.tenant) else { return (GatewayCounts(), 0) }
        let row = try sql(
            "SELECT devices, accepted, refused FROM gateway WHERE tenant = ? AND topic = ? AND environment = ?"
        ).first([.integer(number), .bytes(app.topic.bytes), .integer(Int64(app.environment.code))]) { row in
            (
                counts: GatewayCounts(accepted: Int(row.integer(1)), refused: Int(row.integer(2))),
                deviceCount: Int(row.integer(0))
            )
        }
        return row ?? (GatewayCounts(), 0)
    }

    func countedEndpoints(
        of device: DeviceKey
    ) throws(StoreError) -> [(endpoint: PushEndpoint, counts: GatewayCounts)] {
        guard let place = try place(of: device) else { return [] }
        return try sql(
            """
            SELECT hash, created, accepted, refused, vapid, expiry FROM endpoint INDEXED BY endpoint_device
            WHERE device = ? AND kind = ? ORDER BY created, hash
            """
        ).all([.integer(place), .integer(EndpointKind.endpoint.rawValue)]) { row in
            (
                endpoint: PushEndpoint(
                    hash: row.bytes(0),
                    device: device,
                    created: Timestamp(column: row.integer(1)),
                    expiry: row.optionalInteger(5).map { Timestamp(column: $0) },
                    vapidKeyHash: row.optionalBytes(4)
                ),
                counts: GatewayCounts(accepted: Int(row.integer(2)), refused: Int(row.integer(3)))
            )
        }
    }

    func endpointBlocks() throws(StoreError) -> Set<EndpointBlock> {
        let rows = try sql("SELECT tenant, id FROM endpoint_block").all([]) { ($0.integer(0), $0.bytes(1)) }
        var blocks: Set<EndpointBlock> = []
        for (number, id) in rows {
            guard let tenant = try tenants.name(number) else { continue }
            blocks.insert(EndpointBlock(tenant: tenant, id: id))
        }
        return blocks
    }
}

extension StoreWriter {
    func add(_ deltas: GatewayDeltas) throws(StoreError) {
        for (hash, counts) in deltas.endpoints {
            try sql("UPDATE endpoint SET accepted = accepted + ?, refused = refused + ? WHERE hash = ?").run([
                .integer(Int64(counts.accepted)), .integer(Int64(counts.refused)), .bytes(hash),
            ])
        }
        for (app, counts) in deltas.apps {
            try sql(
                """
                INSERT INTO gateway (tenant, topic, environment, devices, accepted, refused) VALUES (?, ?, ?, 0, ?, ?)
                ON CONFLICT (tenant, topic, environment) DO UPDATE SET accepted = accepted + excluded.accepted,
                    refused = refused + excluded.refused
                """
            ).run([
                .integer(try tenants.makeNumber(app.tenant)), .bytes(app.topic.bytes),
                .integer(Int64(app.environment.code)), .integer(Int64(counts.accepted)),
                .integer(Int64(counts.refused)),
            ])
        }
    }

    func add(_ block: EndpointBlock, now: Timestamp) throws(StoreError) -> Bool {
        let number = try tenants.makeNumber(block.tenant)
        let count = try sql("SELECT count(*) FROM endpoint_block WHERE tenant = ? AND id <> ?").first([
            .integer(number), .bytes(block.id),
        ]) { $0.integer(0) }
        guard count ?? 0 < EndpointBlock.countMax else { return false }
        try sql("INSERT OR IGNORE INTO endpoint_block (tenant, id, created) VALUES (?, ?, ?)").run([
            .integer(number), .bytes(block.id), now.column,
        ])
        return true
    }

    func remove(_ block: EndpointBlock) throws(StoreError) -> Bool {
        guard let number = try tenants.number(block.tenant) else { return false }
        return try sql("DELETE FROM endpoint_block WHERE tenant = ? AND id = ?").run([
            .integer(number), .bytes(block.id),
        ]) > 0
    }
}
