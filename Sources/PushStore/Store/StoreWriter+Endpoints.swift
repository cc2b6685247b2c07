internal import Envelope

extension StoreWriter {
    func setEndpointKey(_ hash: [UInt8], of device: DeviceKey) throws(StoreError) -> EndpointKeyResult {
        guard let place = try place(of: device) else { return .noDevice }
        let isTaken = try sql("SELECT 1 FROM endpoint WHERE hash = ? AND (device <> ? OR kind <> ?)").first([
            .bytes(hash), .integer(place), .integer(EndpointKind.key.rawValue),
        ]) { _ in true }
        guard isTaken == nil else { return .taken }
        try replaceKey(hash, at: place, enrolled: Timestamp(milliseconds: 0))
        return .set
    }

    package func add(_ endpoint: PushEndpoint) throws(StoreError) -> EndpointAddition {
        guard let place = try place(of: endpoint.device) else { return .noDevice }
        try sql("DELETE FROM endpoint WHERE device = ? AND expiry <= ?").run([
            .integer(place), endpoint.created.column,
        ])
        let count = try sql("SELECT count(*) FROM endpoint WHERE device = ? AND kind = ?").first([
            .integer(place), .integer(EndpointKind.endpoint.rawValue),
        ]) { $0.integer(0) }
        guard count ?? 0 < PushEndpoint.countMax else { return .full }
        touchesRegistry = true
        try sql("INSERT INTO endpoint (hash, device, kind, created, vapid, expiry) VALUES (?, ?, ?, ?, ?, ?)").run([
            .bytes(endpoint.hash), .integer(place), .integer(EndpointKind.endpoint.rawValue), endpoint.created.column,
            .optional(endpoint.vapidKeyHash), endpoint.expiry?.column ?? .null,
        ])
        return .added
    }

    func revoke(_ hash: [UInt8], of device: DeviceKey) throws(StoreError) -> Bool {
        guard let place = try place(of: device) else { return false }
        let wasThere =
            try sql("DELETE FROM endpoint WHERE hash = ? AND device = ? AND kind = ?").run([
                .bytes(hash), .integer(place), .integer(EndpointKind.endpoint.rawValue),
            ]) > 0
        touchesRegistry = true
        if wasThere { try sql("DELETE FROM record WHERE endpoint = ?").run([.bytes(hash)]) }
        return wasThere
    }

    func keep(_ record: KeptRecord, now: Timestamp) throws(StoreError) {
        try dropRecords(expiredAt: now, limit: KeptRecord.countMax)
        try sql(
            """
            DELETE FROM record WHERE id IN
                (SELECT id FROM record WHERE endpoint = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
            """
        ).run([.bytes(record.endpoint), .integer(Int64(KeptRecord.countMax - 1))])
        try sql("INSERT INTO record (name, endpoint, expiry, bytes) VALUES (?, ?, ?, ?)").run([
            .bytes(record.name), .bytes(record.endpoint), record.expiry.column, .bytes(record.bytes),
        ])
    }

    func dropRecord(_ name: [UInt8]) throws(StoreError) {
        try sql("DELETE FROM record WHERE name = ?").run([.bytes(name)])
    }

    func dropRecords(expiredAt time: Timestamp, limit: Int) throws(StoreError) {
        try sql("DELETE FROM record WHERE id IN (SELECT id FROM record WHERE expiry <= ? ORDER BY expiry LIMIT ?)")
            .run([time.column, .integer(Int64(limit))])
    }

    func dropEndpoints(expiredAt time: Timestamp, limit: Int) throws(StoreError) {
        let count = try sql(
            "DELETE FROM endpoint WHERE hash IN (SELECT hash FROM endpoint WHERE expiry <= ? ORDER BY expiry LIMIT ?)"
        )
        .run([time.column, .integer(Int64(limit))])
        if count > 0 { touchesRegistry = true }
    }

    /// - Parameter enrolled: 0 for a tenant's.
    func replaceKey(_ hash: [UInt8], at place: Int64, enrolled: Timestamp) throws(StoreError) {
        try endEnrolment(at: place)
        try sql("DELETE FROM endpoint WHERE device = ? AND kind = ?").run([
            .integer(place), .integer(EndpointKind.key.rawValue),
        ])
        try sql("INSERT INTO endpoint (hash, device, kind, created) VALUES (?, ?, ?, ?)").run([
            .bytes(hash), .integer(place), .integer(EndpointKind.key.rawValue), enrolled.column,
        ])
    }

    /// Runs before the device's row goes, whose place another may take.
    func deleteEndpoints(at place: Int64) throws(StoreError) {
        try endEnrolment(at: place)
        try sql("DELETE FROM record WHERE endpoint IN (SELECT hash FROM endpoint WHERE device = ?)").run([
            .integer(place)
        ])
        try sql("DELETE FROM endpoint WHERE device = ?").run([.integer(place)])
    }
}
