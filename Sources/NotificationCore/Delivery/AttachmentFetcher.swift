public import Opening

/// Gets the files that belong to a message, while its text waits for them.
///
///     struct Pictures: AttachmentFetcher {
///         func hasAttachments(_ message: OpenedMessage) -> Bool { … }
///         func fetch(for message: OpenedMessage, within budget: Duration, deliver: …) async {
///             guard deliver(FetchedAttachments(ready: [thumbnail])) else { return }     // shown if time runs out now
///             _ = deliver(FetchedAttachments(ready: [picture]))
///         }
///     }
///
/// `EncryptedAttachmentFetcher` is the one for attachments that a message points to.
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
    ///   - deliver: takes all that is there by now, in the place of what was delivered before: a thumbnail first, say. False
    ///     where it came too late: then nothing of it is shown that was not delivered before, and the files are the
    ///     fetcher's to delete.
    func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable (FetchedAttachments) -> Bool
    ) async
}
