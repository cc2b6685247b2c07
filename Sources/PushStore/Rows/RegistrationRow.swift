package import Envelope
package import Primitives

/// A device as an engine stores it, each token beside the hash that finds it.
package struct RegistrationRow: Sendable {
    package var row: DeviceRow
    package var fingerprint: [UInt8]
    package var voIPFingerprint: [UInt8]?
    /// nil if damage has taken it.
    package var bundle: [UInt8]?

    package init(row: DeviceRow, fingerprint: [UInt8], voIPFingerprint: [UInt8]?, bundle: [UInt8]?) {
        self.row = row
        self.fingerprint = fingerprint
        self.voIPFingerprint = voIPFingerprint
        self.bundle = bundle
    }

    package func change(
        _ registration: Device.Registration,
        vault: TokenVault,
        now: Timestamp,
        step: Duration
    ) -> DeviceChange {
        let fingerprint = vault.fingerprint(registration.token, registration.environment, row.key.tenant)
        let addressIsSame =
            row.topic == registration.topic && row.environment == registration.environment
            && self.fingerprint == fingerprint
        let contentIsSame =
            bundle == registration.bundle && row.language == registration.language
            && row.region == registration.region && row.appVersion == registration.appVersion
            && voIPTokenIsSame(registration, vault) && extraTokensAreSame(registration, vault)
        // A token that does not open is rewritten, whatever its fingerprint.
        let isWhole = addressIsSame && row.openToken(vault) != nil
        return DeviceChange(
            addressIsSame: isWhole,
            contentIsSame: contentIsSame,
            isUnconfirmed: row.quarantine == .unconfirmed || row.voIPQuarantine == .unconfirmed,
            seen: row.seen,
            now: now,
            step: step
        )
    }

    private func extraTokensAreSame(_ registration: Device.Registration, _ vault: TokenVault) -> Bool {
        guard row.extraTokens != nil else { return registration.extraTokens.isEmpty }
        return row.openExtraTokens(vault) == registration.extraTokens
    }

    private func voIPTokenIsSame(_ registration: Device.Registration, _ vault: TokenVault) -> Bool {
        guard let token = registration.voIPToken else { return voIPFingerprint == nil && row.voIPToken == nil }
        return row.topic == registration.topic && row.environment == registration.environment
            && voIPFingerprint == vault.fingerprint(token, row.environment, row.key.tenant)
            && row.openVoIPToken(vault) != nil
    }

    /// Row of a launch without other news, which ends any doubt about tokens.
    package mutating func see(now: Timestamp) {
        row.seen = now
        row.quarantine = DeviceChange.sighting.quarantine(after: row.quarantine)
        row.voIPQuarantine = DeviceChange.sighting.quarantine(after: row.voIPQuarantine)
    }

    /// Row after a registration. Reseals each token only if it changed; only then its quarantine ends.
    ///
    /// - Parameters:
    ///   - stored: nil for a new device, or a damaged row.
    ///   - change: `.content` or `.address`.
    package init(
        _ registration: Device.Registration,
        over stored: RegistrationRow?,
        _ change: DeviceChange,
        vault: TokenVault,
        now: Timestamp,
        random: inout some RandomSource
    ) {
        let (key, environment) = (registration.key, registration.environment)
        let address = change == .address ? nil : stored?.row
        let calls = stored.flatMap { $0.voIPTokenIsSame(registration, vault) ? $0.row : nil }
        let row = DeviceRow(
            key: key,
            topic: registration.topic,
            environment: environment,
            token: address?.token ?? vault.sealToken(of: registration, random: &random),
            quarantine: change.quarantine(after: stored?.row.quarantine),
            voIPToken: calls.map(\.voIPToken) ?? vault.seal(.voIPToken, of: registration, random: &random),
            // This registration ends any doubt.
            voIPQuarantine: DeviceChange.content.quarantine(after: calls?.voIPQuarantine),
            language: registration.language,
            region: registration.region,
            appVersion: registration.appVersion,
            registered: address?.registered ?? now,
            seen: now,
            isReached: address?.isReached == true,
            extraTokens: vault.seal(.extraTokens, of: registration, random: &random)
        )
        self.init(
            row: row,
            fingerprint: vault.fingerprint(registration.token, environment, key.tenant),
            voIPFingerprint: registration.voIPToken.map { vault.fingerprint($0, environment, key.tenant) },
            bundle: registration.bundle
        )
    }

    package enum UnregisterEffect: Sendable {
        case nothing
        case deletion
        case change(RegistrationRow)
    }

    /// Decides about a report of a gone app.
    ///
    /// - Parameter step: age at which `seen` is rewritten.
    package func unregister(
        _ unregistration: Unregistration,
        vault: TokenVault,
        step: Duration,
        random: inout some RandomSource
    ) -> (result: UnregisterResult, effect: UnregisterEffect) {
        let result = unregistration.result(seen: row.seen, step: step)
        var changed = self
        if let purpose = unregistration.purpose {
            let tokens = row.openExtraTokens(vault) ?? []
            let rest = tokens.filter { $0 != ExtraToken(purpose, unregistration.token) }
            guard rest.count < tokens.count else { return (.otherToken, .nothing) }
            guard result != .registeredSince else { return (result, .nothing) }
            // Also in doubt: the app's next launch brings a good one back.
            changed.row.extraTokens = vault.seal(
                rest,
                key: row.key,
                topic: row.topic,
                environment: row.environment,
                random: &random
            )
            return (.deleted, .change(changed))
        }
        let fingerprint = vault.fingerprint(unregistration.token, row.environment, row.key.tenant)
        let isForCalls = self.fingerprint != fingerprint
        guard !isForCalls || voIPFingerprint == fingerprint else { return (.otherToken, .nothing) }
        switch result {
        case .deleted where isForCalls:
            (changed.row.voIPToken, changed.voIPFingerprint, changed.row.voIPQuarantine) = (nil, nil, nil)
        case .deleted: return (result, .deletion)
        // Each keeps a `badToken`.
        case .quarantined where isForCalls: changed.row.voIPQuarantine = row.voIPQuarantine ?? .unconfirmed
        case .quarantined: changed.row.quarantine = row.quarantine ?? .unconfirmed
        case .registeredSince, .otherToken, .unknown: return (result, .nothing)
        }
        return (result, .change(changed))
    }
}

extension RegistrationRow {
    /// Takes the values of `DeviceRow.whereItMayBe`.
    static let select = """
        SELECT \(DeviceRow.columns), place, fingerprint, voip_fingerprint, number, bytes FROM device NOT INDEXED
        LEFT JOIN bundle ON bundle.number = device.bundle AND bundle.device = device.place
        WHERE \(DeviceRow.whereItMayBe)
        """

    /// Fails for a damaged row.
    init?(_ row: SQLiteRow, key: DeviceKey) {
        guard let device = DeviceRow(row, key: key) else { return nil }
        self.init(
            row: device,
            fingerprint: row.bytes(14),
            voIPFingerprint: row.optionalBytes(15),
            bundle: row.isNull(16) ? nil : row.bytes(17)
        )
    }

    /// Place in a row of `select`, even a damaged one.
    static func place(_ row: SQLiteRow) -> Int64 { row.integer(13) }

    /// Bundle's row in a row of `select`; nil if damage has taken it.
    static func bundleNumber(_ row: SQLiteRow) -> Int64? { row.isNull(16) ? nil : row.integer(16) }
}
