public import Opening

/// Fetches a message's files while its text waits.
///
///     struct Pictures: AttachmentFetcher {
///         func hasAttachments(_ message: OpenedMessage) -> Bool { … }
///         func fetch(for message: OpenedMessage, within budget: Duration, deliver: …) async {
///             guard deliver(FetchedAttachments(ready: [thumbnail])) else { return }     // shown if time runs out now
///             _ = deliver(FetchedAttachments(ready: [picture]))
///         }
///     }
///
/// `EncryptedAttachmentFetcher` fetches attachments that messages point to.
public protocol AttachmentFetcher: Sendable {
    /// True if the text must wait. Called before anything is shown; must not block.
    ///
    /// - Parameter message: verified, within its sender's rights.
    func hasAttachments(_ message: OpenedMessage) -> Bool

    /// Fetches until done or cancelled; later deliveries are dropped.
    ///
    /// - Parameters:
    ///   - message: points to the files.
    ///   - budget: time until cancellation.
    ///   - deliver: takes all files so far, replacing the last delivery. False if too late: delete those not delivered
    ///     before.
    func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable (FetchedAttachments) -> Bool
    ) async
}
