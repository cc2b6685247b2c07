public import APNS

/// Broken rule of Apple's. Sending would cost an error, and many errors the connection.
public enum PushNotificationError: Error, Equatable {
    /// Empty body.
    case payloadEmpty
    /// Exceeds the push type's limit.
    case payloadTooLarge(byteCount: Int, byteCountMax: Int)
    /// Not allowed for the push type; `nil` means 10.
    case priorityNotAllowed(Priority?, for: PushType)
    /// Topic without the push type's suffix.
    case topicLacksSuffix(of: PushType)
    /// The topic has another type's suffix; this type needs the plain bundle id.
    case topicBelongs(to: PushType)
    /// The topic of an mdm push is the UID of the certificate's subject.
    case topicNotOfManagement
    /// Neither 0 nor in the future.
    case expirationPast
    /// No client certificate covers this push type.
    case needsProviderToken(PushType)
    /// No provider token covers this push type.
    case needsCertificate(PushType)
    /// Not listed in the client's certificate for this push type.
    case topicNotOfCertificate
    /// Our own rule: a trace has 1 to 64 printable ASCII characters.
    case traceMalformed
}

extension PushNotificationError: CustomStringConvertible {
    /// One sentence with Apple's rule and APNs' answer.
    public var description: String {
        switch self {
        case .payloadEmpty:
            "The payload is empty; APNs answers PayloadEmpty."
        case .payloadTooLarge(let byteCount, let byteCountMax):
            "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                + " allows; APNs answers PayloadTooLarge."
        case .priorityNotAllowed(let priority, let pushType):
            Self.sentence(priority, pushType)
        case .topicLacksSuffix(let pushType):
            "The topic of a \(pushType.rawValue) push is the bundle id followed by \(pushType.topicSuffix); APNs answers"
                + " BadTopic."
        case .topicBelongs(let owner):
            "The topic is for \(owner.rawValue) pushes; that of an alert or background push is the bundle id alone;"
                + " APNs answers BadTopic."
        case .topicNotOfManagement:
            "The topic of an mdm push is the UID of the certificate's subject, which begins with com.apple.mgmt.; APNs"
                + " answers BadTopic."
        case .expirationPast:
            "The expiration is in the past; use 0 or a future time. APNs would try once at most and report"
                + " nothing."
        case .needsProviderToken(let pushType):
            "A \(pushType.rawValue) push needs a provider token, a client certificate is not enough; APNs answers"
                + " TopicDisallowed."
        case .needsCertificate(let pushType):
            "An \(pushType.rawValue) push needs the client certificate of the management service; APNs answers"
                + " TopicDisallowed."
        case .topicNotOfCertificate:
            "The client's certificate does not list this topic for this push type; APNs answers TopicDisallowed."
        case .traceMalformed:
            "A trace has 1 to \(PushNotification.traceCharacterCountMax) printable ASCII characters; it is for log lines"
                + " and never sent."
        }
    }

    /// APNs' answer to such a push; `nil` if it would not refuse it.
    public var reason: Reason? {
        switch self {
        case .payloadEmpty: .payloadEmpty
        case .payloadTooLarge: .payloadTooLarge
        case .priorityNotAllowed: .badPriority
        case .topicLacksSuffix, .topicBelongs, .topicNotOfManagement: .badTopic
        case .needsProviderToken, .needsCertificate, .topicNotOfCertificate: .topicDisallowed
        case .expirationPast, .traceMalformed: nil
        }
    }

    private static func sentence(_ priority: Priority?, _ pushType: PushType) -> String {
        let allowed = Priority.allCases.reversed().filter { pushType.expects($0) }.map { "\($0.rawValue)" }
        let found = priority.map { "not \($0.rawValue)" } ?? "and without one it is 10"
        return "The priority of a \(pushType.rawValue) push is \(allowed.joined(separator: " or ")), \(found); APNs"
            + (pushType.allows(priority ?? .immediate) ? " may answer BadPriority." : " answers BadPriority.")
    }
}
