import APNS

extension Reason {
    /// For an unknown or missing reason.
    static let noAdvice = "Apple's page 'Handling notification responses from APNs' lists the reasons."

    /// From Apple's table.
    var advice: String {
        switch self {
        case .badDeviceToken: "The token is malformed or belongs to the other environment: production or sandbox?"
        case .deviceTokenNotForTopic: "The token belongs to another app: check --topic."
        case .unregistered, .expiredToken: "The app is gone from that device: forget the token."
        case .missingTopic, .badTopic, .topicDisallowed: "Check --topic, and what the key may push to."
        case .expiredProviderToken: "This machine's clock is more than an hour off: set it."
        case .invalidProviderToken: "Check --key-id, --team-id and the .p8 file: they belong together."
        case .missingProviderToken, .unrelatedKeyIDInToken, .badCertificate, .badCertificateEnvironment, .forbidden:
            "Check the credentials."
        case .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken: "The key is for the other environment."
        case .payloadTooLarge, .payloadEmpty: "Seal the message again with 'sealedpush seal'."
        case .tooManyRequests, .tooManyProviderTokenUpdates: "Wait before the next push."
        case .internalServerError, .serviceUnavailable, .shutdown: "Try again later."
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .idleTimeout,
            .invalidPushType, .missingDeviceToken, .badPath, .methodNotAllowed:
            Self.noAdvice
        }
    }
}
