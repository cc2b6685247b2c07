import Envelope
import Keys
public import NotificationCore

/// Device's registration: JSON that the app gives to its own back end.
///
/// The back end passes it on as the body of `PUT /v1/devices/{id}`, with its API key, and returns the relay's answer.
///
///     let registration = try DeviceRegistration(of: device, token: Array(deviceToken), environment: .production)
///     let answer = try await backEnd.register(registration.json)       // {"id": "d1", "epoch": 1795467938000}
///     try device.acknowledged(registration, answer: answer)
///
/// The back end adds nothing; it only has to know the device's owner.
public struct DeviceRegistration: Sendable {
    /// JSON object in UTF-8, some 4,500 bytes without `tokens`.
    public let json: [UInt8]
    let epoch: UInt64

    /// Apple's two environments; a token is valid in one of them.
    public enum Environment: String, Sendable {
        /// `aps-environment` is `production`: the App Store and TestFlight.
        case production
        /// `aps-environment` is `development`: apps that Xcode installs.
        case sandbox
    }

    /// - Parameters:
    ///   - device: its newest bundle is in the registration.
    ///   - token: from `didRegisterForRemoteNotificationsWithDeviceToken`, 1 to 100 bytes.
    ///   - environment: of the app's entitlement.
    ///   - voIPToken: PushKit's, for calls.
    ///   - language: BCP 47 tag, for senders that localize.
    ///   - region: ISO 3166 code.
    ///   - appVersion: 1 to 32 of `A-Z a-z 0-9 . - + _`.
    ///   - tokens: all that the app has for Live Activities, widgets, controls and location; at most 16.
    /// - Throws: `RegistrationError` for a value that the relay would refuse; `AppDeviceError`, for example
    ///   `.rotationDue`.
    public init(
        of device: AppDevice,
        token: [UInt8],
        environment: Environment,
        voIPToken: [UInt8]? = nil,
        language: String? = nil,
        region: String? = nil,
        appVersion: String? = nil,
        tokens: [PurposeToken] = []
    ) throws {
        let bundle = try device.bundle()
        guard Self.isToken(token) else { throw RegistrationError.token }
        guard voIPToken.map(Self.isToken) ?? true else { throw RegistrationError.voIPToken }
        guard language.map(DeviceWords.isLanguage) ?? true else { throw RegistrationError.language }
        guard region.map(DeviceWords.isRegion) ?? true else { throw RegistrationError.region }
        guard appVersion.map(DeviceWords.isVersion) ?? true else { throw RegistrationError.appVersion }
        guard tokens.count <= 16, tokens.allSatisfy({ (1...512).contains($0.bytes.count) && $0.isNamedRight }) else {
            throw RegistrationError.tokens
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("token", Self.hex(token))
            if let voIPToken { writer.member("voip-token", Self.hex(voIPToken)) }
            writer.member("topic", device.topic.text)
            writer.member("environment", environment.rawValue)
            writer.member("bundle", Base64URL.string(bundle.bytes))
            if let language { writer.member("language", language) }
            if let region { writer.member("region", region) }
            if let appVersion { writer.member("app-version", appVersion) }
            guard !tokens.isEmpty else { return }
            writer.name("tokens")
            writer.array { writer in
                for token in tokens {
                    writer.object { writer in
                        writer.member("kind", token.kind.rawValue)
                        if let name = token.name { writer.member("name", name) }
                        writer.member("token", Self.hex(token.bytes))
                    }
                }
            }
        }
        json = writer.bytes
        epoch = bundle.epoch
    }

    private static func isToken(_ bytes: [UInt8]) -> Bool { (1...100).contains(bytes.count) }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Device token of a Live Activity, widget, control or location extension.
public struct PurposeToken: Hashable, Sendable {
    /// Apple's framework that issued it.
    public enum Kind: String, Sendable, CaseIterable {
        /// Of `pushToStartTokenUpdates`; its name is the type of attributes.
        case liveActivityStart = "liveactivity-start"
        /// A Live Activity's, of `pushTokenUpdates`.
        case liveActivity = "liveactivity"
        /// WidgetKit's, from `WidgetPushHandler`.
        case widgets
        /// WidgetKit's, from `ControlPushHandler`.
        case controls
        /// Core Location's, from `startMonitoringLocationPushes`.
        case location
    }

    /// Its kind.
    public let kind: Kind
    /// Tells several of a kind apart: 1 to 64 printable ASCII characters without spaces.
    public let name: String?
    /// 1 to 512 bytes.
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - kind: framework that issued it.
    ///   - name: a Live Activity's id, or the type of attributes that it starts; nil for widgets and location.
    ///   - bytes: 1 to 512.
    public init(_ kind: Kind, name: String? = nil, bytes: [UInt8]) {
        self.kind = kind
        self.name = name
        self.bytes = bytes
    }

    var isNamedRight: Bool {
        guard let name else { return kind != .liveActivity && kind != .liveActivityStart }
        guard kind != .widgets, kind != .location else { return false }
        return (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension AppDevice {
    /// Records that the relay has the registration, so that older prekeys may expire.
    ///
    /// - Parameters:
    ///   - registration: sent to the relay.
    ///   - answer: relay's answer: a JSON object with the `epoch` of its bundle.
    /// - Throws: `RegistrationError.answer` for other bytes, `.otherBundle` if the relay has another bundle: register
    ///   again; `AppDeviceError`.
    public func acknowledged(_ registration: DeviceRegistration, answer: [UInt8]) throws {
        let limits = JSONParser.Limits(byteCountMax: 4_096, depthMax: 4, allowsFractions: true)
        let value: JSONValue
        do { value = try JSONParser.parse(answer, limits: limits) } catch { throw RegistrationError.answer }
        guard case .integer(let number)? = value["epoch"]?.content, let epoch = UInt64(exactly: number) else {
            throw RegistrationError.answer
        }
        guard epoch == registration.epoch else { throw RegistrationError.otherBundle }
        try acknowledged(epoch: epoch)
    }
}

/// Names the wrong field, never its value.
public enum RegistrationError: Error, Hashable, Sendable {
    /// Device token not of 1 to 100 bytes.
    case token
    /// PushKit's token is not 1 to 100 bytes.
    case voIPToken
    /// Language no BCP 47 tag of at most 35 characters, such as `de-CH`.
    case language
    /// Region no assigned ISO 3166-1 code of two upper-case letters, such as `CH`.
    case region
    /// The version is not 1 to 32 of `A-Z a-z 0-9 . - + _`.
    case appVersion
    /// More than 16 tokens, or one with a wrong name, or not of 1 to 512 bytes.
    case tokens
    /// No answer of the relay's from the back end.
    case answer
    /// The relay has a bundle other than the registration's.
    case otherBundle
}
