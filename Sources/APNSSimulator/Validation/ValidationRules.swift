import APNS
import Transport

/// What the simulator does where Apple says nothing, or says one thing and was seen to do another.
package struct ValidationRules: Sendable {
    /// What becomes of a push whose topic is not its push type's.
    package enum SuffixMismatch: String, CaseIterable, Sendable {
        case badTopic = "BadTopic"
        case accept
        /// Answered 200 and never delivered.
        case drop
    }

    /// What becomes of a push that does not say what type it is.
    package enum MissingPushType: String, CaseIterable, Sendable {
        /// It is taken for what its topic's suffix says, or for an alert.
        case infer
        case invalidPushType = "InvalidPushType"
    }

    /// The answer to a priority that Apple does not give for the push type.
    package enum UnfitPriority: String, CaseIterable, Sendable {
        case badPriority = "BadPriority"
        case accept
    }

    /// What becomes of a device management push that comes with a provider token.
    package enum ManagementWithToken: String, CaseIterable, Sendable {
        case forbidden = "Forbidden"
        case topicDisallowed = "TopicDisallowed"
        case accept
    }

    /// How the reason for a key of the other environment is spelled.
    package enum KeyEnvironmentReason: String, CaseIterable, Sendable {
        case observed = "BadEnvironmentKeyInToken"
        case documented = "BadEnvironmentKeyIdInToken"
    }

    /// Whose twenty minutes must pass before a provider token may be renewed.
    package enum TokenUpdateScope: String, CaseIterable, Sendable {
        case connection
        case key
    }

    /// How a client certificate that is not believed is refused.
    package enum UntrustedCertificate: String, CaseIterable, Sendable {
        /// The handshake fails.
        case alert
        /// The handshake is completed, and GOAWAY with the reason follows at once.
        case goAway = "goaway"
        /// Every push is answered 403 with the reason.
        case status = "403"
    }

    /// How a client certificate that is believed, and is none for pushing here, is refused.
    package enum UnfitCertificate: String, CaseIterable, Sendable {
        /// The handshake is completed, and GOAWAY with the reason follows at once.
        case goAway = "goaway"
        /// Every push is answered 403 with the reason.
        case status = "403"
    }

    /// What becomes of a push to a token that was given out for another kind of push.
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
    /// Refuses what is not a JSON object, instead of remarking on it.
    package var strictJSON = false

    package var keyEnvironmentReason = KeyEnvironmentReason.observed
    package var tokenUpdateScope = TokenUpdateScope.connection
    /// How far in the future a provider token may have been issued; `nil`: as far as it likes.
    package var clockSkew: Duration? = .seconds(60)

    /// Who may have signed the certificates of providers (PEM); `nil`: none is asked for, and only tokens are taken. The
    /// certificates' dates are held against the system's clock, whatever the simulator's says.
    package var clientAuthoritiesPEM: [UInt8]?
    /// Big-endian, without leading zeros.
    package var revokedSerialNumbers: Set<[UInt8]> = []
    /// For a certificate of another authority, out of its time, or revoked.
    package var untrustedCertificate = UntrustedCertificate.alert
    /// For a certificate that is believed, and that is not for APNs or not for this environment.
    package var unfitCertificate = UnfitCertificate.goAway

    package init() {}
}

extension ValidationRules {
    /// How a TLS server treats providers' certificates; `nil`: it does not ask for any.
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
