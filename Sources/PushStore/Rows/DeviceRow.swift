package import APNS
package import Envelope

/// Row of `device`, its tokens still encrypted.
package struct DeviceRow: Sendable {
    static let columns = """
        topic, environment, token, quarantine, voip_token, voip_quarantine, language, region, app_version, registered, seen,
            reached, extra_tokens
        """

    static let columnCount: Int32 = 13

    /// Needs NOT INDEXED: by itself SQLite would scan all of a tenant's devices.
    static let whereItMayBe = "place BETWEEN ? AND ? AND id = ? AND tenant = ?"

    package let key: DeviceKey
    package var topic: Topic
    package var environment: APNSEnvironment
    package var token: [UInt8]
    package var quarantine: Quarantine?
    package var voIPToken: [UInt8]?
    package var voIPQuarantine: Quarantine?
    package var language: String?
    package var region: String?
    package var appVersion: String?
    package var registered: Timestamp
    package var seen: Timestamp
    package var isReached: Bool
    package var extraTokens: [UInt8]?

    package init(
        key: DeviceKey,
        topic: Topic,
        environment: APNSEnvironment,
        token: [UInt8],
        quarantine: Quarantine?,
        voIPToken: [UInt8]?,
        voIPQuarantine: Quarantine?,
        language: String?,
        region: String?,
        appVersion: String?,
        registered: Timestamp,
        seen: Timestamp,
        isReached: Bool,
        extraTokens: [UInt8]?
    ) {
        self.key = key
        self.topic = topic
        self.environment = environment
        self.token = token
        self.quarantine = quarantine
        self.voIPToken = voIPToken
        self.voIPQuarantine = voIPQuarantine
        self.language = language
        self.region = region
        self.appVersion = appVersion
        self.registered = registered
        self.seen = seen
        self.isReached = isReached
        self.extraTokens = extraTokens
    }

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
        self.init(
            key: key,
            topic: topic,
            environment: environment,
            token: row.bytes(2),
            quarantine: knownQuarantine,
            voIPToken: row.optionalBytes(4),
            voIPQuarantine: knownVoIP,
            language: row.optionalText(6),
            region: row.optionalText(7),
            appVersion: row.optionalText(8),
            registered: Timestamp(column: row.integer(9)),
            seen: Timestamp(column: row.integer(10)),
            isReached: row.integer(11) != 0,
            extraTokens: row.optionalBytes(12)
        )
    }

    /// - Returns: nil if the token does not open with this row.
    package func device(_ vault: TokenVault) -> Device? {
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
