internal import APNS
internal import Envelope

extension StoreWriter {
    func put(_ registrations: [Device.Registration], now: Timestamp) throws(StoreError) -> [PutResult] {
        touchesRegistry = true
        var results: [PutResult] = []
        for registration in registrations { results.append(try put(registration, now: now)) }
        return results
    }

    private func put(_ registration: Device.Registration, now: Timestamp) throws(StoreError) -> PutResult {
        let key = registration.key
        let tenant = try tenants.makeNumber(key.tenant)
        let found = try row(key.device, of: key.tenant, number: tenant)
        let stored = found ?? nil
        let change = stored?.change(registration, vault: vault, now: now, step: settings.sightingStep) ?? .address
        switch change {
        case .nothing: return .unchanged
        case .sighting:
            try sql(
                "UPDATE device SET seen = ?, quarantine = ?, voip_quarantine = ? WHERE tenant = ? AND id = ?"
            ).run([
                now.column, .optional(DeviceChange.sighting.quarantine(after: stored?.quarantine)),
                .optional(DeviceChange.sighting.quarantine(after: stored?.voIPQuarantine)), .integer(tenant),
                .bytes(key.device.bytes),
            ])
            return .seen
        case .content, .address:
            try write(registration, over: stored, change, tenant: tenant, now: now)
            return found == nil ? .created : .changed
        }
    }

    /// Each of the two tokens is sealed anew only where it changed, and only then its quarantine ends.
    private func write(
        _ registration: Device.Registration,
        over stored: DeviceRow?,
        _ change: DeviceChange,
        tenant: Int64,
        now: Timestamp
    ) throws(StoreError) {
        let key = registration.key
        let addressStays = change == .address ? nil : stored
        let voIPStays = stored.flatMap { $0.voIPTokenIsSame(registration, vault) ? $0 : nil }
        let token = addressStays?.token ?? vault.seal(of: registration, random: &random)
        let voIPToken = voIPStays.map(\.voIPToken) ?? vault.seal(.voIPToken, of: registration, random: &random)
        let voIPFingerprint = registration.voIPToken.map {
            vault.fingerprint($0, registration.environment, key.tenant)
        }
        // The app was heard of: what was only in doubt is not any more.
        let voIPQuarantine = DeviceChange.content.quarantine(after: voIPStays?.voIPQuarantine)
        try sql(
            """
            INSERT INTO device (tenant, shard, \(DeviceRow.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant, id) DO UPDATE SET topic = excluded.topic, environment = excluded.environment,
                token = excluded.token, fingerprint = excluded.fingerprint, bundle = excluded.bundle,
                language = excluded.language, region = excluded.region, app_version = excluded.app_version,
                registered = excluded.registered, seen = excluded.seen, quarantine = excluded.quarantine,
                voip_token = excluded.voip_token, voip_fingerprint = excluded.voip_fingerprint,
                voip_quarantine = excluded.voip_quarantine
            """
        ).run([
            .integer(tenant), .integer(Int64(key.shard.index)), .bytes(key.device.bytes),
            .bytes(registration.topic.bytes), .integer(Int64(registration.environment.code)), .optional(token),
            .bytes(vault.fingerprint(registration.token, registration.environment, key.tenant)),
            .bytes(registration.bundle), .optional(registration.language), .optional(registration.region),
            .optional(registration.appVersion), (addressStays?.registered ?? now).column, now.column,
            .optional(change.quarantine(after: stored?.quarantine)), .optional(voIPToken), .optional(voIPFingerprint),
            .optional(voIPQuarantine),
        ])
    }

    /// - Returns: nil without a row; a row that is nil when it is damaged.
    private func row(_ device: DeviceID, of tenant: TenantID, number: Int64) throws(StoreError) -> DeviceRow?? {
        try sql("SELECT \(DeviceRow.columns) FROM device WHERE tenant = ? AND id = ?").first(
            [.integer(number), .bytes(device.bytes)]
        ) { DeviceRow($0, tenant: tenant) }
    }

    func delete(_ keys: [DeviceKey]) throws(StoreError) -> [Bool] {
        touchesRegistry = true
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
        touchesRegistry = true
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
        guard row.fingerprint == fingerprint || row.voIPFingerprint == fingerprint else { return .otherToken }
        let isForCalls = row.fingerprint != fingerprint
        let result = unregistration.result(seen: row.seen, step: settings.sightingStep)
        switch result {
        case .deleted where isForCalls:
            try sql(
                """
                UPDATE device SET voip_token = NULL, voip_fingerprint = NULL, voip_quarantine = NULL
                WHERE tenant = ? AND id = ?
                """
            ).run([.integer(tenant), .bytes(key.device.bytes)])
        case .deleted: _ = try delete(key)
        case .quarantined where isForCalls:
            try sql(
                "UPDATE device SET voip_quarantine = ? WHERE tenant = ? AND id = ? AND voip_quarantine IS NULL"
            ).run([.optional(Quarantine.unconfirmed), .integer(tenant), .bytes(key.device.bytes)])
        case .quarantined:
            // One that APNs does not know at all stays what it is.
            try sql(
                "UPDATE device SET quarantine = ? WHERE tenant = ? AND id = ? AND quarantine IS NULL"
            ).run([.optional(Quarantine.unconfirmed), .integer(tenant), .bytes(key.device.bytes)])
        case .registeredSince, .otherToken, .unknown: break
        }
        return result
    }

    func quarantine(
        _ token: DeviceToken,
        _ environment: APNSEnvironment,
        _ tenant: TenantID
    ) throws(StoreError) -> Int {
        touchesRegistry = true
        guard let number = try tenants.number(tenant) else { return 0 }
        let values: [SQLiteValue] = [
            .optional(Quarantine.badToken), .integer(number), .bytes(vault.fingerprint(token, environment, tenant)),
        ]
        let count = try sql("UPDATE device SET quarantine = ? WHERE tenant = ? AND fingerprint = ?").run(values)
        let callCount = try sql("UPDATE device SET voip_quarantine = ? WHERE tenant = ? AND voip_fingerprint = ?").run(
            values
        )
        return count + callCount
    }
}

extension SQLiteValue {
    fileprivate static func optional(_ value: Quarantine?) -> SQLiteValue {
        .optional(value.map { Int64($0.rawValue) })
    }
}
