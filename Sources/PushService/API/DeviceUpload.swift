package import APNS
package import Envelope
import Keys

/// What an app's back end says of a device: `PUT /v1/devices/{id}`. The same on every launch of the app.
package struct DeviceUpload: Equatable, Sendable {
    package let token: DeviceToken
    /// PushKit's, for calls.
    package let voIPToken: DeviceToken?
    package let bundleID: BundleID
    package let environment: APNSEnvironment
    /// The signed key bundle, as it goes to senders.
    package let keyBundle: [UInt8]
    /// BCP 47, for senders that choose words; nil: not told.
    package let language: String?
    /// ISO 3166: two letters in upper case, or three digits; nil: not told.
    package let region: String?
    package let appVersion: String?

    private static let names = [
        "token", "voip-token", "topic", "environment", "bundle", "language", "region", "app-version",
    ]

    /// - Parameter value: the body.
    /// - Throws: `.invalidFields`, with every field that is wrong.
    package init(_ value: JSONValue) throws(Problem) {
        let faults = FieldFaults()
        guard let reader = ObjectReader(value, at: .root, names: Self.names, faults: faults) else {
            throw Problem(faults.all)
        }
        let hex = "the device token as hexadecimal digits, two for each byte, 1 to \(DeviceToken.byteCountMax) bytes"
        let hexCounts = 2...2 * DeviceToken.byteCountMax
        let token = reader.text("token", hexCounts, hex, isRequired: true) { (try? DeviceToken(hex: $0)) != nil }
        let voIP = reader.text("voip-token", hexCounts, hex) { (try? DeviceToken(hex: $0)) != nil }
        let topic = reader.text("topic", 1...155, "the app's bundle id, without a topic's suffix", isRequired: true) {
            (try? BundleID($0)) != nil
        }
        let environment: APNSEnvironment? = reader.choice("environment", isRequired: true)
        let bundle = Self.bundle(reader)
        let language = reader.text("language", 1...35, "a BCP 47 tag such as \"de-CH\"", isValid: Self.isLanguage)
        let region = reader.text("region", 2...3, "an ISO 3166 code such as \"CH\"", isValid: Self.isRegion)
        let version = reader.text("app-version", 1...32, "1 to 32 of A-Z a-z 0-9 . - + _", isValid: Self.isVersion)
        // The reader has found them good.
        guard faults.all.isEmpty, let token = token.flatMap({ try? DeviceToken(hex: $0) }),
            let bundleID = topic.flatMap({ try? BundleID($0) }), let environment, let bundle
        else { throw Problem(faults.all) }
        guard Self.isSigned(bundle, for: bundleID) else {
            let problem = "the bundle is damaged, or not this app's: its own identity's signature does not hold"
            faults.add(.wrong, reader.place("bundle"), at: 0, problem)
            throw Problem(faults.all)
        }
        self.token = token
        voIPToken = voIP.flatMap { try? DeviceToken(hex: $0) }
        self.bundleID = bundleID
        self.environment = environment
        keyBundle = bundle
        self.language = language
        self.region = region
        appVersion = version
    }

    private static func bundle(_ reader: ObjectReader) -> [UInt8]? {
        let countMax = (KeyBundle.byteCountMax * 4 + 2) / 3
        let expected = "the signed key bundle in base64url without padding, \(countMax) characters at most"
        let text = reader.text("bundle", 1...countMax, expected, isRequired: true) {
            Base64URL.decode(Array($0.utf8)) != nil
        }
        return text.flatMap { Base64URL.decode(Array($0.utf8)) }
    }

    /// Whether the bundle is whole. It proves nothing about whose it is: senders pin identities by their own means, and the
    /// service vouches for none.
    private static func isSigned(_ bytes: [UInt8], for bundleID: BundleID) -> Bool {
        guard bytes.count > 33, let identity = try? IdentityKey(rawRepresentation: Array(bytes[1..<33])) else {
            return false
        }
        return (try? SignedKeyBundle(bytes, pinnedIdentity: identity, topic: bundleID)) != nil
    }

    private static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
            && (2...8).contains(parts[0].count) && parts[0].allSatisfy(isLetter)
    }

    static func isRegion(_ text: String) -> Bool {
        text.utf8.count == 2
            ? text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            : text.utf8.count == 3 && text.utf8.allSatisfy(isDigit)
    }

    private static func isVersion(_ text: String) -> Bool {
        text.utf8.allSatisfy { isLetter($0) || isDigit($0) || ".-+_".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
