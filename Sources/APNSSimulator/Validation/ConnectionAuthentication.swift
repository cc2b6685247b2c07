import APNS
import Primitives

/// Who pushes on one connection: the team of the first token, and the token that was checked last. No I/O, no clock.
///
/// - Source: "Establishing a token-based connection to APNs"; the order of the checks is ours, Apple documents none.
struct ConnectionAuthentication {
    /// One hour, Apple's limit.
    static let ageSecondsMax: Int64 = 3600
    /// 20 minutes: who renews more often is told so.
    static let updateSecondsMin: Int64 = 20 * 60
    /// Apple documents nothing about a token from the future; this is the difference between clocks that we forgive.
    static let futureSecondsMax: Int64 = 60

    private let keys: [KeyID: SigningKey]
    private let profile: Profile
    private var first: SigningKey?
    private var last: Checked?

    /// A token whose signature was right: clients send the same one for most of an hour.
    private struct Checked {
        let authorization: [UInt8]
        let key: SigningKey
        let issuedAt: Int64
        let firstSeenAt: Int64
    }

    init(keys: [KeyID: SigningKey], profile: Profile) {
        self.keys = keys
        self.profile = profile
    }

    /// - Parameters:
    ///   - authorization: the header's value, `nil` when there is none.
    ///   - now: seconds since 1970.
    /// - Returns: the key that signed, or one of the 403 reasons, or TooManyProviderTokenUpdates.
    mutating func authenticate(_ authorization: ArraySlice<UInt8>?, now: Int64) -> Result<SigningKey, Rejected> {
        guard let authorization, authorization.contains(where: { $0 != UInt8(ascii: " ") }) else {
            return .failure(Rejected(.missingProviderToken))
        }
        if let last, last.authorization.elementsEqual(authorization) {
            guard now - last.issuedAt <= Self.ageSecondsMax else { return .failure(Rejected(.expiredProviderToken)) }
            return .success(last.key)
        }
        guard let text = Self.withoutScheme(authorization), let token = BearerToken(text: text, profile: profile),
            let key = keys[token.keyID], key.team == token.teamID, Self.isSigned(token, by: key)
        else { return .failure(Rejected(.invalidProviderToken)) }
        if let reason = check(token, key, now: now) { return .failure(Rejected(reason)) }
        first = first ?? key
        last = Checked(
            authorization: Array(authorization),
            key: key,
            issuedAt: token.issuedAt,
            firstSeenAt: now
        )
        return .success(key)
    }

    /// What a genuine token may still be refused for.
    private func check(_ token: BearerToken, _ key: SigningKey, now: Int64) -> Reason? {
        let (age, overflow) = now.subtractingReportingOverflow(token.issuedAt)
        // An `iat` so far away that the difference does not fit is as invalid as one in milliseconds.
        guard !overflow, age >= -Self.futureSecondsMax else { return .invalidProviderToken }
        if let first, first.team != key.team { return .invalidProviderToken }
        // Keys of the whole team go together; a key with topics of its own goes with no other.
        if let first, first.id != key.id, first.bundleIDs != nil || key.bundleIDs != nil {
            return .unrelatedKeyIDInToken
        }
        guard age <= Self.ageSecondsMax else { return .expiredProviderToken }
        if let last, last.key.id == key.id, now - last.firstSeenAt < Self.updateSecondsMin {
            return .tooManyProviderTokenUpdates
        }
        return nil
    }

    private static func isSigned(_ token: BearerToken, by key: SigningKey) -> Bool {
        switch token.signature {
        case .raw(let raw): key.publicKey.isValid(rawSignature: raw, over: token.signedBytes)
        case .der(let der): key.publicKey.isValid(derSignature: der, over: token.signedBytes)
        }
    }

    /// The scheme word is read in either case (RFC 9110 section 11.1).
    private static func withoutScheme(_ authorization: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("bearer ".utf8)
        guard authorization.count > scheme.count else { return nil }
        for (byte, expected) in zip(authorization, scheme) where byte != expected && byte | 0x20 != expected {
            return nil
        }
        return authorization.dropFirst(scheme.count)
    }
}
