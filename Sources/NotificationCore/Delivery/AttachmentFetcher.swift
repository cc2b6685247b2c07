public import Opening

/// Gets the files that belong to a message, while its text waits for them.
///
///     struct Pictures: AttachmentFetcher {
///         func hasAttachments(_ message: OpenedMessage) -> Bool { … }
///         func fetch(for message: OpenedMessage, within budget: Duration, deliver: …) async {
///             deliver([thumbnail])                    // shown if time runs out now
///             deliver([thumbnail, picture])
///         }
///     }
public protocol AttachmentFetcher: Sendable {
    /// Whether the text of this message is to wait at all.
    ///
    /// - Parameter message: authentic, and within its sender's rights.
    /// - Returns: false where there is nothing to fetch. It is asked before anything is shown, and waits for nothing.
    func hasAttachments(_ message: OpenedMessage) -> Bool

    /// Fetches, until it is done or cancelled; what was delivered by then is shown. What is delivered later is not.
    ///
    /// - Parameters:
    ///   - message: authentic, and within its sender's rights.
    ///   - budget: after which the task is cancelled, and not waited for.
    ///   - deliver: takes all attachments that are ready, in the place of those delivered before: a thumbnail first, say.
    ///     Each file is a private copy: iOS moves it into its own store.
    func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable ([NotificationContent.Attachment]) -> Void
    ) async
}
