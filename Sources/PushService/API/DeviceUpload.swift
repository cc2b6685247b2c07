package import APNS
package import Envelope
import Keys
package import PushStore
import ServiceParts

/// Body of `PUT /v1/devices/{id}`, sent at each launch.
package struct DeviceUpload: Equatable, Sendable {
    package let token: DeviceToken
    /// PushKit's, for calls.
    package let voIPToken: DeviceToken?
    package let bundleID: BundleID
    package let environment: APNSEnvironment
    package let keyBundle: [UInt8]
    package let bundleEpoch: UInt64
    /// BCP 47.
    package let language: String?
    /// Assigned two-letter code of ISO 3166-1.
    package let region: String?
    package let appVersion: String?
    package let extraTokens: [ExtraToken]

    private static let names = [
        "token", "voip-token", "topic", "environment", "bundle", "language", "region", "app-version",
        "tokens",
    ]
    static let hexCounts = 2...2 * DeviceToken.byteCountMax
    static let hexForm =
        "the device token as hexadecimal digits, two for each byte, 1 to \(DeviceToken.byteCountMax) bytes"

    package init(_ value: JSONValue) throws(Problem) {
        let faults = FieldErrors()
        guard let reader = ObjectReader(value, at: .root, names: Self.names, faults: faults) else {
            throw Problem(faults.all)
        }
        let (hex, hexCounts) = (Self.hexForm, Self.hexCounts)
        let token = reader.text("token", hexCounts, hex, isRequired: true) { (try? DeviceToken(hex: $0)) != nil }
        let voIP = reader.text("voip-token", hexCounts, hex) { (try? DeviceToken(hex: $0)) != nil }
        let extraTokens = TokenFields.tokens(reader)
        let topic = reader.text("topic", 1...155, "the app's bundle id, without a topic's suffix", isRequired: true) {
            (try? BundleID($0)) != nil
        }
        let environment: APNSEnvironment? = reader.choice("environment", isRequired: true)
        let bundle = Self.bundle(reader)
        let tag = "a BCP 47 tag such as \"de-CH\""
        let language = reader.text("language", 1...35, tag, isValid: DeviceWords.isLanguage)
        let region = reader.text("region", 2...2, "an ISO 3166 code such as \"CH\"", isValid: DeviceWords.isRegion)
        let characters = "1 to 32 of A-Z a-z 0-9 . - + _"
        let version = reader.text("app-version", 1...32, characters, isValid: DeviceWords.isVersion)
        guard faults.all.isEmpty, let token = token.flatMap({ try? DeviceToken(hex: $0) }),
            let bundleID = topic.flatMap({ try? BundleID($0) }), let environment, let bundle
        else { throw Problem(faults.all) }
        guard let signed = Self.signed(bundle, for: bundleID) else {
            let problem = "the bundle is damaged, or made for another app: its signature is wrong"
            faults.add(.wrong, reader.place("bundle"), at: 0, problem)
            throw Problem(faults.all)
        }
        self.token = token
        voIPToken = voIP.flatMap { try? DeviceToken(hex: $0) }
        self.bundleID = bundleID
        self.environment = environment
        keyBundle = bundle
        bundleEpoch = signed.epoch
        self.language = language
        self.region = region
        appVersion = version
        self.extraTokens = extraTokens
    }

    private static func bundle(_ reader: ObjectReader) -> [UInt8]? {
        let countMax = (KeyBundle.byteCountMax * 4 + 2) / 3
        let expected = "the signed key bundle in base64url without padding, \(countMax) characters at most"
        let text = reader.text("bundle", 1...countMax, expected, isRequired: true) {
            Base64URL.decode(Array($0.utf8)) != nil
        }
        return text.flatMap { Base64URL.decode(Array($0.utf8)) }
    }

    /// Bundle, if intact. Its owner is unproved; senders pin identities.
    private static func signed(_ bytes: [UInt8], for bundleID: BundleID) -> SignedKeyBundle? {
        guard bytes.count > 33, let identity = try? IdentityKey(rawRepresentation: Array(bytes[1..<33])) else {
            return nil
        }
        return try? SignedKeyBundle(bytes, pinnedIdentity: identity, topic: bundleID)
    }
}
