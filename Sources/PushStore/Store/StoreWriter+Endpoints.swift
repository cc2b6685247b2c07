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
        try insert(endpoint.hash, .endpoint, at: place, created: endpoint.created, endpoint.vapidKeyHash)
        return .added
    }

    func revoke(_ hash: [UInt8], of device: DeviceKey) throws(StoreError) -> Bool {
        guard let place = try place(of: device) else { return false }
        return try sql("DELETE FROM endpoint WHERE hash = ? AND device = ? AND kind = ?").run([
            .bytes(hash), .integer(place), .integer(EndpointKind.endpoint.rawValue),
        ]) > 0
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
            vapidKeyHash.map { .bytes($0) } ?? .null,
        ])
    }
}
