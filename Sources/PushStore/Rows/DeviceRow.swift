internal import APNS
internal import Envelope

/// Row of `device`, its tokens still encrypted.
struct DeviceRow {
    static let columns = """
        topic, environment, token, quarantine, voip_token, voip_quarantine, language, region, app_version, registered, seen,
            reached, extra_tokens
        """

    /// Needs NOT INDEXED: by itself SQLite would scan all of a tenant's devices.
    static let whereItMayBe = "place BETWEEN ? AND ? AND id = ? AND tenant = ?"

    let key: DeviceKey
    let topic: Topic
    let environment: APNSEnvironment
    let token: [UInt8]
    let quarantine: Quarantine?
    let voIPToken: [UInt8]?
    let voIPQuarantine: Quarantine?
    let language: String?
    let region: String?
    let appVersion: String?
    let registered: Timestamp
    let seen: Timestamp
    let isReached: Bool
    let extraTokens: [UInt8]?

    /// - Parameter neighbor: topic of another row; an equal one is not checked again.
    init?(_ row: SQLiteRow, key: DeviceKey, neighbor: Topic? = nil) {
        let quarantine = row.optionalInteger(3)
        let knownQuarantine = quarantine.flatMap { UInt8(exactly: $0) }.flatMap(Quarantine.init)
        let voIPQuarantine = row.optionalInteger(5)
        let knownVoIP = voIPQuarantine.flatMap { UInt8(exactly: $0) }.flatMap(Quarantine.init)
        let known = neighbor.flatMap { row.holds($0.bytes, in: 0) ? $0 : nil }
        // Damage can make a field invalid.
        guard let topic = known ?? (try? Topic(bytes: row.bytes(0).span)),
            let environment = APNSEnvironment(code: row.integer(1)), (knownQuarantine == nil) == (quarantine == nil),
            (knownVoIP == nil) == (voIPQuarantine == nil)
        else { return nil }
        self.key = key
        self.topic = topic
        self.environment = environment
        token = row.bytes(2)
        self.quarantine = knownQuarantine
        voIPToken = row.optionalBytes(4)
        self.voIPQuarantine = knownVoIP
        language = row.optionalText(6)
        region = row.optionalText(7)
        appVersion = row.optionalText(8)
        registered = Timestamp(column: row.integer(9))
        seen = Timestamp(column: row.integer(10))
        isReached = row.integer(11) != 0
        extraTokens = row.optionalBytes(12)
    }

    /// - Returns: nil if the token does not open with this row.
    func device(_ vault: TokenVault) -> Device? {
        guard let token = openToken(vault) else { return nil }
        return Device(
            key: key,
            topic: topic,
            environment: environment,
            token: token,
            // One that does not open counts as none until the app's next launch.
            voIPToken: voIPQuarantine == nil ? openVoIPToken(vault) : nil,
            language: language,
            region: region,
            appVersion: appVersion,
            registered: registered,
            seen: seen,
            quarantine: quarantine,
            voIPQuarantine: voIPQuarantine,
            isReached: isReached,
            extraTokens: openExtraTokens(vault) ?? []
        )
    }

    func openToken(_ vault: TokenVault) -> DeviceToken? {
        vault.open(token, key: key, topic: topic, environment: environment)
    }

    /// - Returns: nil without any, or if they do not open here.
    func openExtraTokens(_ vault: TokenVault) -> [ExtraToken]? {
        extraTokens.flatMap { vault.openExtraTokens($0, key: key, topic: topic, environment: environment) }
    }

    func openVoIPToken(_ vault: TokenVault) -> DeviceToken? {
        voIPToken.flatMap { vault.open($0, .voIPToken, key: key, topic: topic, environment: environment) }
    }
}
