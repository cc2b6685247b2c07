/// What a person sees of a push, and why.
///
/// Its content's properties are its own: `shown.title`, `shown.userInfo["chat"]`.
@dynamicMemberLookup
public struct ShownNotification: Sendable, Equatable {
    /// What is shown: the extension's answer, or the original.
    public let content: ShownContent

    /// Why this is shown.
    public let why: Why

    /// How often the extension called its content handler until the delivery was over.
    public let handlerCallCount: Int

    /// Why a content was shown.
    public enum Why: Sendable, Equatable {
        /// The extension answered in time: its content.
        case answered
        /// The extension answered once its time had expired, within the grace: its content.
        case expiredAndAnswered
        /// The extension never answered, not even when told that its time would expire: the original.
        case timedOut
        /// The extension's answer has no alert text, so the system ignores it: the original.
        case emptyAnswer
        /// The system did not run the extension: the original.
        case notRun(NotRunReason)
    }

    /// Why the system does not run an extension.
    public enum NotRunReason: Sendable, Equatable {
        /// `mutable-content` is not the number 1.
        case notMutable
        /// Nothing to read in the push: only a sound, a badge or data.
        case noVisibleAlert
    }

    /// Whether this is what came with the push, untouched by the extension.
    public var isOriginal: Bool {
        switch why {
        case .answered, .expiredAndAnswered: false
        case .timedOut, .emptyAnswer, .notRun: true
        }
    }

    /// Whether iOS would have ended the extension's process: it does when the content handler is called twice.
    public var terminatesExtension: Bool { handlerCallCount > 1 }

    /// A property of the content.
    public subscript<Value>(dynamicMember keyPath: KeyPath<ShownContent, Value>) -> Value {
        content[keyPath: keyPath]
    }
}
