public import APNS

/// One push to one device: everything that its request says but who is pushing.
public struct PushNotification: Sendable, Equatable {
    /// A longer `trace` is refused.
    public static let traceCharacterCountMax = 64

    /// Names this push in both directions. Resending with the same one is how an unclear outcome is settled.
    public var id: APNSID
    /// To which app on which device.
    public var deviceToken: DeviceToken
    /// The app, with the suffix of the push type.
    public var topic: Topic
    /// What kind of push; decides the topic's suffix, the priorities and the size.
    public var pushType: PushType
    /// `nil` leaves the header out, which APNs reads as `.immediate`.
    public var priority: Priority?
    /// `nil` leaves the header out: APNs stores as long as its policy allows, 30 days at most.
    public var expiration: Expiration?
    /// Pushes with the same one become one notification on the device.
    public var collapseID: CollapseID?
    /// The JSON of the body, as it goes out.
    public var payload: [UInt8]
    /// Your own name of this push for log lines; never sent. 1 ... `traceCharacterCountMax` printable ASCII characters.
    public var trace: String?

    /// Nothing is checked here but what the types promise: `check` says whether Apple's rules are kept.
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

    /// Holds the push against Apple's rules, in the order in which APNs is thought to check them. Runs for every push:
    /// it makes nothing and reads no byte of the payload.
    ///
    /// - Parameter now: seconds since 1970; without it an expiration in the past is not noticed.
    /// - Throws: the first rule that is broken.
    public func check(now: Int64? = nil) throws(Fault) {
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

    /// Whether the push type can go over a connection with this kind of credential.
    ///
    /// - Parameter hasProviderToken: false for a connection that a client certificate authenticates.
    /// - Throws: `.needsProviderToken`, `.needsCertificate`.
    public func checkAuthentication(hasProviderToken: Bool) throws(Fault) {
        if pushType.needsTokenAuthentication, !hasProviderToken { throw .needsProviderToken(pushType) }
        if pushType.needsCertificate, hasProviderToken { throw .needsCertificate(pushType) }
    }

    private var topicFault: Fault {
        if pushType == .mdm { return .topicNotOfManagement }
        if pushType.topicIsBundleID, let owner = topic.suffixOwner { return .topicBelongs(to: owner) }
        return .topicLacksSuffix(of: pushType)
    }

    private static func isTrace(_ text: String) -> Bool {
        (1...traceCharacterCountMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
