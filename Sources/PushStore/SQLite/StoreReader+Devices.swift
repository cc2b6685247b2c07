internal import APNS
internal import Envelope

extension StoreReader {
    /// - Returns: what each registration changes; nil for those that must be looked at by the writer.
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
            let change = try row(key, selectDevice)?.flatMap { row in
                row.change(registration, vault: vault, now: now, step: step)
            }
            changes.append(change ?? .address)
        }
        return changes
    }

    func devices(_ keys: [DeviceKey]) throws(StoreError) -> [DeviceLookup] {
        try registry.look { select throws(StoreError) in
            var lookups: [DeviceLookup] = []
            lookups.reserveCapacity(keys.count)
            for key in keys {
                guard let row = try row(key, select) else {
                    lookups.append(.missing)
                    continue
                }
                lookups.append(row?.device(vault).map { .found($0) } ?? .damaged)
            }
            return lookups
        }
    }

    func devices(
        token: DeviceToken,
        environment: APNSEnvironment,
        tenant: TenantID
    ) throws(StoreError) -> [DeviceKey] {
        guard let number = try tenants.number(tenant) else { return [] }
        let values: [SQLiteValue] = [.integer(number), .bytes(vault.fingerprint(token, environment, tenant))]
        // Sorted here: asked for an order, SQLite would go through all devices of the tenant in it.
        var ids = try sql("SELECT id FROM device INDEXED BY device_fingerprint WHERE tenant = ? AND fingerprint = ?")
            .all(values) { $0.bytes(0) }
        ids += try sql("SELECT id FROM device INDEXED BY device_voip WHERE tenant = ? AND voip_fingerprint = ?")
            .all(values) { $0.bytes(0) }
        // One that is no id is damage.
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
        let found = try sql(
            "SELECT \(DeviceRow.columns) FROM device WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?"
        ).all([.integer(number), .bytes(after ?? []), .integer(Int64(limit))]) { row in
            (id: row.bytes(0), row: DeviceRow(row, tenant: tenant))
        }
        let last = found.count == limit ? found.last?.id : nil
        return Page(
            elements: found.compactMap { $0.row?.device(vault) },
            next: last.map { cursors.seal($0, of: .devices, tenant: tenant) }
        )
    }

    /// - Returns: nil without a row; a row that is nil when it is damaged.
    private func row(_ key: DeviceKey, _ select: SQLiteStatement) throws(StoreError) -> DeviceRow?? {
        guard let tenant = try tenants.number(key.tenant) else { return nil }
        let found = try select.first([.integer(tenant), .bytes(key.device.bytes)]) { row in
            DeviceRow(row, tenant: key.tenant, expected: key.device, neighbor: lastTopic)
        }
        if let topic = found??.topic { lastTopic = topic }
        return found
    }
}
