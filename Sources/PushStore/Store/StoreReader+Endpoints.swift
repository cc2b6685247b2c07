internal import APNS
internal import Envelope

extension StoreReader {
    private static let endpointColumns = "hash, created, vapid, expiry"
    private static let selectKey = """
        SELECT device.tenant, device.id FROM endpoint JOIN device ON device.place = endpoint.device
        WHERE endpoint.hash = ? AND endpoint.kind = ?
        """

    func device(endpointKey hash: [UInt8]) throws(StoreError) -> DeviceKey? {
        try sql(Self.selectKey).first(
            [.bytes(hash), .integer(EndpointKind.key.rawValue)],
            { row throws(StoreError) in try device(tenant: row.integer(0), id: row.bytes(1)) }
        ) ?? nil
    }

    /// Endpoints with their registrations, from the registry's snapshot: the outbox's writes leave its cache.
    func endpoints(_ hashes: [[UInt8]]) throws(StoreError) -> [EndpointTarget?] {
        try registry.look { _ throws(StoreError) in
            var targets: [EndpointTarget?] = []
            targets.reserveCapacity(hashes.count)
            for hash in hashes {
                let found = try registry.selectEndpoint.first(
                    [.bytes(hash), .integer(EndpointKind.endpoint.rawValue)],
                    { row throws(StoreError) in try target(row, hash) }
                )
                targets.append(found ?? nil)
            }
            return targets
        }
    }

    /// - Returns: nil if the row does not even tell the app.
    private func target(_ row: SQLiteRow, _ hash: [UInt8]) throws(StoreError) -> EndpointTarget? {
        let next = DeviceRow.columnCount
        guard let key = try device(tenant: row.integer(next + 3), id: row.bytes(next + 4)),
            let found = DeviceRow(row, key: key, neighbor: lastTopic)
        else { return nil }
        lastTopic = found.topic
        return EndpointTarget(
            endpoint: PushEndpoint(
                hash: hash,
                device: key,
                created: Timestamp(column: row.integer(next)),
                expiry: row.optionalInteger(next + 2).map { Timestamp(column: $0) },
                vapidKeyHash: row.optionalBytes(next + 1)
            ),
            lookup: found.device(vault).map { .found($0) } ?? .damaged,
            topic: found.topic,
            environment: found.environment
        )
    }

    func endpoints(of device: DeviceKey) throws(StoreError) -> [PushEndpoint] {
        guard let place = try place(of: device) else { return [] }
        return try sql(
            """
            SELECT \(Self.endpointColumns) FROM endpoint INDEXED BY endpoint_device WHERE device = ? AND kind = ?
            ORDER BY created, hash
            """
        ).all([.integer(place), .integer(EndpointKind.endpoint.rawValue)]) { Self.endpoint($0, of: device) }
    }

    func record(_ name: [UInt8], now: Timestamp) throws(StoreError) -> [UInt8]? {
        try sql("SELECT bytes FROM record WHERE name = ? AND expiry > ?").first([.bytes(name), now.column]) {
            $0.bytes(0)
        }
    }

    /// - Returns: nil for a damaged row.
    private func device(tenant: Int64, id: [UInt8]) throws(StoreError) -> DeviceKey? {
        guard let tenant = try tenants.name(tenant), let device = try? DeviceID(bytes: id) else { return nil }
        return DeviceKey(tenant: tenant, device: device)
    }

    private static func endpoint(_ row: SQLiteRow, of device: DeviceKey) -> PushEndpoint {
        PushEndpoint(
            hash: row.bytes(0),
            device: device,
            created: Timestamp(column: row.integer(1)),
            expiry: row.optionalInteger(3).map { Timestamp(column: $0) },
            vapidKeyHash: row.optionalBytes(2)
        )
    }

    func place(of key: DeviceKey) throws(StoreError) -> Int64? {
        guard let tenant = try tenants.number(key.tenant) else { return nil }
        let places = places.places(of: key.device.bytes, tenant: tenant)
        return try sql("SELECT place FROM device NOT INDEXED WHERE \(DeviceRow.whereItMayBe)").first([
            .integer(places.lowerBound), .integer(places.upperBound), .bytes(key.device.bytes), .integer(tenant),
        ]) { $0.integer(0) }
    }
}
