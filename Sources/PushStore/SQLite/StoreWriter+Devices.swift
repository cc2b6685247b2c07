internal import APNS
internal import Envelope

extension StoreWriter {
    func put(_ registrations: [Device.Registration], now: Timestamp) throws(StoreError) -> [PutResult] {
        var results: [PutResult] = []
        for registration in registrations { results.append(try put(registration, now: now)) }
        return results
    }

    private func put(_ registration: Device.Registration, now: Timestamp) throws(StoreError) -> PutResult {
        let key = registration.key
        let tenant = try tenants.makeNumber(key.tenant)
        let fingerprint = vault.fingerprint(registration.token, registration.environment, key.tenant)
        let found = try row(key.device, of: key.tenant, number: tenant)
        let stored = found ?? nil
        let change =
            stored?.change(registration, fingerprint: fingerprint, vault: vault, now: now, step: settings.sightingStep)
            ?? .address
        switch change {
        case .nothing: return .unchanged
        case .sighting:
            try sql("UPDATE device SET seen = ?, quarantine = ? WHERE tenant = ? AND id = ?").run([
                now.column, .optional(change.quarantine(after: stored?.quarantine).map { Int64($0.rawValue) }),
                .integer(tenant), .bytes(key.device.bytes),
            ])
            return .seen
        case .content, .address:
            let registered = change == .address ? now : stored?.registered ?? now
            let token = change == .address ? nil : stored?.token
            try sql(
                """
                INSERT INTO device (tenant, shard, \(DeviceRow.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (tenant, id) DO UPDATE SET topic = excluded.topic, environment = excluded.environment,
                    token = excluded.token, fingerprint = excluded.fingerprint, bundle = excluded.bundle,
                    language = excluded.language, region = excluded.region, app_version = excluded.app_version,
                    registered = excluded.registered, seen = excluded.seen, quarantine = excluded.quarantine
                """
            ).run([
                .integer(tenant), .integer(Int64(key.shard.index)), .bytes(key.device.bytes),
                .bytes(registration.topic.bytes), .integer(Int64(registration.environment.code)),
                .bytes(token ?? vault.seal(registration, random: &random)), .bytes(fingerprint),
                .bytes(registration.bundle), .optional(registration.language), .optional(registration.region),
                .optional(registration.appVersion), registered.column, now.column,
                .optional(change.quarantine(after: stored?.quarantine).map { Int64($0.rawValue) }),
            ])
            return found == nil ? .created : .changed
        }
    }

    /// - Returns: nil without a row; a row that is nil when it is damaged.
    private func row(_ device: DeviceID, of tenant: TenantID, number: Int64) throws(StoreError) -> DeviceRow?? {
        try sql("SELECT \(DeviceRow.columns) FROM device WHERE tenant = ? AND id = ?").first(
            [.integer(number), .bytes(device.bytes)]
        ) { DeviceRow($0, tenant: tenant) }
    }

    func delete(_ keys: [DeviceKey]) throws(StoreError) -> [Bool] {
        var results: [Bool] = []
        for key in keys { results.append(try delete(key)) }
        return results
    }

    private func delete(_ key: DeviceKey) throws(StoreError) -> Bool {
        guard let tenant = try tenants.number(key.tenant) else { return false }
        return try sql("DELETE FROM device WHERE tenant = ? AND id = ?").run([
            .integer(tenant), .bytes(key.device.bytes),
        ]) > 0
    }

    func unregister(_ unregistrations: [Unregistration]) throws(StoreError) -> [UnregisterResult] {
        var results: [UnregisterResult] = []
        for unregistration in unregistrations { results.append(try unregister(unregistration)) }
        return results
    }

    private func unregister(_ unregistration: Unregistration) throws(StoreError) -> UnregisterResult {
        let key = unregistration.key
        guard let tenant = try tenants.number(key.tenant),
            let row = try row(key.device, of: key.tenant, number: tenant) ?? nil
        else { return .unknown }
        let fingerprint = vault.fingerprint(unregistration.token, row.environment, key.tenant)
        guard row.fingerprint == fingerprint else { return .otherToken }
        let result = unregistration.result(seen: row.seen, step: settings.sightingStep)
        switch result {
        case .deleted: _ = try delete(key)
        case .quarantined:
            // One that APNs does not know at all stays what it is.
            try sql(
                "UPDATE device SET quarantine = ? WHERE tenant = ? AND id = ? AND quarantine IS NULL"
            ).run([.integer(Int64(Quarantine.unconfirmed.rawValue)), .integer(tenant), .bytes(key.device.bytes)])
        case .registeredSince, .otherToken, .unknown: break
        }
        return result
    }

    func quarantine(
        _ token: DeviceToken,
        _ environment: APNSEnvironment,
        _ tenant: TenantID
    ) throws(StoreError) -> Int {
        guard let number = try tenants.number(tenant) else { return 0 }
        return try sql("UPDATE device SET quarantine = ? WHERE tenant = ? AND fingerprint = ?").run([
            .integer(Int64(Quarantine.badToken.rawValue)), .integer(number),
            .bytes(vault.fingerprint(token, environment, tenant)),
        ])
    }
}
