package import APNS

/// What an accepted push should not have: Apple ignores it, delays the push or drops it without a word.
package enum Lint: Equatable, Sendable {
    /// Apple asks every push for `apns-push-type`.
    case pushTypeMissing
    /// The topic ends as another push type's does, or not as this one's.
    case topicOfAnotherType(PushType, isDropped: Bool)
    /// A priority that Apple's pages do not give for the type.
    case unexpectedPriority(PushType, Priority)
    /// Bodies are never compressed.
    case contentEncoded
    case payload(PayloadError)

    /// Remarks on an accepted push.
    static func all(of push: AcceptedPush, payload: [UInt8]) -> [Lint] {
        push.lints + all(in: payload, push.pushType)
    }

    /// Remarks on the headers.
    static func all(
        in fields: RequestFields,
        _ pushType: PushType,
        _ priority: Priority,
        hasTopicOfAnotherType: Bool,
        isDropped: Bool
    ) -> [Lint] {
        var lints: [Lint] = []
        if fields.pushType == nil { lints.append(.pushTypeMissing) }
        if hasTopicOfAnotherType { lints.append(.topicOfAnotherType(pushType, isDropped: isDropped)) }
        if !pushType.expects(priority) { lints.append(.unexpectedPriority(pushType, priority)) }
        if fields.contentEncoding != nil { lints.append(.contentEncoded) }
        return lints
    }

    /// Remarks on the payload.
    static func all(in payload: [UInt8], _ pushType: PushType) -> [Lint] {
        PayloadRules.fault(in: payload, for: pushType).map { [.payload($0)] } ?? []
    }
}

extension Lint: CustomStringConvertible {
    /// One sentence, without anything out of the push but its type.
    package var description: String {
        switch self {
        case .pushTypeMissing: "The push has no apns-push-type."
        case .topicOfAnotherType(let pushType, let isDropped):
            "The topic is not one for \(pushType.rawValue) pushes\(isDropped ? "; it will not be delivered" : "")."
        case .unexpectedPriority(let pushType, let priority):
            "Apple's documentation has no priority \(priority.rawValue) for \(pushType.rawValue) pushes."
        case .contentEncoded: "The payload has a content-encoding, which APNs does not undo."
        case .payload(let fault): fault.description
        }
    }
}
