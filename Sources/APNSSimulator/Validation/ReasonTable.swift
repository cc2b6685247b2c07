package import APNS

/// Row of Apple's error table: a reason, its trigger in the simulator, and the source.
package struct ReasonRow: Sendable {
    package enum Provocation: Sendable {
        /// Invalid request, or one too many.
        case request
        /// Event of a connection, without a request.
        case connection
        /// Service fault, which only injection causes.
        case injection
    }

    package let reason: Reason
    package let status: Int
    package let trigger: String
    package let source: String
    package let provocation: Provocation
}

/// All reasons of `/3/device/`.
///
/// - Source: "Handling notification responses from APNs", the tables of status codes and of error strings.
package enum ReasonTable {
    private static let apple = "Apple, Handling notification responses from APNs"

    package static let rows = headers + credentials + requests + tokensAndPayloads + service

    private static let headers: [ReasonRow] = [
        row(.badCollapseID, 400, "apns-collapse-id is longer than 64 bytes"),
        row(.badExpirationDate, 400, "apns-expiration is not a number"),
        row(.badMessageID, 400, "apns-id is not a canonical UUID"),
        row(.badPriority, 400, "apns-priority is none of 10, 5, 1, or 10 in the background, or 1 for a Live Activity"),
        row(
            .badTopic,
            400,
            "apns-topic is no bundle id, or has the suffix of another push type",
            apple + "; suffix: ours"
        ),
        row(.duplicateHeaders, 400, "a header came twice"),
        row(.invalidPushType, 400, "apns-push-type is none of the eleven, or is missing where a setting asks for it"),
        row(.missingTopic, 400, "no apns-topic, and not a certificate with a single topic"),
        row(.topicDisallowed, 400, "the certificate or the key does not cover the topic, or the certificate the type"),
    ]

    private static let credentials: [ReasonRow] = [
        row(.badCertificate, 403, "the client certificate is not trusted, or is not for APNs"),
        row(.badCertificateEnvironment, 403, "the client certificate is for the other environment"),
        row(.expiredProviderToken, 403, "the provider token was issued more than an hour ago"),
        row(.forbidden, 403, "a device management push with a provider token", apple + "; the trigger is ours"),
        row(.invalidProviderToken, 403, "the token is unreadable, badly signed, or of an unknown key or another team"),
        row(.missingProviderToken, 403, "neither a client certificate nor a provider token"),
        row(.unrelatedKeyIDInToken, 403, "the token's key is not related to the connection's first"),
        row(.badEnvironmentKeyIDInToken, 403, "the token's key is for the other environment, as documented"),
        row(
            .badEnvironmentKeyInToken,
            403,
            "the token's key is for the other environment, as on the wire",
            "observed in relays"
        ),
        row(.tooManyProviderTokenUpdates, 429, "a second provider token within 20 minutes"),
    ]

    private static let requests: [ReasonRow] = [
        row(.badPath, 404, "the path is not /3/device/ and a token"),
        row(.methodNotAllowed, 405, "the method is not POST"),
        row(.missingDeviceToken, 400, "the path ends where the token belongs"),
    ]

    private static let tokensAndPayloads: [ReasonRow] = [
        row(.badDeviceToken, 400, "the token is not hexadecimal, or unknown in this environment"),
        row(.deviceTokenNotForTopic, 400, "the token is of another app than the topic, or of another kind of push"),
        row(.expiredToken, 410, "the token was replaced by a newer one"),
        row(.unregistered, 410, "the app is gone from the device"),
        row(.payloadEmpty, 400, "the body has no bytes; with a setting, it is not JSON", apple + "; JSON: ours"),
        row(.payloadTooLarge, 413, "the body has more than 4096 bytes, or 5120 with voip"),
        row(.tooManyRequests, 429, "too many pushes in a row to one device"),
    ]

    private static let service: [ReasonRow] = [
        row(.idleTimeout, 400, "the connection was idle for too long", by: .connection),
        row(.internalServerError, 500, "a fault of the service", by: .injection),
        row(.serviceUnavailable, 503, "the service has no capacity", by: .injection),
        row(.shutdown, 503, "the server is going down", by: .injection),
    ]

    private static func row(
        _ reason: Reason,
        _ status: Int,
        _ trigger: String,
        _ source: String = apple,
        by provocation: ReasonRow.Provocation = .request
    ) -> ReasonRow {
        ReasonRow(reason: reason, status: status, trigger: trigger, source: source, provocation: provocation)
    }
}
