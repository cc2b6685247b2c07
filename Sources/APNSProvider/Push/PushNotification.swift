public import APNS

/// Push to one device, without its credential.
public struct PushNotification: Sendable, Equatable {
    /// Longest `trace`.
    public static let traceCharacterCountMax = 64

    /// Identifies the push in request and answer. Resending with the same id settles an ambiguous result.
    public var id: APNSID
    /// Apple's address of the app on a device.
    public var deviceToken: DeviceToken
    /// App, with the push type's suffix.
    public var topic: Topic
    /// Decides the topic's suffix, the priorities and the size.
    public var pushType: PushType
    /// `nil` omits the header; APNs reads that as `.immediate`.
    public var priority: Priority?
    /// `nil` omits the header; APNs then stores the push by its own policy, 30 days at most.
    public var expiration: Expiration?
    /// The newest push with it replaces earlier ones on the device.
    public var collapseID: CollapseID?
    /// JSON body.
    public var payload: [UInt8]
    /// Your own name for log lines, never sent: 1 ... `traceCharacterCountMax` printable ASCII characters.
    public var trace: String?

    /// Makes a push without checks; `check` applies Apple's rules.
    public init(
        id: APNSID = APNSID(),
        deviceToken: DeviceToken,
        topic: Topic,
        pushType: PushType = .alert,
        priority: Priority? = nil,
        expiration: Expiration? = nil,
        collapseID: CollapseID? = nil,
        payload: [UInt8],
        trace: String? = nil
    ) {
        self.id = id
        self.deviceToken = deviceToken
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
        self.trace = trace
    }

    /// Checks Apple's rules, in the order in which APNs seems to. For every push: it allocates nothing and does not
    /// read the payload.
    ///
    /// - Parameter now: Seconds since 1970; without it a past expiration passes.
    /// - Throws: The first broken rule.
    public func check(now: Int64? = nil) throws(PushNotificationError) {
        guard topic.fits(pushType) else { throw topicFault }
        guard pushType.expects(priority ?? .immediate) else { throw .priorityNotAllowed(priority, for: pushType) }
        if let now, let expiration, expiration != .oneAttempt, !expiration.allowsStoring(at: now) {
            throw .expirationPast
        }
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= pushType.payloadByteCountMax else {
            throw .payloadTooLarge(byteCount: payload.count, byteCountMax: pushType.payloadByteCountMax)
        }
        if let trace, !Self.isTrace(trace) { throw .traceMalformed }
    }

    /// Checks that this kind of credential covers the push type.
    ///
    /// - Parameter hasProviderToken: false for a connection with a client certificate.
    /// - Throws: `.needsProviderToken`, `.needsCertificate`.
    public func checkAuthentication(hasProviderToken: Bool) throws(PushNotificationError) {
        if pushType.needsTokenAuthentication, !hasProviderToken { throw .needsProviderToken(pushType) }
        if pushType.needsCertificate, hasProviderToken { throw .needsCertificate(pushType) }
    }

    private var topicFault: PushNotificationError {
        if pushType == .mdm { return .topicNotOfManagement }
        if pushType.topicIsBundleID, let owner = topic.suffixOwner { return .topicBelongs(to: owner) }
        return .topicLacksSuffix(of: pushType)
    }

    private static func isTrace(_ text: String) -> Bool {
        (1...traceCharacterCountMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
