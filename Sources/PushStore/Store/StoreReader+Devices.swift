internal import APNS
internal import Envelope

extension StoreReader {
    static let selectBundle = """
        SELECT bytes FROM device NOT INDEXED JOIN bundle ON bundle.number = device.bundle AND bundle.device = device.place
        WHERE \(DeviceRow.whereItMayBe)
        """

    /// Reads a tenant's range, which few others may share.
    static let selectPage = """
        SELECT \(DeviceRow.columns), place, id FROM device NOT INDEXED WHERE place > ? AND place <= ? AND tenant = ?
        ORDER BY place LIMIT ?
        """

    /// - Returns: each registration's change; `.address` also for missing and damaged rows.
    func changes(
        _ registrations: [Device.Registration],
        now: Timestamp,
        step: Duration
    ) throws(StoreError) -> [DeviceChange] {
        try together { () throws(StoreError) in try changesApart(registrations, now: now, step: step) }
    }

    private func changesApart(
        _ registrations: [Device.Registration],
        now: Timestamp,
        step: Duration
    ) throws(StoreError) -> [DeviceChange] {
        var changes: [DeviceChange] = []
        for registration in registrations {
            let key = registration.key
            let row = try first(key, selectRegistration) { RegistrationRow($0, key: key) } ?? nil
            let change = row?.change(registration, vault: vault, now: now, step: step)
            changes.append(change ?? .address)
        }
        return changes
    }

    func devices(_ keys: [DeviceKey]) throws(StoreError) -> [DeviceLookup] {
        try registry.look { select throws(StoreError) in
            var lookups: [DeviceLookup] = []
            lookups.reserveCapacity(keys.count)
            for key in keys {
                let found = try first(key, select) { DeviceRow($0, key: key, neighbor: lastTopic) }
                guard let row = found else {
                    lookups.append(.missing)
                    continue
                }
                if let row { lastTopic = row.topic }
                lookups.append(row?.device(vault).map { .found($0) } ?? .damaged)
            }
            return lookups
        }
    }

    /// In one transaction, apart from the registry snapshot, whose cache bundles would displace.
    func bundles(of keys: [DeviceKey]) throws(StoreError) -> [[UInt8]?] {
        let select = try sql(Self.selectBundle)
        return try together { () throws(StoreError) in
            var bundles: [[UInt8]?] = []
            bundles.reserveCapacity(keys.count)
            for key in keys { bundles.append(try first(key, select) { $0.bytes(0) }) }
            return bundles
        }
    }

    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) throws(StoreError) -> [DeviceKey] {
        guard let number = try tenants.number(tenant) else { return [] }
        let values: [SQLiteValue] = [.integer(number), .bytes(vault.fingerprint(token, environment, tenant))]
        // Sorted here: for ORDER BY, SQLite would scan all of the tenant's devices.
        var ids = try sql("SELECT id FROM device INDEXED BY device_fingerprint WHERE tenant = ? AND fingerprint = ?")
            .all(values) { $0.bytes(0) }
        ids += try sql("SELECT id FROM device INDEXED BY device_voip WHERE tenant = ? AND voip_fingerprint = ?")
            .all(values) { $0.bytes(0) }
        // Drops ids that are damaged.
        return Set(ids.compactMap { try? DeviceID(bytes: $0) })
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .map { DeviceKey(tenant: tenant, device: $0) }
    }

    func devices(tenant: TenantID, after cursor: Cursor?, limit: Int) throws(StoreError) -> Page<Device> {
        let limit = Page<Device>.clamped(limit)
        let after = try cursor.map { cursor throws(StoreError) in
            try cursors.open(cursor, of: .devices, tenant: tenant)
        }
        guard let number = try tenants.number(tenant) else { return Page(elements: [], next: nil) }
        let places = DeviceSlots.tenant(number)
        let last = try after.map { bytes throws(StoreError) in try Self.place(bytes) } ?? places.lowerBound - 1
        let found = try sql(Self.selectPage).all([
            .integer(last), .integer(places.upperBound), .integer(number), .integer(Int64(limit)),
        ]) { row in
            let device = try? DeviceID(bytes: row.bytes(14))
            return (
                place: row.integer(13),
                row: device.flatMap { DeviceRow(row, key: DeviceKey(tenant: tenant, device: $0)) }
            )
        }
        let next = found.count == limit ? found.last?.place : nil
        return Page(
            elements: found.compactMap { $0.row?.device(vault) },
            next: next.map { cursors.seal(Self.bytes($0), of: .devices, tenant: tenant) }
        )
    }

    /// Encodes a cursor's place in 8 bytes.
    private static func bytes(_ place: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: place >> (56 - 8 * $0)) }
    }

    /// - Throws: `.invalidCursor`, also for a cursor of an earlier file version.
    private static func place(_ bytes: [UInt8]) throws(StoreError) -> Int64 {
        guard bytes.count == 8, bytes[0] < 0x80 else { throw .invalidCursor }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// - Returns: nil without a row.
    private func first<Value>(
        _ key: DeviceKey,
        _ select: SQLiteStatement,
        _ read: (SQLiteRow) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        guard let tenant = try tenants.number(key.tenant) else { return nil }
        let places = places.places(of: key.device.bytes, tenant: tenant)
        return try select.first(
            [
                .integer(places.lowerBound), .integer(places.upperBound), .bytes(key.device.bytes), .integer(tenant),
            ],
            read
        )
    }
}
