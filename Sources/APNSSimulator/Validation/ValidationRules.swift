import APNS
import Networking

/// Behaviour that Apple's documentation leaves open, or its servers were seen to differ in.
package struct ValidationRules: Sendable {
    /// Handling of a topic that does not fit the push type.
    package enum SuffixMismatch: String, CaseIterable, Sendable {
        case badTopic = "BadTopic"
        case accept
        /// Answered 200 and never delivered.
        case drop
    }

    package enum MissingPushType: String, CaseIterable, Sendable {
        /// Takes the type of the topic's suffix, or alert.
        case infer
        case invalidPushType = "InvalidPushType"
    }

    /// Answer to a priority that Apple does not name for the push type.
    package enum UnfitPriority: String, CaseIterable, Sendable {
        case badPriority = "BadPriority"
        case accept
    }

    package enum ManagementWithToken: String, CaseIterable, Sendable {
        case forbidden = "Forbidden"
        case topicDisallowed = "TopicDisallowed"
        case accept
    }

    package enum KeyEnvironmentReason: String, CaseIterable, Sendable {
        case observed = "BadEnvironmentKeyInToken"
        case documented = "BadEnvironmentKeyIdInToken"
    }

    /// Scope of the 20 minutes between provider tokens.
    package enum TokenUpdateScope: String, CaseIterable, Sendable {
        case connection
        case key
    }

    package enum UntrustedCertificate: String, CaseIterable, Sendable {
        /// The handshake fails.
        case alert
        /// GOAWAY with the reason, right after the handshake.
        case goAway = "goaway"
        /// 403 with the reason for every push.
        case status = "403"
    }

    /// For a trusted certificate that is not for pushing here.
    package enum UnfitCertificate: String, CaseIterable, Sendable {
        case goAway = "goaway"
        case status = "403"
    }

    package enum TokenOfAnotherKind: String, CaseIterable, Sendable {
        case notForTopic = "DeviceTokenNotForTopic"
        case accept
    }

    package var suffixMismatch = SuffixMismatch.badTopic
    package var missingPushType = MissingPushType.infer
    package var tokenOfAnotherKind = TokenOfAnotherKind.notForTopic
    package var backgroundAtOnce = UnfitPriority.badPriority
    package var liveActivityLow = UnfitPriority.badPriority
    package var managementWithToken = ManagementWithToken.forbidden
    /// Refuses a payload that is no JSON object, in place of a remark.
    package var strictJSON = false

    package var keyEnvironmentReason = KeyEnvironmentReason.observed
    package var tokenUpdateScope = TokenUpdateScope.connection
    /// `iat` may be this far in the future; `nil`: no limit.
    package var clockSkew: Duration? = .seconds(60)

    /// Authorities of provider certificates (PEM); `nil` requests none. Their dates are checked against the system's
    /// clock.
    package var clientAuthoritiesPEM: [UInt8]?
    /// Big-endian, without leading zeros.
    package var revokedSerialNumbers: Set<[UInt8]> = []
    /// For a certificate of another authority, outside its dates, or revoked.
    package var untrustedCertificate = UntrustedCertificate.alert
    package var unfitCertificate = UnfitCertificate.goAway

    package init() {}
}

extension ValidationRules {
    var clientTrust: TLSContext.ClientTrust? {
        guard let clientAuthoritiesPEM else { return nil }
        var trust = TLSContext.ClientTrust(authorities: .pem(clientAuthoritiesPEM), isCertificateRequired: false)
        trust.revokedSerialNumbers = revokedSerialNumbers
        trust.admitsUnverified = untrustedCertificate != .alert
        return trust
    }

    var keyOfOtherEnvironment: Reason {
        switch keyEnvironmentReason {
        case .observed: .badEnvironmentKeyInToken
        case .documented: .badEnvironmentKeyIDInToken
        }
    }
}
