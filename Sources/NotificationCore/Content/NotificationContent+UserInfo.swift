import Envelope
import Keys
import Opening

extension NotificationContent {
    /// Property list for the app when the notification is tapped; of the push it has only the trace (protocol v1, rule
    /// 30).
    ///
    ///     ["trace": "…", "sealedpush": ["outcome": "opened", "message": "…", "sender": "…", "info": ["chat": "7"]]]
    ///
    /// The outcome is an `OutcomeKind`. An opened message's id has 22 base64url characters, a sender's key 43, even an
    /// unknown sender's. The sender's values are under `info`, by allowed names.
    public var userInfo: [String: any Sendable] {
        var sealed: [String: any Sendable] = ["outcome": kind.rawValue]
        if case .opened(let opened) = outcome { sealed["message"] = opened.messageID.text }
        if let senderKey { sealed["sender"] = Base64URL.string(senderKey.rawRepresentation) }
        if let account { sealed["account"] = account.text }
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
