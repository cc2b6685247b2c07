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
        let count = try sql("SELECT count(*) FROM endpoint WHERE device = ? AND kind = ?").first([
            .integer(place), .integer(EndpointKind.endpoint.rawValue),
        ]) { $0.integer(0) }
        guard count ?? 0 < PushEndpoint.countMax else { return .full }
        touchesRegistry = true
        try insert(endpoint.hash, .endpoint, at: place, created: endpoint.created, endpoint.vapidKeyHash)
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

    /// - Parameter enrolled: 0 for a tenant's.
    func replaceKey(_ hash: [UInt8], at place: Int64, enrolled: Timestamp) throws(StoreError) {
        try endEnrolment(at: place)
        try sql("DELETE FROM endpoint WHERE device = ? AND kind = ?").run([
            .integer(place), .integer(EndpointKind.key.rawValue),
        ])
        try insert(hash, .key, at: place, created: enrolled)
    }

    /// Runs before the device's row goes, whose place another may take.
    func deleteEndpoints(at place: Int64) throws(StoreError) {
        try endEnrolment(at: place)
        try sql("DELETE FROM record WHERE endpoint IN (SELECT hash FROM endpoint WHERE device = ?)").run([
            .integer(place)
        ])
        try sql("DELETE FROM endpoint WHERE device = ?").run([.integer(place)])
    }

    private func insert(
        _ hash: [UInt8],
        _ kind: EndpointKind,
        at place: Int64,
        created: Timestamp,
        _ vapidKeyHash: [UInt8]? = nil
    ) throws(StoreError) {
        try sql("INSERT INTO endpoint (hash, device, kind, created, vapid) VALUES (?, ?, ?, ?, ?)").run([
            .bytes(hash), .integer(place), .integer(kind.rawValue), created.column,
            .optional(vapidKeyHash),
        ])
    }
}
