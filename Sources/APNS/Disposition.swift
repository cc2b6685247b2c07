/// What an answer of APNs means for everybody who had a part in it: the notification, the device token, the connection
/// and the lane (the credential at its endpoint).
///
/// A value, so that a queue, a database job and the client's own pool decide alike.
///
/// - Source: "Handling notification responses from APNs": the table of reasons and "Understand error codes", on what may
///   be sent again.
public struct Disposition: Sendable, Equatable {
    /// What becomes of the notification.
    public enum Notification: Sendable, Equatable {
        /// Taken for delivery.
        case accepted
        /// It cannot arrive and nobody is to blame: the app is gone.
        case undeliverable
        /// It is wrong and stays wrong: never again as it is.
        case deadLetter
        /// It is right and the credential is not: keep it, until its expiration, for when somebody has mended that.
        case park
        case retry(Retry)
    }

    /// When a notification may be sent again.
    public enum Retry: Sendable, Equatable {
        /// APNs did not act on it.
        case atOnceOnAnotherConnection
        /// Once, with a new provider token.
        case onceWithNewProviderToken
        /// With the provider token that APNs knew before, later.
        case laterWithSameProviderToken
        /// Later, and all else for this device token too.
        case laterForDeviceToken
        /// After a wait that doubles, up to 15 minutes, with chance in it, until the notification expires.
        case backOff
    }

    /// What becomes of the device token.
    public enum DeviceToken: Sendable, Equatable {
        case keep
        /// It took a push: worth a date in the database.
        case markReached
        /// Malformed, or of the other environment. When many tokens of one app fail, it is the environment.
        case quarantine
        /// It belongs to another app: delete the pair of token and app.
        case deletePair
        /// Delete it if it was not registered after the answer's timestamp (`RejectionBody.provesGone`).
        case deleteUnlessRegisteredSince
        /// Fewer pushes to it.
        case slowDown
    }

    /// What becomes of the connection.
    public enum Connection: Sendable, Equatable {
        case keep
        /// Keep it and count: APNs cuts a connection with too many errors.
        case countError
        /// No new pushes; close when those on their way have their answers.
        case drain
        /// The same, and another one takes its place.
        case replace
        /// Keep it; if the answer comes again and again, another one.
        case replaceIfRepeated
    }

    /// What becomes of the lane.
    public enum Lane: Sendable, Equatable {
        case keep
        /// Somebody should look: a request was wrong.
        case alarm
        /// Counts towards the breaker that stops the lane before Apple does.
        case breaker
        /// Nothing more until somebody has mended the credential, and an alarm.
        case suspend
        /// Compare this machine's clock with others.
        case checkClock
        /// No new provider token for 20 minutes.
        case freezeProviderToken
    }

    /// What becomes of the notification.
    public let notification: Notification
    /// What becomes of the device token.
    public let deviceToken: DeviceToken
    /// What becomes of the connection that brought the answer.
    public let connection: Connection
    /// What becomes of the credential at its endpoint.
    public let lane: Lane

    /// - Parameters:
    ///   - status: the answer's HTTP status.
    ///   - reason: `nil` when there was none, or an unknown one. One that comes with a status that is not its own counts
    ///     as unknown: the status then decides, 4xx for good and 5xx for now.
    public init(status: Int, reason: Reason?) {
        if status != 200, let reason, reason.status == status {
            self.init(reason)
        } else {
            self.init(status: status)
        }
    }

    /// What a GOAWAY means: for what APNs has not processed, the connection and the lane.
    ///
    /// - Parameter reason: from the frame's debug data; `nil` for a GOAWAY without one.
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
        lane: Lane = .keep
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
