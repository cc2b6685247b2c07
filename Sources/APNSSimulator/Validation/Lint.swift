package import APNS

/// Remark on an accepted push that Apple would delay, drop or partly ignore.
package enum Lint: Equatable, Sendable {
    /// Apple requires `apns-push-type` in every push.
    case pushTypeMissing
    /// The topic has another type's suffix, or lacks this one's.
    case topicOfAnotherType(PushType, isDropped: Bool)
    /// Priority that Apple's pages do not name for the type.
    case unexpectedPriority(PushType, Priority)
    /// Bodies are never compressed.
    case contentEncoded
    case payload(PayloadError)

    static func all(of push: AcceptedPush, payload: [UInt8]) -> [Lint] {
        push.lints + all(in: payload, push.pushType)
    }

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

    static func all(in payload: [UInt8], _ pushType: PushType) -> [Lint] {
        PayloadRules.fault(in: payload, for: pushType).map { [.payload($0)] } ?? []
    }
}

extension Lint: CustomStringConvertible {
    /// Sentence that reveals the push's type alone.
    package var description: String {
        switch self {
        case .pushTypeMissing: "The push has no apns-push-type."
        case .topicOfAnotherType(let pushType, let isDropped):
            "The topic is not one for \(pushType.rawValue) pushes\(isDropped ? "; it will not be delivered" : "")."
        case .unexpectedPriority(let pushType, let priority):
            "Apple's documentation has no priority \(priority.rawValue) for \(pushType.rawValue) pushes."
        case .contentEncoded: "The payload has a content-encoding, which APNs does not decode."
        case .payload(let fault): fault.description
        }
    }
}
