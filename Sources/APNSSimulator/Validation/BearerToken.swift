import APNS
import Envelope

/// Provider token, not yet verified.
///
/// - Source: RFC 7515 section 7.1; "Establishing a token-based connection to APNs".
package struct BearerToken {
    /// Apple's have about 200 bytes; the whole header list may have 8000.
    static let byteCountMax = 4096

    enum Signature: Equatable {
        /// r then s, 64 bytes.
        case raw([UInt8])
        case der([UInt8])
    }

    let keyID: KeyID
    let teamID: TeamID
    /// Seconds since 1970.
    package let issuedAt: Int64
    /// Header, dot, claims: the signature's input.
    let signedBytes: [UInt8]
    let signature: Signature

    /// - Parameter text: text after `bearer`.
    package init?(text: ArraySlice<UInt8>, profile: Profile) {
        guard text.count <= Self.byteCountMax else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        guard let header = Self.object(parts[0], profile), let claims = Self.object(parts[1], profile),
            let signature = Self.decode(parts[2], profile)
        else { return nil }
        guard header["alg"]?.string == "ES256" else { return nil }
        // `try?`: any malformed id is an InvalidProviderToken.
        guard let kid = header["kid"]?.string, let keyID = try? KeyID(kid),
            let iss = claims["iss"]?.string, let teamID = try? TeamID(iss),
            let issuedAt = Self.seconds(claims["iat"], profile)
        else { return nil }
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        signedBytes = Array(text[parts[0].startIndex..<parts[1].endIndex])
        switch (signature.count, profile) {
        case (64, _): self.signature = .raw(signature)
        case (_, .apple): self.signature = .der(signature)
        case (_, .spec): return nil
        }
    }

    private static func object(_ part: ArraySlice<UInt8>, _ profile: Profile) -> JSONValue? {
        guard let json = decode(part, profile) else { return nil }
        let limits = JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 4, allowsFractions: profile == .apple)
        // `try?`: the answer has one word, with no room for the position.
        guard let value = try? JSONParser.parse(json, limits: limits), value.members != nil else { return nil }
        return value
    }

    private static func seconds(_ value: JSONValue?, _ profile: Profile) -> Int64? {
        switch (value?.content, profile) {
        case (.integer(let seconds), _): seconds
        case (.string(let text), .apple): Int64(text)
        case (.fraction(let text), .apple): Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
        default: nil
        }
    }

    private static func decode(_ part: ArraySlice<UInt8>, _ profile: Profile) -> [UInt8]? {
        guard profile == .apple else { return Base64URL.decode(part) }
        let unpadded = part.prefix { $0 != UInt8(ascii: "=") }
        guard part.count - unpadded.count <= 2, part[unpadded.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else {
            return nil
        }
        let urlSafe = unpadded.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.decode(urlSafe)
    }
}
