package import APNS

/// Checks of one request, in order: the first to fail determines the reason. A connection's own checks come before.
///
/// Apple documents the reasons, not the order. Authentication comes before device token, topic and payload: an
/// unauthenticated push to `/3/device/aaaa` gets MissingProviderToken. The rest is ours.
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
