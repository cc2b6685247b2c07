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
    /// For a message that can be opened once the device is unlocked.
    public var unlockNeeded: String

    /// Neither the title nor a text may be empty: iOS would show the words that came with the push instead.
    public init(
        title: String,
        newMessage: String,
        expired: String? = nil,
        updateNeeded: String? = nil,
        unlockNeeded: String? = nil
    ) {
        precondition(
            !title.isEmpty && !newMessage.isEmpty && expired != "" && updateNeeded != "" && unlockNeeded != ""
        )
        self.title = title
        self.newMessage = newMessage
        self.expired = expired ?? newMessage
        self.updateNeeded = updateNeeded ?? newMessage
        self.unlockNeeded = unlockNeeded ?? newMessage
    }

    /// The text for whatever has no words of its sender's to show.
    func body(for outcome: Outcome) -> String {
        switch outcome {
        case .expired: expired
        case .unsupported: updateNeeded
        case .locked: unlockNeeded
        case .opened, .unauthenticated, .notSealed, .malformed, .unknownKey, .staleKey, .keysUnavailable,
            .unverifiedSender, .clockUntrusted, .tooOld, .replay, .storeUnavailable, .notPermitted, .superseded:
            newMessage
        }
    }
}
