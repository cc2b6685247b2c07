/// Reason for which APNs refuses a request about broadcast channels.
///
/// - Source: "Handling error responses from Apple Push Notification service" for channel management and for broadcasts,
///   except where a case says "observed".
public enum BroadcastReason: String, CaseIterable, Sendable {
    case badChannelID = "BadChannelId"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badRequestParameters = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
    /// App with 10,000 channels.
    case cannotCreateChannelConfiguration = "CannotCreateChannelConfig"
    case channelNotRegistered = "ChannelNotRegistered"
    /// App without the broadcast capability.
    case featureNotEnabled = "FeatureNotEnabled"
    case invalidPushType = "InvalidPushType"
    case missingChannelID = "MissingChannelId"
    /// Observed: `message-storage-policy` is missing.
    case missingChannelQueueSize = "MissingChannelQueueSize"
    case missingPushType = "MissingPushType"
    case payloadEmpty = "PayloadEmpty"
    /// Bundle id with a suffix.
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case topicMismatch = "TopicMismatch"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// Reads the string of an error body. Apple's page prints one of them with a space.
    public init?(text: String) {
        guard let reason = BroadcastReason(rawValue: text == "Service Unavailable" ? "ServiceUnavailable" : text) else {
            return nil
        }
        self = reason
    }

    /// HTTP status in Apple's table.
    public var status: Int {
        switch self {
        case .badChannelID, .badExpirationDate, .badMessageID, .badPriority, .badRequestParameters, .badRequestPayload,
            .cannotCreateChannelConfiguration, .channelNotRegistered, .featureNotEnabled, .invalidPushType,
            .missingChannelID, .missingChannelQueueSize, .missingPushType, .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .invalidProviderToken,
            .missingProviderToken, .topicMismatch:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}
