import Opening

/// The app's own words for pushes that cannot be shown: constants in the person's language, never words that came with a
/// push.
public struct FailureTexts: Equatable, Sendable {
    /// The title of all of them, the app's name for instance.
    public var title: String
    /// For everything that has no text of its own here.
    public var newMessage: String
    /// For a message that came too late to be shown.
    public var expired: String
    /// For a message that only a newer version of the app can open.
    public var updateNeeded: String

    /// Neither the title nor a text may be empty: iOS would show the words that came with the push instead.
    public init(title: String, newMessage: String, expired: String? = nil, updateNeeded: String? = nil) {
        precondition(!title.isEmpty && !newMessage.isEmpty && expired != "" && updateNeeded != "")
        self.title = title
        self.newMessage = newMessage
        self.expired = expired ?? newMessage
        self.updateNeeded = updateNeeded ?? newMessage
    }

    /// The text for a failure; nil for an opened message.
    func body(for outcome: Outcome) -> String? {
        switch outcome {
        case .opened: nil
        case .expired: expired
        case .unsupported: updateNeeded
        case .notSealed, .malformed, .unknownKey, .unverifiedSender, .clockUntrusted, .keysUnavailable: newMessage
        }
    }
}
