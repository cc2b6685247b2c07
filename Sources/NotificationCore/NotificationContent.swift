import Envelope
public import Opening
import WebPush

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

    /// To be given back to the replay window once iOS has the content.
    let claim: ReplayClaim?

    /// What stands behind a text that its sender had to shorten.
    private static let ellipsis = "…"

    /// The sender's words, made safe to look at; nil where there are none to show.
    private static func message(of outcome: Outcome) -> Message? {
        var message: Message
        switch outcome {
        case .opened(let opened):
            guard opened.message.showsText else { return nil }
            message = opened.message
            if opened.isTruncated { message.body += ellipsis }
        case .unauthenticated(let text): message = Message(title: text.title, body: text.body)
        default: return nil
        }
        message.title = DisplayText.safe(message.title, in: .line)
        message.subtitle = DisplayText.safe(message.subtitle, in: .line)
        message.body = DisplayText.safe(message.body, in: .paragraph)
        // iOS shows the words that came with the push where a notification has no text.
        return message.title.isEmpty && message.body.isEmpty ? nil : message
    }

    init(_ opened: OpenedPush, texts: FailureTexts, trace: Trace?) {
        outcome = opened.outcome
        claim = opened.claim
        self.trace = trace?.text
        guard let message = Self.message(of: opened.outcome) else {
            title = texts.title
            subtitle = ""
            body = texts.body(for: opened.outcome)
            threadID = ""
            return
        }
        title = message.title
        subtitle = message.subtitle
        body = message.body
        threadID = message.threadID
    }
}

extension Message {
    /// A removal, a badge, a call and a test have the app's own: without
    /// Apple's filtering entitlement something has to be shown.
    fileprivate var showsText: Bool {
        switch operation {
        case .show, .replace: true
        case .remove, .badge, .call, .test: false
        }
    }
}
