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
        let stored = found?.row
        let change = stored?.change(registration, vault: vault, now: now, step: settings.sightingStep) ?? .address
        switch change {
        case .nothing: return .unchanged
        case .sighting:
            try sql("UPDATE device SET seen = ?, quarantine = ?, voip_quarantine = ? WHERE place = ?").run([
                now.column, .optional(DeviceChange.sighting.quarantine(after: stored?.row.quarantine)),
                .optional(DeviceChange.sighting.quarantine(after: stored?.row.voIPQuarantine)),
                .optional(found?.place),
            ])
            return .seen
        case .content, .address:
            let place = if let found { found.place } else { try freePlace(registration.key, number: tenant) }
            let bundle = try write(registration.bundle, at: place, over: stored?.bundle)
            try write(registration, over: stored, change, tenant: tenant, place: place, bundle: bundle, now: now)
            return found == nil ? .created : .changed
        }
    }

    /// - Returns: row number in `bundle`.
    private func write(
        _ bundle: [UInt8],
        at place: Int64,
        over stored: (number: Int64, bytes: [UInt8])?
    ) throws(StoreError) -> Int64 {
        guard let stored else {
            // A damaged row may have left one.
            try deleteBundle(at: place)
            let number = try sql("INSERT INTO bundle (device, bytes) VALUES (?, ?) RETURNING number").first(
                [.integer(place), .bytes(bundle)]
            ) { $0.integer(0) }
            guard let number else { throw .damaged }
            return number
        }
        if stored.bytes != bundle {
            try sql("UPDATE bundle SET bytes = ? WHERE number = ?").run([.bytes(bundle), .integer(stored.number)])
        }
        return stored.number
    }

    /// Reseals each token only if it changed; only then its quarantine ends.
    private func write(
        _ registration: Device.Registration,
        over stored: RegistrationRow?,
        _ change: DeviceChange,
        tenant: Int64,
        place: Int64,
        bundle: Int64,
        now: Timestamp
    ) throws(StoreError) {
        let key = registration.key
        let addressStays = change == .address ? nil : stored
        let voIPStays = stored.flatMap { $0.voIPTokenIsSame(registration, vault) ? $0 : nil }
        let token = addressStays?.row.token ?? vault.seal(of: registration, random: &random)
        let voIPToken = voIPStays.map(\.row.voIPToken) ?? vault.seal(.voIPToken, of: registration, random: &random)
        let voIPFingerprint = registration.voIPToken.map {
            vault.fingerprint($0, registration.environment, key.tenant)
        }
        // This registration ends any doubt.
        let voIPQuarantine = DeviceChange.content.quarantine(after: voIPStays?.row.voIPQuarantine)
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
            .integer(place), .integer(tenant), .bytes(key.device.bytes), .bytes(registration.topic.bytes),
            .integer(Int64(registration.environment.code)), .optional(token),
            .optional(change.quarantine(after: stored?.row.quarantine)), .optional(voIPToken),
            .optional(voIPQuarantine), .optional(registration.language), .optional(registration.region),
            .optional(registration.appVersion), (addressStays?.row.registered ?? now).column, now.column,
            .integer(addressStays?.row.isReached == true ? 1 : 0),
            .optional(vault.seal(.extraTokens, of: registration, random: &random)),
            .bytes(vault.fingerprint(registration.token, registration.environment, key.tenant)),
            .optional(voIPFingerprint), .integer(bundle),
        ])
    }

    /// - Returns: device's place, and its row, nil if damaged; nil without one.
    private func find(
        _ key: DeviceKey,
        number: Int64
    ) throws(StoreError) -> (place: Int64, row: RegistrationRow?)? {
        let places = places.places(of: key.device.bytes, tenant: number)
        return try sql(RegistrationRow.select).first([
            .integer(places.lowerBound), .integer(places.upperBound), .bytes(key.device.bytes), .integer(number),
        ]) { row in (RegistrationRow.place(row), RegistrationRow(row, key: key)) }
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
        guard let tenant = try tenants.number(key.tenant),
            let row = try find(key, number: tenant)?.row
        else { return .unknown }
        if let purpose = unregistration.purpose { return try unregister(unregistration, purpose, row) }
        let place = SQLiteValue.integer(row.place)
        let fingerprint = vault.fingerprint(unregistration.token, row.row.environment, key.tenant)
        guard row.fingerprint == fingerprint || row.voIPFingerprint == fingerprint else { return .otherToken }
        let isForCalls = row.fingerprint != fingerprint
        let result = unregistration.result(seen: row.row.seen, step: settings.sightingStep)
        switch result {
        case .deleted where isForCalls:
            try sql(
                """
                UPDATE device SET voip_token = NULL, voip_fingerprint = NULL, voip_quarantine = NULL WHERE place = ?
                """
            ).run([place])
        case .deleted: _ = try delete(key)
        case .quarantined where isForCalls:
            try sql("UPDATE device SET voip_quarantine = ? WHERE place = ? AND voip_quarantine IS NULL").run([
                .optional(Quarantine.unconfirmed), place,
            ])
        case .quarantined:
            // Keeps a `badToken`.
            try sql("UPDATE device SET quarantine = ? WHERE place = ? AND quarantine IS NULL").run([
                .optional(Quarantine.unconfirmed), place,
            ])
        case .registeredSince, .otherToken, .unknown: break
        }
        return result
    }

    /// Removes the token also in doubt: the app's next launch brings a good one back.
    private func unregister(
        _ unregistration: Unregistration,
        _ purpose: TokenPurpose,
        _ found: RegistrationRow
    ) throws(StoreError) -> UnregisterResult {
        let row = found.row
        let tokens = row.openExtraTokens(vault) ?? []
        let rest = tokens.filter { $0 != ExtraToken(purpose, unregistration.token) }
        guard rest.count < tokens.count else { return .otherToken }
        let result = unregistration.result(seen: row.seen, step: settings.sightingStep)
        guard result != .registeredSince else { return result }
        let (topic, environment) = (row.topic, row.environment)
        let sealed = vault.seal(rest, key: row.key, topic: topic, environment: environment, random: &random)
        try sql("UPDATE device SET extra_tokens = ? WHERE place = ?").run([.optional(sealed), .integer(found.place)])
        return .deleted
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
