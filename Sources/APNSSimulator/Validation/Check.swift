package import APNS

/// What is checked of one request, in this order: of several faults, the one that is checked first is told.
///
/// Apple documents the reasons and not the order; of that only one thing is known, that authentication comes before the
/// device token, the topic and the payload: an unauthenticated push to `/3/device/aaaa` gets MissingProviderToken.
/// The rest is ours. A connection's own checks, its certificate and the rules of HTTP/2, come before all of these.
package enum Check: CaseIterable, Sendable {
    case repeatedHeader
    case method
    case path
    case authentication
    case messageID
    case topic
    case pushType
    case priority
    case expiration
    case collapseID
    /// Hexadecimal, and known in this environment.
    case deviceToken
    case tokenTopic
    case tokenActivity
    case payload
    case tokenRate

    /// How the check can end, but for success.
    package var reasons: [Reason] {
        switch self {
        case .repeatedHeader: [.duplicateHeaders]
        case .method: [.methodNotAllowed]
        case .path: [.badPath, .missingDeviceToken]
        case .authentication:
            [
                .badCertificate, .badCertificateEnvironment, .missingProviderToken, .invalidProviderToken,
                .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .expiredProviderToken,
                .tooManyProviderTokenUpdates,
            ]
        case .messageID: [.badMessageID]
        case .topic: [.missingTopic, .badTopic, .topicDisallowed]
        case .pushType: [.invalidPushType, .forbidden, .badTopic, .topicDisallowed]
        case .priority: [.badPriority]
        case .expiration: [.badExpirationDate]
        case .collapseID: [.badCollapseID]
        case .deviceToken: [.badDeviceToken]
        case .tokenTopic: [.deviceTokenNotForTopic]
        case .tokenActivity: [.unregistered, .expiredToken]
        case .payload: [.payloadEmpty, .payloadTooLarge]
        case .tokenRate: [.tooManyRequests]
        }
    }
}
