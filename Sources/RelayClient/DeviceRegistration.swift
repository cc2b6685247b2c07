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
    /// JSON object in UTF-8, at most some 4,500 bytes.
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
    /// - Throws: `RegistrationError` for a value that the relay would refuse; `AppDeviceError`, for example
    ///   `.rotationDue`.
    public init(
        of device: AppDevice,
        token: [UInt8],
        environment: Environment,
        voIPToken: [UInt8]? = nil,
        language: String? = nil,
        region: String? = nil,
        appVersion: String? = nil
    ) throws {
        let bundle = try device.bundle()
        guard Self.isToken(token) else { throw RegistrationError.token }
        guard voIPToken.map(Self.isToken) ?? true else { throw RegistrationError.voIPToken }
        guard language.map(DeviceWords.isLanguage) ?? true else { throw RegistrationError.language }
        guard region.map(DeviceWords.isRegion) ?? true else { throw RegistrationError.region }
        guard appVersion.map(DeviceWords.isVersion) ?? true else { throw RegistrationError.appVersion }
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
    /// No answer of the relay's from the back end.
    case answer
    /// The relay has a bundle other than the registration's.
    case otherBundle
}
