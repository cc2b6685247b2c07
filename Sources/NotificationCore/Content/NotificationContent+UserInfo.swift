import Envelope
import Keys
import Opening

extension NotificationContent {
    /// What the app finds in the notification when the person taps it: values of a property list, and nothing of the push
    /// but the trace (protocol v1, rule 30).
    ///
    ///     ["trace": "…", "sealedpush": ["outcome": "opened", "message": "…", "sender": "…", "info": ["chat": "7"]]]
    ///
    /// The outcome is a word of `OutcomeKind`; the message's id is 22 characters of base64url, where a message was
    /// opened; the sender's key is 43, and there for a stranger too, whose outcome says so. All that the sender wrote is
    /// under `info`, by names that the app allows.
    public var userInfo: [String: any Sendable] {
        var sealed: [String: any Sendable] = ["outcome": kind.rawValue]
        if case .opened(let opened) = outcome { sealed["message"] = opened.messageID.text }
        if let senderKey { sealed["sender"] = Base64URL.string(senderKey.rawRepresentation) }
        if !info.isEmpty { sealed["info"] = info.mapValues(\.propertyListValue) }
        var userInfo: [String: any Sendable] = ["sealedpush": sealed]
        if let trace { userInfo["trace"] = trace }
        return userInfo
    }
}

extension Message.InfoValue {
    fileprivate var propertyListValue: any Sendable {
        switch self {
        case .string(let text): text
        case .integer(let number): number
        case .bool(let flag): flag
        }
    }
}
