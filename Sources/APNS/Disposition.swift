/// Effect of an APNs answer on the notification, the device token, the connection and the lane (the credential at its
/// endpoint). A value, so that a queue, a database job and the client's pool decide alike.
///
/// - Source: "Handling notification responses from APNs": table of reasons, and "Understand error codes", on what may
///   be sent again.
public struct Disposition: Sendable, Equatable {
    /// Effect on the notification.
    public enum Notification: Sendable, Equatable {
        /// Accepted for delivery.
        case accepted
        /// App gone, which is no error.
        case undeliverable
        /// Never sent again unchanged.
        case deadLetter
        /// Valid, but the credential is not: kept until it expires or the credential is repaired.
        case park
        case retry(Retry)
    }

    /// Condition for sending a notification again.
    public enum Retry: Sendable, Equatable {
        /// APNs did not process it.
        case atOnceOnAnotherConnection
        case onceWithNewProviderToken
        /// With the provider token that APNs already knows.
        case laterWithSameProviderToken
        case laterForDeviceToken
        /// Waits double up to 15 minutes, with jitter, until the notification expires.
        case backOff
    }

    /// Effect on the device token.
    public enum DeviceToken: Sendable, Equatable {
        case keep
        /// Reachable: worth a date in the database.
        case markReached
        /// Malformed, or of the other environment, which is likely if many tokens of an app fail.
        case quarantine
        /// Of another app: delete the pair of token and app.
        case deletePair
        /// Delete unless registered after the answer's timestamp (`RejectionBody.provesGone`).
        case deleteUnlessRegisteredSince
        /// Send less often.
        case slowDown
    }

    /// Effect on the connection.
    public enum Connection: Sendable, Equatable {
        case keep
        /// Counted, because APNs closes a connection with too many errors.
        case countError
        /// No new pushes; closed after the pending answers.
        case drain
        /// Drained, and replaced by another one.
        case replace
        /// Replaced if the answer repeats.
        case replaceIfRepeated
    }

    /// Effect on the lane.
    public enum Credential: Sendable, Equatable {
        case keep
        /// Alarm for an operator: a request was invalid.
        case alarm
        /// Counts towards the breaker that stops the lane before Apple does.
        case breaker
        /// Suspension until the credential is repaired, with an alarm.
        case suspend
        /// Possible clock error: compare this machine's clock with others.
        case checkClock
        /// No new provider token for 20 minutes.
        case freezeProviderToken
    }

    /// Effect on the notification.
    public let notification: Notification
    /// Effect on the device token.
    public let deviceToken: DeviceToken
    /// Effect on the connection that brought the answer.
    public let connection: Connection
    /// Effect on the credential at its endpoint.
    public let lane: Credential

    /// - Parameters:
    ///   - status: answer's HTTP status.
    ///   - reason: `nil` for none or an unknown one. A reason with another status than its own counts as unknown: the
    ///     status decides, 4xx as permanent and 5xx as temporary.
    public init(status: Int, reason: Reason?) {
        if status != 200, let reason, reason.status == status {
            self.init(reason)
        } else {
            self.init(status: status)
        }
    }

    /// Effect of a GOAWAY on unprocessed requests, the connection and the lane.
    ///
    /// - Parameter reason: from the frame's debug data; `nil` without one.
    public init(goAwayReason reason: Reason?) {
        let known = reason.map { Disposition($0) }
        let lane = known?.lane ?? .keep
        self.init(
            lane == .suspend ? .park : .retry(.atOnceOnAnotherConnection),
            connection: lane == .suspend ? .drain : .replace,
            lane: lane
        )
    }

    private init(
        _ notification: Notification,
        _ deviceToken: DeviceToken = .keep,
        connection: Connection = .keep,
        lane: Credential = .keep
    ) {
        self.notification = notification
        self.deviceToken = deviceToken
        self.connection = connection
        self.lane = lane
    }

    private init(status: Int) {
        switch status {
        case 200: self.init(.accepted, .markReached)
        case 410: self.init(.undeliverable, .deleteUnlessRegisteredSince)
        case 429: self.init(.retry(.backOff), connection: .countError, lane: .breaker)
        case 500...599: self.init(.retry(.backOff), connection: .replaceIfRepeated)
        default: self.init(.deadLetter, connection: .countError, lane: .alarm)
        }
    }

    private init(_ reason: Reason) {
        switch reason {
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .duplicateHeaders,
            .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed,
            .payloadTooLarge:
            self.init(.deadLetter, connection: .countError, lane: .alarm)
        case .badDeviceToken:
            self.init(.deadLetter, .quarantine, connection: .countError, lane: .breaker)
        case .deviceTokenNotForTopic:
            self.init(.deadLetter, .deletePair, connection: .countError)
        case .expiredToken, .unregistered:
            // Apple does not count these as errors.
            self.init(.undeliverable, .deleteUnlessRegisteredSince)
        case .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken,
            .missingProviderToken, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken:
            self.init(.park, connection: .drain, lane: .suspend)
        case .unrelatedKeyIDInToken:
            self.init(.retry(.atOnceOnAnotherConnection), connection: .replace, lane: .alarm)
        case .expiredProviderToken:
            self.init(.retry(.onceWithNewProviderToken), connection: .replace, lane: .checkClock)
        case .tooManyProviderTokenUpdates:
            self.init(.retry(.laterWithSameProviderToken), lane: .freezeProviderToken)
        case .tooManyRequests:
            self.init(.retry(.laterForDeviceToken), .slowDown)
        case .internalServerError, .serviceUnavailable:
            self.init(.retry(.backOff), connection: .replaceIfRepeated)
        case .idleTimeout, .shutdown:
            self.init(.retry(.atOnceOnAnotherConnection), connection: .replace)
        }
    }
}
