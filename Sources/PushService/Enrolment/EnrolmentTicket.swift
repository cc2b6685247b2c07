import Envelope
import Primitives

/// Statement of a publisher's back end that lets one device enrol: a JWT (RFC 7519) under Ed25519 (`EdDSA`, RFC 8037).
///
///     {"alg": "EdDSA"}.{"aud": origin, "app": bundle id, "sub": endpoint key's hash, "token": device token's SHA-256, "exp": …}
///
/// It names the endpoint key and the device token, so that a stolen one enrols nothing else.
package struct EnrolmentTicket: Equatable, Sendable {
    static let characterCountMax = 2_048
    /// A ticket is used at once: a longer life would only help thieves.
    package static let lifeSecondsMax: Int64 = 3_600

    let audience: String
    let app: String
    /// 32 bytes each.
    let keyHash: [UInt8]
    let tokenHash: [UInt8]
    /// Seconds since 1970.
    let end: Int64

    /// Verifies the signature, with any of the keys, before it reads the claims.
    ///
    /// - Throws: `.malformed`, `.signature`.
    init(_ text: String, keys: [Ed25519PublicKey]) throws(EnrolmentTicketError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.characterCountMax else { throw .malformed }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.decode(parts[2]), let header = Self.object(parts[0]),
            header["alg"]?.string == "EdDSA", header["crit"] == nil
        else { throw .malformed }
        let signed = Array(bytes[..<parts[1].endIndex])
        guard keys.contains(where: { $0.isValid(signature: signature, over: signed) }) else { throw .signature }
        guard let claims = Self.object(parts[1]), let audience = claims["aud"]?.string, let app = claims["app"]?.string,
            let keyHash = Self.hash(claims["sub"]), let tokenHash = Self.hash(claims["token"]),
            case .integer(let end)? = claims["exp"]?.content
        else { throw .malformed }
        self.audience = audience
        self.app = app
        self.keyHash = keyHash
        self.tokenHash = tokenHash
        self.end = end
    }

    /// - Parameters:
    ///   - deviceToken: the registration's.
    ///   - now: seconds since 1970.
    func check(
        origin: String,
        app: BundleID,
        keyHash: [UInt8],
        deviceToken: [UInt8],
        now: Int64
    ) throws(EnrolmentTicketError) {
        guard audience == origin else { throw .claim("aud", expected: "the gateway's origin") }
        guard self.app == app.text else { throw .claim("app", expected: "the registration's topic") }
        guard self.keyHash == keyHash else { throw .claim("sub", expected: "the hash of this endpoint key") }
        guard tokenHash == SHA256.hash(deviceToken) else {
            throw .claim("token", expected: "the SHA-256 of the registration's device token")
        }
        guard end > now, end <= now + Self.lifeSecondsMax else {
            throw .claim("exp", expected: "a time to come, in an hour at most")
        }
    }

    private static func hash(_ value: JSONValue?) -> [UInt8]? {
        value?.string.flatMap { Base64URL.decode(Array($0.utf8)) }.flatMap { $0.count == SHA256.byteCount ? $0 : nil }
    }

    private static func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
        guard let json = Base64URL.decode(part) else { return nil }
        let limits = JSONParser.Limits(byteCountMax: characterCountMax, depthMax: 4, allowsFractions: true)
        // `try?`: a position in the ticket would help nobody; its maker is a library.
        guard let value = try? JSONParser.parse(json, limits: limits), value.members != nil else { return nil }
        return value
    }
}

/// Contains nothing of a ticket but a claim's name.
package enum EnrolmentTicketError: Error, Equatable, Sendable {
    case malformed
    case signature
    case claim(String, expected: String)
}

extension EnrolmentTicketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "the ticket is no JWT with 'alg' EdDSA and the claims 'aud', 'app', 'sub', 'token' and 'exp'"
        case .signature: "the ticket's signature is of none of the app's 'public-keys'"
        case .claim(let name, let expected): "the ticket's '\(name)' is not \(expected)"
        }
    }
}
