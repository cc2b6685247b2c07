/// The app's own words for pushes that cannot be shown: constants in the person's language, never words that came with a
/// push.
public struct FailureTexts: Equatable, Sendable {
    /// Which of the texts.
    public enum Name: Hashable, Sendable, CaseIterable {
        /// Something came, and no more can be said.
        case newMessage
        /// It came too late.
        case expired
        /// The app is too old for it.
        case updateNeeded
        /// The device is locked.
        case unlockNeeded
        /// Nothing for the person; iOS shows something all the same.
        case neutral
    }

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
    /// For what would better not be shown at all, where iOS does not allow that: "Conversations updated", for instance.
    public var neutral: String

    /// Neither the title nor a text may be empty: iOS would show the words that came with the push instead.
    ///
    /// - Parameters:
    ///   - title: of all of them.
    ///   - newMessage: for everything without a text of its own.
    ///   - expired: `newMessage`, unless there is one.
    ///   - updateNeeded: `newMessage`, unless there is one.
    ///   - unlockNeeded: `newMessage`, unless there is one.
    ///   - neutral: `newMessage`, unless there is one.
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

    /// The text of this name.
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
