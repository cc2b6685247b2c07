internal import APNS
internal import Envelope

extension StoreReader {
    private static let endpointColumns = "endpoint.hash, endpoint.created, endpoint.vapid"
    private static let selectEndpoint = """
        SELECT \(endpointColumns), device.tenant, device.id, device.topic, device.environment
        FROM endpoint JOIN device ON device.place = endpoint.device WHERE endpoint.hash = ? AND endpoint.kind = ?
        """

    func device(endpointKey hash: [UInt8]) throws(StoreError) -> DeviceKey? {
        try sql(Self.selectEndpoint).first(
            [.bytes(hash), .integer(EndpointKind.key.rawValue)],
            { row throws(StoreError) in try device(row) }
        ) ?? nil
    }

    func endpoint(_ hash: [UInt8]) throws(StoreError) -> EndpointTarget? {
        try sql(Self.selectEndpoint).first([.bytes(hash), .integer(EndpointKind.endpoint.rawValue)]) {
            row throws(StoreError) in
            guard let device = try device(row), let topic = try? Topic(bytes: row.bytes(5).span),
                let environment = APNSEnvironment(code: row.integer(6))
            else { return nil }
            return EndpointTarget(endpoint: Self.endpoint(row, of: device), topic: topic, environment: environment)
        } ?? nil
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
    private func device(_ row: SQLiteRow) throws(StoreError) -> DeviceKey? {
        guard let tenant = try tenants.name(row.integer(3)), let device = try? DeviceID(bytes: row.bytes(4)) else {
            return nil
        }
        return DeviceKey(tenant: tenant, device: device)
    }

    private static func endpoint(_ row: SQLiteRow, of device: DeviceKey) -> PushEndpoint {
        PushEndpoint(
            hash: row.bytes(0),
            device: device,
            created: Timestamp(column: row.integer(1)),
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
