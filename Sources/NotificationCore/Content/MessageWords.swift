import Envelope
import Localization
import Opening

/// Message's title, subtitle and text, sanitized.
struct MessageWords: Equatable {
    /// Appended to a text that its sender shortened.
    private static let ellipsis = "…"

    let title: String
    let subtitle: String
    let body: String

    init(title: String, body: String) {
        self.title = DisplayText.safe(title, in: .line)
        subtitle = ""
        self.body = DisplayText.safe(body, in: .paragraph)
    }

    /// - Parameters:
    ///   - newMessage: replaces a text with unknown key and no words; keys are never shown.
    ///   - string: app's tables.
    init(_ opened: OpenedMessage, newMessage: String, string: (String) -> String?) {
        let message = opened.message
        func shown(_ key: LocalizedText?, _ words: String, _ place: DisplayText.Place) -> String {
            key.flatMap { Self.localized($0, in: place, string: string) } ?? DisplayText.safe(words, in: place)
        }
        title = shown(message.localizedTitle, message.title, .line)
        subtitle = shown(message.localizedSubtitle, message.subtitle, .line)
        let words = opened.isTruncated ? message.body + Self.ellipsis : message.body
        let body = shown(message.localizedBody, words, .paragraph)
        self.body = body.isEmpty && message.localizedBody != nil ? newMessage : body
    }

    /// True if iOS shows this and not the push's text.
    var canBeSeen: Bool { !title.isEmpty || !body.isEmpty }

    /// - Returns: nil for an unknown key or invisible text.
    private static func localized(
        _ text: LocalizedText,
        in place: DisplayText.Place,
        string: (String) -> String?
    ) -> String? {
        guard let format = string(text.key) else { return nil }
        let isTurned = DisplayText.hasRightToLeft(format)
        let arguments = text.arguments.map { DisplayText.argument($0, inRightToLeft: isTurned) }
        let shown = DisplayText.safe(LocalizedFormat.string(format, arguments), in: place, keepsIsolates: true)
        return shown.isEmpty ? nil : shown
    }
}
