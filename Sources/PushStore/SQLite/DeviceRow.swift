internal import APNS
internal import Envelope

/// One row of `device`, its token still encrypted.
struct DeviceRow {
    static let columns = """
        id, topic, environment, token, fingerprint, bundle, language, region, app_version, registered, seen, quarantine
        """

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

    /// - Returns: nil for a row that is not what was written.
    init?(_ row: SQLiteRow, tenant: TenantID) {
        let quarantine = row.optionalInteger(11)
        let known = quarantine.flatMap { UInt8(exactly: $0) }.flatMap(Quarantine.init)
        // A field that is none is what damage makes of it.
        guard let device = try? DeviceID(bytes: row.bytes(0)), let topic = try? Topic(bytes: row.bytes(1).span),
            let environment = APNSEnvironment(code: row.integer(2)), (known == nil) == (quarantine == nil)
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
        self.quarantine = known
    }

    /// - Returns: nil where the token opens with another row only, or nowhere.
    func device(_ vault: TokenVault) -> Device? {
        guard let token = vault.open(token, key: key, topic: topic, environment: environment) else { return nil }
        return Device(
            registration: Device.Registration(
                key: key,
                topic: topic,
                environment: environment,
                token: token,
                bundle: bundle,
                language: language,
                region: region,
                appVersion: appVersion
            ),
            registered: registered,
            seen: seen,
            quarantine: quarantine
        )
    }

    /// What a registration changes.
    func change(
        _ registration: Device.Registration,
        fingerprint: [UInt8],
        vault: TokenVault,
        now: Timestamp,
        step: Duration
    ) -> DeviceChange {
        let addressIsSame =
            topic == registration.topic && environment == registration.environment && self.fingerprint == fingerprint
        let contentIsSame =
            bundle == registration.bundle && language == registration.language && region == registration.region
            && appVersion == registration.appVersion
        // A token that does not open any more is written anew, however its fingerprint looks.
        let isWhole = addressIsSame && vault.open(token, key: key, topic: topic, environment: environment) != nil
        return DeviceChange(
            addressIsSame: isWhole,
            contentIsSame: contentIsSame,
            quarantine: quarantine,
            seen: seen,
            now: now,
            step: step
        )
    }
}
