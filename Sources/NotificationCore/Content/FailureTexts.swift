/// App texts for pushes that cannot be shown, in the person's language, never from a push.
public struct FailureTexts: Equatable, Sendable {
    /// Name of a text.
    public enum Name: Hashable, Sendable, CaseIterable {
        /// Something came; no more is known.
        case newMessage
        /// Too late.
        case expired
        /// App too old.
        case updateNeeded
        /// Device locked.
        case unlockNeeded
        /// Nothing of interest, but iOS shows something.
        case neutral
    }

    /// Common title, such as the app's name.
    public var title: String
    /// Text for all other cases.
    public var newMessage: String
    /// Text for an expired message.
    public var expired: String
    /// Text for a message that needs a newer app.
    public var updateNeeded: String
    /// Text for a message that opens after unlocking.
    public var unlockNeeded: String
    /// Text where iOS insists on showing something, such as "Conversations updated".
    public var neutral: String

    /// Creates texts. None may be empty, as iOS would then show the push's text; nil means `newMessage`.
    public init(
        title: String,
        newMessage: String,
        expired: String? = nil,
        updateNeeded: String? = nil,
        unlockNeeded: String? = nil,
        neutral: String? = nil
    ) {
        let all = [title, newMessage, expired, updateNeeded, unlockNeeded, neutral].compactMap { $0 }
        precondition(all.allSatisfy { !$0.isEmpty }, "iOS shows the relay's words where there are none")
        self.title = title
        self.newMessage = newMessage
        self.expired = expired ?? newMessage
        self.updateNeeded = updateNeeded ?? newMessage
        self.unlockNeeded = unlockNeeded ?? newMessage
        self.neutral = neutral ?? newMessage
    }

    /// Text of this name.
    public subscript(name: Name) -> String {
        switch name {
        case .newMessage: newMessage
        case .expired: expired
        case .updateNeeded: updateNeeded
        case .unlockNeeded: unlockNeeded
        case .neutral: neutral
        }
    }
}
