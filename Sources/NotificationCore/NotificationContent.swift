import Envelope
public import Opening

/// What to put on the screen, built from nothing: no word, sound, badge, category or link of the push itself is in it.
public struct NotificationContent: Equatable, Sendable {
    /// The first line.
    public let title: String
    /// The second line; empty for none.
    public let subtitle: String
    /// The text.
    public let body: String
    /// Groups notifications; empty for none.
    public let threadID: String
    /// The one thing of the push that is kept: it follows the push through logs.
    public let trace: String?
    /// Why this is shown.
    public let outcome: Outcome

    /// What stands behind a text that its sender had to shorten.
    private static let ellipsis = "…"

    init(outcome: Outcome, texts: FailureTexts, trace: String?) {
        self.outcome = outcome
        self.trace = trace
        guard case .opened(let opened) = outcome else {
            title = texts.title
            subtitle = ""
            body = texts.body(for: outcome) ?? texts.newMessage
            threadID = ""
            return
        }
        title = opened.message.title
        subtitle = opened.message.subtitle
        body = opened.isTruncated ? opened.message.body + Self.ellipsis : opened.message.body
        threadID = opened.message.threadID
    }
}
