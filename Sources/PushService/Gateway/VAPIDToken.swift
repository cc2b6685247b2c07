import Envelope
import Primitives

/// Key with which a server signs its pushes.
///
/// - Source: RFC 8292 section 3.2.
struct VAPIDKey: Equatable, Sendable {
    static let characterCount = 87
    private static let context = Array("SealedPush/1 server key".utf8)

    /// Point of P-256, uncompressed.
    private let point: [UInt8]

    /// Decodes 87 characters of base64url; nil for another form. The point is checked with a signature.
    init?(text: [UInt8]) {
        guard text.count == Self.characterCount, let point = Base64URL.decode(text), point.first == 0x04 else {
            return nil
        }
        self.point = point
    }

    /// 32 bytes.
    var hash: [UInt8] { SHA256.hash(Self.context, point) }

    func isValid(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        // `try?`: no point of the curve, so no signature of it.
        (try? ES256PublicKey(x963Representation: point))?.isValid(rawSignature: signature, over: message) ?? false
    }
}

/// Signed statement of a server about itself, which may be old, for others or forged.
///
/// - Source: RFC 8292 sections 2 and 3; RFC 7515 section 7.1.
struct VAPIDToken: Equatable, Sendable {
    static let byteCountMax = 2_048
    /// RFC 8292 section 2.
    static let lifetimeSecondsMax: Int64 = 86_400
    /// Difference of clocks that is forgiven: Mastodon signs for exactly a day.
    static let clockToleranceSeconds: Int64 = 60

    let key: VAPIDKey
    private let audiences: [String]
    /// Seconds since 1970.
    private let expiry: Int64
    private let signed: [UInt8]
    private let signature: [UInt8]

    private static let scheme = "vapid"
    private static let draftScheme = "webpush"

    static func isVAPID(_ authorization: String) -> Bool { scheme(authorization) == scheme }
    static func isDraft(_ authorization: String) -> Bool { scheme(authorization) == draftScheme }

    private static func scheme(_ authorization: String) -> String {
        String(decoding: authorization.utf8.prefix { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }

    /// - Parameter authorization: `vapid t=…, k=…`.
    /// - Returns: nil for another form.
    init?(authorization: String) {
        guard authorization.utf8.count <= Self.byteCountMax, Self.isVAPID(authorization),
            let parameters = HeaderParameters(authorization.utf8.dropFirst(Self.scheme.utf8.count)),
            let token = parameters["t"], let key = parameters["k"].flatMap({ VAPIDKey(text: $0) })
        else { return nil }
        self.init(token, key)
    }

    /// - Parameters:
    ///   - draft: `WebPush …`, as draft-ietf-webpush-vapid-01 has it.
    ///   - cryptoKey: the field of that name, with `p256ecdsa=…`.
    init?(draft authorization: String, cryptoKey: String?) {
        let token = authorization.utf8.dropFirst(Self.draftScheme.utf8.count + 1)
        guard let parameters = cryptoKey.flatMap({ HeaderParameters($0.utf8) }),
            let key = parameters["p256ecdsa"].flatMap({ VAPIDKey(text: $0) })
        else { return nil }
        self.init(Array(token), key)
    }

    /// - Parameter token: a JWS in compact form.
    init?(_ token: [UInt8], _ key: VAPIDKey) {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.count <= Self.byteCountMax, parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]), let signature = Base64URL.decode(parts[2]),
            // None of the extensions that a header may demand is known here.
            header["alg"]?.string == "ES256", header["crit"] == nil, let expiry = Self.seconds(claims["exp"])
        else { return nil }
        switch claims["aud"]?.content {
        case .string(let audience): audiences = [audience]
        case .array(let elements): audiences = elements.compactMap(\.string)
        default: return nil
        }
        self.key = key
        self.expiry = expiry
        signed = Array(token[..<parts[1].endIndex])
        self.signature = signature
    }

    private static func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
        let limits = JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 4, allowsFractions: true)
        // `try?`: the answer has no room for a position.
        guard let json = Base64URL.decode(part), let value = try? JSONParser.parse(json, limits: limits) else {
            return nil
        }
        return value.members == nil ? nil : value
    }

    private static func seconds(_ value: JSONValue?) -> Int64? {
        switch value?.content {
        case .integer(let seconds): seconds
        case .fraction(let text): Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
        default: nil
        }
    }

    /// - Throws: `.audience`, `.expired`, `.tooFarAhead`.
    func checkClaims(for origin: String, now: Timestamp) throws(VAPIDError) {
        guard audiences.contains(where: { $0.lowercased() == origin }) else { throw .audience }
        let seconds = Int64(clamping: now.milliseconds / 1_000)
        guard expiry > seconds - Self.clockToleranceSeconds else { throw .expired }
        guard expiry <= seconds + Self.lifetimeSecondsMax + Self.clockToleranceSeconds else { throw .tooFarAhead }
    }

    var hasValidSignature: Bool { key.isValid(signature, over: signed) }

    /// Same for the same token under the same key.
    var digest: [UInt8] { SHA256.hash(key.hash + signature, signed) }
}

/// Reason that a server's token is refused.
enum VAPIDError: Error, Equatable, CaseIterable {
    case missing, malformed, audience, expired, tooFarAhead, signature, otherKey
}

/// Checks tokens. Servers repeat one for up to a day, so signatures once verified are remembered.
///
/// - Source: RFC 8292 section 4.2.
struct VAPIDVerifier {
    private static let countMax = 4_096

    private var verified: Set<[UInt8]> = []

    /// - Parameters:
    ///   - keyHash: of the key to which the endpoint is bound; nil for none.
    ///   - origin: the endpoint's, in lower case.
    ///   - allowsDraft: true to take the fields of a draft too.
    /// - Returns: the server's key; nil if it did not sign, which an endpoint without a key allows.
    mutating func check(
        _ request: APIRequest,
        boundTo keyHash: [UInt8]?,
        origin: String,
        allowsDraft: Bool = false,
        now: Timestamp
    ) throws(VAPIDError) -> VAPIDKey? {
        let fields = request.fields.filter { field in
            guard field.name == "authorization" else { return false }
            return VAPIDToken.isVAPID(field.value) || allowsDraft && VAPIDToken.isDraft(field.value)
        }
        guard let field = fields.first else {
            guard keyHash == nil else { throw .missing }
            return nil
        }
        let read =
            VAPIDToken.isVAPID(field.value)
            ? VAPIDToken(authorization: field.value)
            : VAPIDToken(draft: field.value, cryptoKey: request.value(of: "crypto-key"))
        guard fields.count == 1, let token = read else { throw .malformed }
        guard keyHash == nil || token.key.hash == keyHash else { throw .otherKey }
        try token.checkClaims(for: origin, now: now)
        try checkSignature(token)
        return token.key
    }

    private mutating func checkSignature(_ token: VAPIDToken) throws(VAPIDError) {
        let digest = token.digest
        guard !verified.contains(digest) else { return }
        guard token.hasValidSignature else { throw .signature }
        if verified.count >= Self.countMax { verified = [] }
        verified.insert(digest)
    }
}

extension Problem {
    init(_ error: VAPIDError, origin: String) {
        switch error {
        case .missing:
            self.init(
                .vapidMissing,
                "This endpoint is one server's: sign with its key, as 'Authorization: vapid t=…, k=…' (RFC 8292)."
            )
        case .malformed:
            self.init(.vapidRefused, "Send 'Authorization: vapid t=…, k=…' once: a token of ES256, and its key.")
        case .audience: self.init(.vapidRefused, "Sign a token for the audience (aud) \(origin).")
        case .expired: self.init(.vapidRefused, "Sign a new token: this one has expired (exp).")
        case .tooFarAhead: self.init(.vapidRefused, "Sign a token that expires (exp) within 24 hours.")
        case .signature: self.init(.vapidRefused, "Sign the token with the key in 'k': its signature is another's.")
        case .otherKey:
            self.init(.vapidRefused, "Let the device subscribe again: this endpoint was made for another key.")
        }
    }
}
