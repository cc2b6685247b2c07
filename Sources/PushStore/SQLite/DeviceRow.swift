internal import APNS
internal import Envelope

/// One row of `device`, its token still encrypted.
struct DeviceRow {
    static let columns = """
        id, topic, environment, token, fingerprint, bundle, language, region, app_version, registered, seen, quarantine, \
        voip_token, voip_fingerprint, voip_quarantine
        """

    /// The same without what only a registration is compared with.
    static let lookupColumns = columns.replacing("voip_fingerprint", with: "NULL").replacing(
        "fingerprint",
        with: "NULL"
    )

    let key: DeviceKey
    let topic: Topic
    let environment: APNSEnvironment
    let token: [UInt8]
    let fingerprint: [UInt8]
    let bundle: [UInt8]
    let language: String?
    let region: String?
    let appVersion: String?
    let registered: Timestamp
    let seen: Timestamp
    let quarantine: Quarantine?
    let voIPToken: [UInt8]?
    let voIPFingerprint: [UInt8]?
    let voIPQuarantine: Quarantine?

    /// Nil for a row that is not what was written.
    ///
    /// - Parameters:
    ///   - row: with `columns`.
    ///   - tenant: whose it is.
    ///   - expected: the device that was asked for, if one was.
    ///   - neighbor: the topic of another row; most have the same, and it is not checked again.
    init?(_ row: SQLiteRow, tenant: TenantID, expected: DeviceID? = nil, neighbor: Topic? = nil) {
        let quarantine = row.optionalInteger(11)
        let knownQuarantine = quarantine.flatMap { UInt8(exactly: $0) }.flatMap(Quarantine.init)
        let voIPQuarantine = row.optionalInteger(14)
        let knownVoIP = voIPQuarantine.flatMap { UInt8(exactly: $0) }.flatMap(Quarantine.init)
        // A field that is none is what damage makes of it.
        let known = (
            device: expected.flatMap { row.holds($0.bytes, in: 0) ? $0 : nil },
            topic: neighbor.flatMap { row.holds($0.bytes, in: 1) ? $0 : nil }
        )
        guard let device = known.device ?? (try? DeviceID(bytes: row.bytes(0))),
            let topic = known.topic ?? (try? Topic(bytes: row.bytes(1).span)),
            let environment = APNSEnvironment(code: row.integer(2)), (knownQuarantine == nil) == (quarantine == nil),
            (knownVoIP == nil) == (voIPQuarantine == nil)
        else { return nil }
        key = DeviceKey(tenant: tenant, device: device)
        self.topic = topic
        self.environment = environment
        token = row.bytes(3)
        fingerprint = row.bytes(4)
        bundle = row.bytes(5)
        language = row.optionalText(6)
        region = row.optionalText(7)
        appVersion = row.optionalText(8)
        registered = Timestamp(column: row.integer(9))
        seen = Timestamp(column: row.integer(10))
        self.quarantine = knownQuarantine
        voIPToken = row.optionalBytes(12)
        voIPFingerprint = row.optionalBytes(13)
        self.voIPQuarantine = knownVoIP
    }

    /// - Returns: nil where the token opens with another row only, or nowhere.
    func device(_ vault: TokenVault) -> Device? {
        guard let token = vault.open(token, key: key, topic: topic, environment: environment) else { return nil }
        // One that does not open is as good as none; the app's next launch mends it.
        let voIPToken = voIPQuarantine == nil ? openVoIPToken(vault) : nil
        return Device(
            registration: Device.Registration(
                key: key,
                topic: topic,
                environment: environment,
                token: token,
                voIPToken: voIPToken,
                bundle: bundle,
                language: language,
                region: region,
                appVersion: appVersion
            ),
            registered: registered,
            seen: seen,
            quarantine: quarantine,
            voIPQuarantine: voIPQuarantine
        )
    }

    /// What a registration changes.
    func change(
        _ registration: Device.Registration,
        vault: TokenVault,
        now: Timestamp,
        step: Duration
    ) -> DeviceChange {
        let fingerprint = vault.fingerprint(registration.token, registration.environment, key.tenant)
        let addressIsSame =
            topic == registration.topic && environment == registration.environment && self.fingerprint == fingerprint
        let contentIsSame =
            bundle == registration.bundle && language == registration.language && region == registration.region
            && appVersion == registration.appVersion && voIPTokenIsSame(registration, vault)
        // A token that does not open any more is written anew, however its fingerprint looks.
        let isWhole = addressIsSame && vault.open(token, key: key, topic: topic, environment: environment) != nil
        return DeviceChange(
            addressIsSame: isWhole,
            contentIsSame: contentIsSame,
            isUnconfirmed: quarantine == .unconfirmed || voIPQuarantine == .unconfirmed,
            seen: seen,
            now: now,
            step: step
        )
    }

    /// Whether the row's token for calls need not be written anew.
    func voIPTokenIsSame(_ registration: Device.Registration, _ vault: TokenVault) -> Bool {
        guard let token = registration.voIPToken else { return voIPFingerprint == nil && voIPToken == nil }
        return topic == registration.topic && environment == registration.environment
            && voIPFingerprint == vault.fingerprint(token, environment, key.tenant) && openVoIPToken(vault) != nil
    }

    private func openVoIPToken(_ vault: TokenVault) -> DeviceToken? {
        voIPToken.flatMap { vault.open($0, .voIPToken, key: key, topic: topic, environment: environment) }
    }
}
