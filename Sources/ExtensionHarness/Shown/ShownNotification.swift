public import UserNotifications

/// What a person sees of a push, and why.
///
/// Its content's properties are its own: `shown.title`, `shown.userInfo["chat"]`.
@dynamicMemberLookup
public struct ShownNotification: Sendable, Equatable {
    /// The identifier of the notification's request.
    public let identifier: String

    /// What is shown: the extension's answer, or the original.
    public let content: ShownContent

    /// What came with the push: what the relay and Apple could read, and what iOS shows when no extension changes it.
    public let original: ShownContent

    /// When it arrived, by the device's date.
    public let date: Date

    /// Why this is shown.
    public let why: Why

    /// How it appears, and whether it is heard.
    public let presentation: Presentation

    /// How often the extension called its content handler until the delivery was over.
    public let handlerCallCount: Int

    /// How the extension's run ended; `nil` where it did not run.
    public let ending: Ending?

    /// Which time the extension's limits were measured in.
    public let time: TimeUsed

    /// How the extension's memory was limited.
    public let memory: MemoryEnforcement

    /// The most memory that the extension's process took; `nil` where it had none of its own. Of a process that serves
    /// several pushes it is the most until this one was done.
    public internal(set) var peakMemoryByteCount: Int?

    /// What the other runs made of the same push, in order, where it reached the extension more than once.
    public internal(set) var repeated: [ShownNotification] = []

    /// Why a content was shown.
    public enum Why: Sendable, Equatable {
        /// The extension answered in time: its content.
        case answered
        /// The extension answered once it was told that its time is over, within the grace: its content.
        case expired
        /// The extension never answered, not even when told that its time would expire: the original.
        case timedOut
        /// The extension's answer has no alert text, so the system ignores it: the original.
        case emptyAnswer
        /// The extension's answer has no alert text, and the app may filter: nothing is shown.
        case suppressed
        /// The system did not take an attachment, and with it not the answer: the original.
        case invalidAttachment(AttachmentProblem)
        /// The extension's process ended before it answered: the original.
        case ended(Ending)
        /// The system did not run the extension: the original.
        case notRun(NotRunReason)
    }

    /// Why the system does not run an extension.
    public enum NotRunReason: Sendable, Equatable {
        /// `mutable-content` is not the number 1.
        case notMutable
        /// Nothing to read in the push: only a sound, a badge or data.
        case noVisibleAlert
        /// The person turned the app's notifications off.
        case alertsOff
        /// iOS does not start the extension at the moment.
        case notStarted
    }

    /// Whether this is what came with the push, untouched by the extension.
    public var isOriginal: Bool {
        switch why {
        case .answered, .expired, .suppressed: false
        case .timedOut, .emptyAnswer, .invalidAttachment, .ended, .notRun: true
        }
    }

    /// Whether iOS would have ended the extension's process by force: it does when the content handler is called twice.
    public var terminatesExtension: Bool { ending?.isTermination ?? false }

    /// A property of the content.
    public subscript<Value>(dynamicMember keyPath: KeyPath<ShownContent, Value>) -> Value {
        content[keyPath: keyPath]
    }
}

extension ShownNotification {
    /// A push that has arrived, before anything is known of what becomes of it.
    struct Arrival: Sendable {
        let push: SimulatedPush
        let original: ShownContent
        let date: Date
        let conditions: Device.Conditions
    }

    /// A push whose extension iOS does not run.
    init(_ arrival: Arrival, notRun reason: NotRunReason) {
        self.init(arrival, showing: arrival.original, .notRun(reason), after: nil)
    }

    /// A push whose extension ran.
    init(_ arrival: Arrival, showing content: ShownContent, _ why: Why, after outcome: ExtensionOutcome?) {
        self.init(
            identifier: arrival.push.identifier,
            content: content,
            original: arrival.original,
            date: arrival.date,
            why: why,
            presentation: PresentationRule.presentation(of: content, why, on: arrival.conditions),
            handlerCallCount: outcome?.handlerCallCount ?? 0,
            ending: outcome?.ending,
            time: outcome?.time ?? .none,
            memory: outcome?.memory ?? .none
        )
        peakMemoryByteCount = outcome?.peakMemoryByteCount
    }
}
