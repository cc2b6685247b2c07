import APNS
import APNSProvider
import HTTP
import Networking
import Primitives
import TestSupport

@testable import APNSSimulator

/// One push as a list of header fields, which a test can spoil one by one.
struct Request: Sendable {
    /// 2035, so that today's date does not matter.
    static let now: Int64 = 2_051_222_400
    static let token = String(repeating: "ab", count: 32)
    static let id = "0b7cc0de-1234-4abc-9def-00112233445f"

    var fields: [(name: String, value: String)]
    var bodyByteCount = 100

    init() throws {
        fields = [
            (":method", "POST"), (":scheme", "https"), (":authority", "api.push.apple.com"),
            (":path", "/3/device/\(Self.token)"), ("authorization", try Authorization().value), ("apns-id", Self.id),
            ("apns-push-type", "alert"), ("apns-topic", "com.example.chat"), ("apns-priority", "10"),
            ("apns-expiration", "0"), ("apns-collapse-id", "news"),
        ]
    }

    subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            let index = fields.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    var headers: HeaderBlock {
        var headers = HeaderBlock()
        for field in fields { headers.append(Array(field.name.utf8), Array(field.value.utf8)) }
        return headers
    }
}

/// A provider token in the making: each part can be wrong.
struct Authorization {
    var scheme = "bearer "
    var keyID = "ABC123DEFG"
    var teamID = "DEF123GHIJ"
    var issuedAt = Request.now - 60
    var signsWithSecondKey = false

    var value: String {
        get throws {
            let token = try ProviderToken(
                signedWith: signsWithSecondKey ? ThrowawayKeys.second() : ThrowawayKeys.first(),
                keyID: KeyID(keyID),
                teamID: TeamID(teamID),
                issuedAt: issuedAt
            )
            return scheme + String(decoding: token.authorization.dropFirst(7), as: UTF8.self)
        }
    }

    /// Signs any header and claims; the signature is raw or DER, the parts in base64url or another spelling.
    static func signed(
        header: String,
        claims: String,
        der: Bool = false,
        spelling: (String) -> String = { $0 }
    ) throws -> String {
        let input = spelling(Base64Text.url(header)) + "." + spelling(Base64Text.url(claims))
        let raw = try ThrowawayKeys.first().signature(over: Array(input.utf8))
        let signature = der ? DER.signature(raw: raw) : raw
        return "bearer \(input).\(spelling(Base64Text.url(signature)))"
    }
}

struct World {
    var validator: RequestValidator
    var ledger = TokenLedger()
    var registrations: [String: RequestValidator.Registration]
    var isTooFrequent = false

    init(
        profile: Profile = .spec,
        certificate: CertificateVerdict = .absent,
        _ configure: (inout SimulatorConfiguration) throws -> Void = { _ in }
    ) throws {
        var configuration = SimulatorConfiguration(keys: try Self.keys)
        configuration.profile = profile
        try configure(&configuration)
        validator = RequestValidator(
            keys: Dictionary(uniqueKeysWithValues: configuration.keys.map { ($0.id, $0) }),
            configuration,
            certificate: certificate
        )
        registrations = [Request.token: .init(bundleID: try Topic("com.example.chat"))]
    }

    private static var keys: [SigningKey] {
        get throws {
            let first = try ThrowawayKeys.first().publicKey()
            let second = try ThrowawayKeys.second().publicKey()
            return [
                SigningKey(id: try KeyID("ABC123DEFG"), team: try TeamID("DEF123GHIJ"), publicKey: first),
                // Another key of the same team, and one with topics of its own.
                SigningKey(id: try KeyID("SAMETEAM01"), team: try TeamID("DEF123GHIJ"), publicKey: second),
                SigningKey(
                    id: try KeyID("TOPICKEY01"),
                    team: try TeamID("DEF123GHIJ"),
                    publicKey: second,
                    bundleIDs: [try Topic("com.example.chat"), try Topic("com.example.voip")]
                ),
                SigningKey(id: try KeyID("OTHERTEAM1"), team: try TeamID("OTHERTEAM0"), publicKey: second),
            ]
        }
    }

    mutating func verdict(
        on request: Request,
        payload: [UInt8] = [],
        now: Int64 = Request.now
    ) -> RequestValidator.Verdict {
        verdict(on: request.headers, payload: payload, payloadByteCount: request.bodyByteCount, now: now)
    }

    mutating func verdict(
        on headers: HeaderBlock,
        payload: [UInt8] = [],
        payloadByteCount: Int,
        now: Int64 = Request.now
    ) -> RequestValidator.Verdict {
        let (registrations, isTooFrequent) = (registrations, isTooFrequent)
        return validator.validate(
            headers,
            payload: payload,
            payloadByteCount: payloadByteCount,
            now: now,
            ledger: &ledger,
            makeID: { APNSID(randomBytes: [UInt8](repeating: 0xFF, count: 16)) },
            registration: { registrations[$0.hex] },
            isTooFrequent: { _ in isTooFrequent }
        )
    }

    mutating func reason(_ request: Request, payload: [UInt8] = [], now: Int64 = Request.now) -> Reason? {
        guard case .failure(let rejected) = verdict(on: request, payload: payload, now: now).result else { return nil }
        return rejected.reason
    }
}
