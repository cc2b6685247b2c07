public import UserNotifications

/// The notification that a person sees of a push, or of an app's own post, with the reason.
///
/// Its content's properties can be read directly: `shown.title`.
@dynamicMemberLookup
public struct ShownNotification: Sendable, Equatable {
    /// Identifier of the notification's request.
    public let identifier: String

    /// Shown content: the extension's answer or the original.
    public let content: ShownContent

    /// Push's own content: readable by relay and Apple, and shown if no extension changes it.
    public let original: ShownContent

    /// Arrival time by the device's date.
    public let date: Date

    /// Reason for the shown content.
    public let why: Why

    /// Place, urgency and sound.
    public let presentation: Presentation

    /// Content handler calls until the delivery was over.
    public let handlerCallCount: Int

    /// Ending of the extension's run; `nil` if it did not run.
    public let ending: Ending?

    /// Time in which the extension's limits were measured.
    public let time: TimeUsed

    /// Enforcement of the extension's memory limit.
    public let memory: MemoryEnforcement

    /// Peak memory of the extension's own process until this push was done; `nil` without such a process.
    public internal(set) var peakMemoryByteCount: Int?

    /// Trigger of a local notification.
    var trigger: LocalTrigger?

    /// Results of the other runs over the same push, in order.
    public internal(set) var repeated: [ShownNotification] = []

    /// Reason for a shown content.
    public enum Why: Sendable, Equatable {
        /// Answered in time: the answer.
        case answered
        /// Answered after the expiry call, within the grace: the answer.
        case expired
        /// Never answered: the original.
        case timedOut
        /// Answered without alert text, which the system ignores: the original.
        case emptyAnswer
        /// Answered without alert text, and the app may filter: nothing is shown.
        case suppressed
        /// Answered with an attachment that the system rejected: the original.
        case invalidAttachment(AttachmentProblem)
        /// Process ended before an answer: the original.
        case ended(Ending)
        /// Not run: the original.
        case notRun(NotRunReason)
        /// Local notification of extension or app, no push.
        case posted
    }

    /// Reason why the system does not run an extension.
    public enum NotRunReason: Sendable, Equatable {
        /// `mutable-content` is not the number 1.
        case notMutable
        /// No text, only a sound, a badge or data.
        case noVisibleAlert
        /// Notifications turned off by the person.
        case alertsOff
        /// iOS does not start the extension at the moment.
        case notStarted
    }

    /// True if the shown content is the push's own, unchanged by the extension.
    public var isOriginal: Bool {
        switch why {
        case .answered, .expired, .suppressed, .posted: false
        case .timedOut, .emptyAnswer, .invalidAttachment, .ended, .notRun: true
        }
    }

    /// True where iOS would have ended the extension's process by force, as after a second content handler call.
    public var terminatesExtension: Bool { ending?.isTermination ?? false }

    /// Property of the content.
    public subscript<Value>(dynamicMember keyPath: KeyPath<ShownContent, Value>) -> Value {
        content[keyPath: keyPath]
    }
}

extension ShownNotification {
    /// An arrived push, before its outcome is known.
    struct Arrival: Sendable {
        let identifier: String
        let original: ShownContent
        let date: Date
        let conditions: Device.Conditions
    }

    init(_ local: LocalNotification, on conditions: Device.Conditions) {
        var content = local.content
        if !conditions.entitlements.contains(.communication) { content.communication = nil }
        let arrival = Arrival(
            identifier: local.identifier,
            original: content,
            date: local.date,
            conditions: conditions
        )
        self.init(arrival, showing: content, .posted, after: nil)
        trigger = local.trigger
    }

    init(_ arrival: Arrival, notRun reason: NotRunReason) {
        self.init(arrival, showing: arrival.original, .notRun(reason), after: nil)
    }

    init(_ arrival: Arrival, showing content: ShownContent, _ why: Why, after outcome: ExtensionOutcome?) {
        self.init(
            identifier: arrival.identifier,
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
