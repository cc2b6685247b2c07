internal import Envelope

struct RegistrationRow {
    /// Takes the values of `DeviceRow.whereItMayBe`.
    static let select = """
        SELECT \(DeviceRow.columns), place, fingerprint, voip_fingerprint, number, bytes FROM device NOT INDEXED
        LEFT JOIN bundle ON bundle.number = device.bundle AND bundle.device = device.place
        WHERE \(DeviceRow.whereItMayBe)
        """

    let place: Int64
    let row: DeviceRow
    let fingerprint: [UInt8]
    let voIPFingerprint: [UInt8]?
    /// nil if damage has taken it.
    let bundle: (number: Int64, bytes: [UInt8])?

    /// Fails for a damaged row.
    init?(_ row: SQLiteRow, key: DeviceKey) {
        guard let device = DeviceRow(row, key: key) else { return nil }
        self.row = device
        place = Self.place(row)
        fingerprint = row.bytes(14)
        voIPFingerprint = row.optionalBytes(15)
        bundle = row.isNull(16) ? nil : (row.integer(16), row.bytes(17))
    }

    /// Place in a row of `select`, even a damaged one.
    static func place(_ row: SQLiteRow) -> Int64 { row.integer(13) }

    func change(
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
            bundle?.bytes == registration.bundle && row.language == registration.language
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

    func voIPTokenIsSame(_ registration: Device.Registration, _ vault: TokenVault) -> Bool {
        guard let token = registration.voIPToken else { return voIPFingerprint == nil && row.voIPToken == nil }
        return row.topic == registration.topic && row.environment == registration.environment
            && voIPFingerprint == vault.fingerprint(token, row.environment, row.key.tenant)
            && row.openVoIPToken(vault) != nil
    }
}
