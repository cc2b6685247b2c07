public import UserNotifications

/// A push as a device reads it from APNs' payload.
///
/// A wrong member of `aps`, such as a badge that is a string, counts as missing, as on iOS. Only bytes that are no
/// payload are an error.
///
/// - Source: https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
public struct SimulatedPush: Sendable, Equatable {
    /// Apple's limit for every push type but VoIP, in bytes.
    public static let payloadByteCountMax = 4_096

    /// Apple's limit for VoIP pushes, in bytes.
    public static let voIPPayloadByteCountMax = 5_120

    /// Identifier of the notification's request.
    public let identifier: String

    /// Whole payload, `aps` included, which becomes `userInfo`.
    public let userInfo: [String: UserInfoValue]

    private let aps: [String: UserInfoValue]

    /// Reads a payload.
    ///
    /// - Parameters:
    ///   - payload: as from APNs.
    ///   - identifier: by default new, as for a push without a collapse id.
    /// - Throws: `SimulatedPushError` for bytes that are no payload.
    public init(
        payload: some Collection<UInt8>,
        identifier: String = UUID().uuidString
    ) throws(SimulatedPushError) {
        let userInfo = try Self.members(of: payload, byteCountMax: Self.payloadByteCountMax)
        guard let aps = userInfo["aps"]?.members else { throw .missingAps }
        self.identifier = identifier
        self.userInfo = userInfo
        self.aps = aps
    }

    static func members(
        of payload: some Collection<UInt8>,
        byteCountMax: Int
    ) throws(SimulatedPushError) -> [String: UserInfoValue] {
        guard payload.count <= byteCountMax else {
            throw .tooLong(byteCount: payload.count, byteCountMax: byteCountMax)
        }
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: Data(payload), options: .fragmentsAllowed)
        } catch {
            // The parser's own error quotes the payload.
            throw .notJSON
        }
        guard let members = UserInfoValue(json).members else { throw .notAnObject }
        return members
    }

    init?(userInfo: [String: UserInfoValue], identifier: String) {
        guard let aps = userInfo["aps"]?.members else { return nil }
        self.identifier = identifier
        self.userInfo = userInfo
        self.aps = aps
    }

    /// True if the push asks for its extension: `mutable-content` is the number 1.
    public var isMutable: Bool { aps["mutable-content"]?.number == 1 }

    func makeRequest(_ alertText: AlertText) -> UNNotificationRequest {
        UNNotificationRequest(
            identifier: identifier,
            content: makeContent(alertText),
            trigger: UNPushNotificationTrigger()
        )
    }

    /// Content that iOS shows if no extension changes it.
    func makeContent(_ alertText: AlertText) -> UNNotificationContent {
        let content = UNMutableNotificationContent()
        content.title = alertText.title
        content.subtitle = alertText.subtitle
        content.body = alertText.body
        content.launchImageName = aps["alert"]?.members?["launch-image"]?.string ?? ""
        content.sound = sound
        content.badge = aps["badge"]?.number.map { NSNumber(value: Int(clamping: $0)) }
        content.categoryIdentifier = aps["category"]?.string ?? ""
        content.threadIdentifier = aps["thread-id"]?.string ?? ""
        content.targetContentIdentifier = aps["target-content-id"]?.string
        content.filterCriteria = aps["filter-criteria"]?.string
        content.interruptionLevel = interruptionLevel
        content.relevanceScore = aps["relevance-score"]?.number ?? 0
        content.userInfo = userInfo.mapValues(\.foundationValue)
        return content
    }

    /// Alert's translated texts. A literal text goes before a key.
    func alertText(_ translation: AlertTranslation) -> AlertText {
        if let body = aps["alert"]?.string { return AlertText(body: body) }
        return AlertText(
            title: alertText("title", localized: "title-loc", translation),
            subtitle: alertText("subtitle", localized: "subtitle-loc", translation),
            body: alertText("body", localized: "loc", translation)
        )
    }

    private func alertText(_ name: String, localized prefix: String, _ translation: AlertTranslation) -> String {
        let alert = aps["alert"]?.members
        if let text = alert?[name]?.string { return text }
        guard let key = alert?["\(prefix)-key"]?.string else { return "" }
        // Keeps the place of an argument that is no string, so that others do not shift.
        return translation.text(key, alert?["\(prefix)-args"]?.elements?.map { $0.string ?? "" } ?? [])
    }

    /// Name, or for critical alerts a dictionary. "default" or no name is the system's sound.
    private var sound: UNNotificationSound? {
        if let name = aps["sound"]?.string {
            return name == "default" ? .default : UNNotificationSound(named: UNNotificationSoundName(name))
        }
        guard let sound = aps["sound"]?.members else { return nil }
        let name = sound["name"]?.string.flatMap { $0 == "default" ? nil : UNNotificationSoundName($0) }
        guard sound["critical"]?.number == 1 else { return name.map { UNNotificationSound(named: $0) } ?? .default }
        let volume = sound["volume"]?.number.map { Float(min(max($0, 0), 1)) }
        return switch (name, volume) {
        case (let name?, let volume?): .criticalSoundNamed(name, withAudioVolume: volume)
        case (let name?, nil): .criticalSoundNamed(name)
        case (nil, let volume?): .defaultCriticalSound(withAudioVolume: volume)
        case (nil, nil): .defaultCritical
        }
    }

    private var interruptionLevel: UNNotificationInterruptionLevel {
        switch aps["interruption-level"]?.string {
        case "passive": .passive
        case "time-sensitive": .timeSensitive
        case "critical": .critical
        default: .active
        }
    }
}

extension Int {
    /// Clamps: converting a JSON number of 1e300 must not trap.
    fileprivate init(clamping number: Double) {
        self = Int(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }
}
