import APNS
import Primitives

/// Authentication of one connection. No I/O, no clock.
///
/// - Source: "Establishing a token-based connection to APNs"; the order of checks is ours.
struct ConnectionAuthentication {
    /// One hour, Apple's limit.
    static let ageSecondsMax: Int64 = 3600

    private let keys: [KeyID: SigningKey]
    private let environment: APNSEnvironment
    private let profile: Profile
    private let rules: ValidationRules
    private let certificate: CertificateVerdict
    private var ledger = TokenLedger()
    private var first: SigningKey?
    private var last: Checked?

    /// Verified token: clients send the same one for most of an hour.
    private struct Checked {
        let authorization: [UInt8]
        let key: SigningKey
        let issuedAt: Int64
    }

    init(keys: [KeyID: SigningKey], _ configuration: SimulatorConfiguration, certificate: CertificateVerdict) {
        self.keys = keys
        environment = configuration.environment
        profile = configuration.profile
        rules = configuration.validation
        self.certificate = certificate
    }

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - shared: ledger for updates counted by key.
    mutating func authenticate(
        _ authorization: ArraySlice<UInt8>?,
        now: Int64,
        shared: inout TokenLedger
    ) -> Result<Credential, RequestRejection> {
        switch certificate {
        case .accepted(let claims): return .success(.certificate(claims))
        case .refused(let reason, _): return .failure(RequestRejection(reason))
        case .absent: break
        }
        guard let authorization, authorization.contains(where: { $0 != UInt8(ascii: " ") }) else {
            return .failure(RequestRejection(.missingProviderToken))
        }
        if let last, authorization.isSame(as: last.authorization) {
            guard now - last.issuedAt <= Self.ageSecondsMax else {
                return .failure(RequestRejection(.expiredProviderToken))
            }
            return .success(.key(last.key))
        }
        guard let text = Self.withoutScheme(authorization), let token = BearerToken(text: text, profile: profile),
            let key = keys[token.keyID], key.team == token.teamID, Self.isSigned(token, by: key)
        else { return .failure(RequestRejection(.invalidProviderToken)) }
        if let reason = check(token, key, now: now, &shared) { return .failure(RequestRejection(reason)) }
        first = first ?? key
        last = Checked(authorization: Array(authorization), key: key, issuedAt: token.issuedAt)
        return .success(.key(key))
    }

    /// Reason to refuse a token with a valid signature, if any.
    private mutating func check(
        _ token: BearerToken,
        _ key: SigningKey,
        now: Int64,
        _ shared: inout TokenLedger
    ) -> Reason? {
        guard key.environments.contains(environment) else { return rules.keyOfOtherEnvironment }
        let (age, overflow) = now.subtractingReportingOverflow(token.issuedAt)
        // An `iat` too far away is as invalid as one in milliseconds.
        guard !overflow, rules.clockSkew.map({ age >= -$0.components.seconds }) ?? true else {
            return .invalidProviderToken
        }
        if let first, first.team != key.team { return .invalidProviderToken }
        if let first, !first.isRelated(to: key) { return .unrelatedKeyIDInToken }
        guard age <= Self.ageSecondsMax else { return .expiredProviderToken }
        let isAdmitted =
            switch rules.tokenUpdateScope {
            case .connection: ledger.admits(token.signedBytes, of: key.id, remembersEarlier: false, now: now)
            case .key: shared.admits(token.signedBytes, of: key.id, remembersEarlier: true, now: now)
            }
        return isAdmitted ? nil : .tooManyProviderTokenUpdates
    }

    private static func isSigned(_ token: BearerToken, by key: SigningKey) -> Bool {
        switch token.signature {
        case .raw(let raw): key.publicKey.isValid(rawSignature: raw, over: token.signedBytes)
        case .der(let der): key.publicKey.isValid(derSignature: der, over: token.signedBytes)
        }
    }

    /// Drops the scheme, in either case (RFC 9110 section 11.1).
    private static func withoutScheme(_ authorization: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("bearer ".utf8)
        guard authorization.count > scheme.count else { return nil }
        for (byte, expected) in zip(authorization, scheme) where byte != expected && byte | 0x20 != expected {
            return nil
        }
        return authorization.dropFirst(scheme.count)
    }
}
