internal import APNS
internal import Envelope

extension StoreWriter {
    func put(_ registrations: [Device.Registration], now: Timestamp) throws(StoreError) -> [PutResult] {
        touchesRegistry = true
        var results: [PutResult] = []
        for registration in registrations { results.append(try put(registration, now: now)) }
        return results
    }

    func put(_ registration: Device.Registration, now: Timestamp) throws(StoreError) -> PutResult {
        let tenant = try tenants.makeNumber(registration.key.tenant)
        let found = try find(registration.key, number: tenant)
        var stored = found?.row
        let change = stored?.change(registration, vault: vault, now: now, step: settings.sightingStep) ?? .address
        switch change {
        case .nothing: return .unchanged
        case .sighting:
            stored?.see(now: now)
            try sql("UPDATE device SET seen = ?, quarantine = ?, voip_quarantine = ? WHERE place = ?").run([
                now.column, .optional(stored?.row.quarantine), .optional(stored?.row.voIPQuarantine),
                .optional(found?.place),
            ])
            return .seen
        case .content, .address:
            let place = if let found { found.place } else { try freePlace(registration.key, number: tenant) }
            let bundle = try write(registration.bundle, at: place, over: found?.bundle, stored?.bundle)
            let row = RegistrationRow(registration, over: stored, change, vault: vault, now: now, random: &random)
            try write(row, tenant: tenant, place: place, bundle: bundle)
            return found == nil ? .created : .changed
        }
    }

    /// - Parameter number: bundle's row; nil without one.
    /// - Returns: row number in `bundle`.
    private func write(
        _ bundle: [UInt8],
        at place: Int64,
        over number: Int64?,
        _ stored: [UInt8]?
    ) throws(StoreError) -> Int64 {
        guard let number, let stored else {
            // A damaged row may have left one.
            try deleteBundle(at: place)
            let number = try sql("INSERT INTO bundle (device, bytes) VALUES (?, ?) RETURNING number").first(
                [.integer(place), .bytes(bundle)]
            ) { $0.integer(0) }
            guard let number else { throw .damaged }
            return number
        }
        if stored != bundle {
            try sql("UPDATE bundle SET bytes = ? WHERE number = ?").run([.bytes(bundle), .integer(number)])
        }
        return number
    }

    private func write(
        _ registration: RegistrationRow,
        tenant: Int64,
        place: Int64,
        bundle: Int64
    ) throws(StoreError) {
        let row = registration.row
        try sql(
            """
            INSERT INTO device (place, tenant, id, \(DeviceRow.columns), fingerprint, voip_fingerprint, bundle)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (place) DO UPDATE SET topic = excluded.topic, environment = excluded.environment,
                token = excluded.token, quarantine = excluded.quarantine, voip_token = excluded.voip_token,
                voip_quarantine = excluded.voip_quarantine, language = excluded.language, region = excluded.region,
                app_version = excluded.app_version, registered = excluded.registered, seen = excluded.seen,
                reached = excluded.reached, extra_tokens = excluded.extra_tokens,
                fingerprint = excluded.fingerprint, voip_fingerprint = excluded.voip_fingerprint,
                bundle = excluded.bundle
            """
        ).run([
            .integer(place), .integer(tenant), .bytes(row.key.device.bytes), .bytes(row.topic.bytes),
            .integer(Int64(row.environment.code)), .bytes(row.token), .optional(row.quarantine),
            .optional(row.voIPToken), .optional(row.voIPQuarantine), .optional(row.language), .optional(row.region),
            .optional(row.appVersion), row.registered.column, row.seen.column, .integer(row.isReached ? 1 : 0),
            .optional(row.extraTokens), .bytes(registration.fingerprint), .optional(registration.voIPFingerprint),
            .integer(bundle),
        ])
    }

    /// - Returns: device's place, its row, nil if damaged, and its bundle's; nil without one.
    private func find(
        _ key: DeviceKey,
        number: Int64
    ) throws(StoreError) -> (place: Int64, row: RegistrationRow?, bundle: Int64?)? {
        let places = places.places(of: key.device.bytes, tenant: number)
        return try sql(RegistrationRow.select).first([
            .integer(places.lowerBound), .integer(places.upperBound), .bytes(key.device.bytes), .integer(number),
        ]) { row in
            (RegistrationRow.place(row), RegistrationRow(row, key: key), RegistrationRow.bundleNumber(row))
        }
    }

    /// - Throws: `.noPlace`.
    private func freePlace(_ key: DeviceKey, number: Int64) throws(StoreError) -> Int64 {
        let places = places.places(of: key.device.bytes, tenant: number)
        let taken = try sql("SELECT place FROM device WHERE place BETWEEN ? AND ?").all([
            .integer(places.lowerBound), .integer(places.upperBound),
        ]) { $0.integer(0) }
        return try DeviceSlots.free(in: places, taken.contains)
    }

    func delete(_ keys: [DeviceKey]) throws(StoreError) -> [Bool] {
        touchesRegistry = true
        var results: [Bool] = []
        for key in keys { results.append(try delete(key)) }
        return results
    }

    private func delete(_ key: DeviceKey) throws(StoreError) -> Bool {
        guard let tenant = try tenants.number(key.tenant), let found = try find(key, number: tenant) else {
            return false
        }
        // Before their device, whose row locates them.
        try deleteBundle(at: found.place)
        try deleteEndpoints(at: found.place)
        return try sql("DELETE FROM device WHERE place = ?").run([.integer(found.place)]) > 0
    }

    /// - Returns: nil without such a device.
    func place(of key: DeviceKey) throws(StoreError) -> Int64? {
        guard let tenant = try tenants.number(key.tenant) else { return nil }
        return try find(key, number: tenant)?.place
    }

    private func deleteBundle(at place: Int64) throws(StoreError) {
        try sql("DELETE FROM bundle WHERE number = (SELECT bundle FROM device WHERE place = ?1) AND device = ?1").run([
            .integer(place)
        ])
    }

    func unregister(_ unregistrations: [Unregistration]) throws(StoreError) -> [UnregisterResult] {
        touchesRegistry = true
        var results: [UnregisterResult] = []
        for unregistration in unregistrations { results.append(try unregister(unregistration)) }
        return results
    }

    private func unregister(_ unregistration: Unregistration) throws(StoreError) -> UnregisterResult {
        let key = unregistration.key
        guard let tenant = try tenants.number(key.tenant), let found = try find(key, number: tenant),
            let row = found.row
        else { return .unknown }
        let step = settings.sightingStep
        let (result, effect) = row.unregister(unregistration, vault: vault, step: step, random: &random)
        switch effect {
        case .nothing: break
        case .deletion: _ = try delete(key)
        case .change(let changed):
            try sql(
                """
                UPDATE device SET quarantine = ?, voip_token = ?, voip_fingerprint = ?, voip_quarantine = ?,
                    extra_tokens = ? WHERE place = ?
                """
            ).run([
                .optional(changed.row.quarantine), .optional(changed.row.voIPToken),
                .optional(changed.voIPFingerprint), .optional(changed.row.voIPQuarantine),
                .optional(changed.row.extraTokens), .integer(found.place),
            ])
        }
        return result
    }

    func markReached(_ tokens: [ReachedToken]) throws(StoreError) {
        touchesRegistry = true
        for token in tokens {
            guard let number = try tenants.number(token.tenant) else { continue }
            try sql("UPDATE device SET reached = 1 WHERE tenant = ? AND fingerprint = ? AND reached = 0").run([
                .integer(number), .bytes(vault.fingerprint(token.token, token.environment, token.tenant)),
            ])
        }
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
