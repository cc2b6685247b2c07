/// Estimates text width by kinds of characters, a little above Helvetica's and Apple's own. For the picture a line
/// break one letter off is accurate enough.
enum TextWidth {
    static func ems(of text: some Sequence<Character>) -> Double {
        text.reduce(0) { $0 + ems(of: $1) }
    }

    static func ems(of character: Character) -> Double {
        guard let first = character.unicodeScalars.first else { return 0 }
        if isEmoji(character, first) { return 1.3 }
        if isWide(first) { return 1 }
        switch first {
        case " ", "\u{A0}", "i", "j", "l", "I", "f", "t", "r", "(", ")", "[", "]", "{", "}", "|", "!", ".", ",", ":",
            ";",
            "'", "`", "‘", "’", "·":
            return 0.34
        case "m", "w", "M", "W", "@", "%", "—", "…", "&": return 0.94
        default: break
        }
        return switch first.properties.generalCategory {
        case .uppercaseLetter, .titlecaseLetter: 0.72
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: 0.6
        }
    }

    /// True if a line may break beside it: East Asian scripts have no spaces between words.
    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{1100}"..."\u{115F}", "\u{2E80}"..."\u{303E}", "\u{3041}"..."\u{A4CF}", "\u{AC00}"..."\u{D7A3}",
            "\u{F900}"..."\u{FAFF}", "\u{FE30}"..."\u{FE4F}", "\u{FF00}"..."\u{FF60}", "\u{FFE0}"..."\u{FFE6}",
            "\u{20000}"..."\u{3FFFD}":
            true
        default: false
        }
    }

    /// True for a scalar drawn as a picture, by itself or by the selector behind it.
    private static func isEmoji(_ character: Character, _ first: Unicode.Scalar) -> Bool {
        first.properties.isEmojiPresentation
            || (first.properties.isEmoji && character.unicodeScalars.dropFirst().contains("\u{FE0F}"))
    }
}
