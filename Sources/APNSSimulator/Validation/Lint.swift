package import APNS
import Transport

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

    /// - Parameters:
    ///   - push: which was accepted.
    ///   - headers: its request's.
    ///   - payload: its request's body.
    /// - Returns: everything that is to be said.
    static func all(of push: AcceptedPush, headers: HeaderBlock, payload: [UInt8]) -> [Lint] {
        let fields = RequestFields(headers)
        var lints: [Lint] = []
        if fields.pushType == nil { lints.append(.pushTypeMissing) }
        if push.hasTopicOfAnotherType { lints.append(.topicOfAnotherType(push.pushType, isDropped: push.isDropped)) }
        if !push.pushType.expects(push.priority) { lints.append(.unexpectedPriority(push.pushType, push.priority)) }
        if fields.contentEncoding != nil { lints.append(.contentEncoded) }
        if let fault = PayloadRules.fault(in: payload, for: push.pushType) { lints.append(.payload(fault)) }
        return lints
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
