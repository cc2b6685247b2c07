/// Text of a stranger, or of a contact that means ill, made safe to look at: signed is not trusted.
///
/// Gone are the characters that turn the direction of what follows, that cannot be seen, or that control a terminal.
/// Stacks of combining marks, floods of lines and endless texts are cut. Joiners stay, which emoji and Persian need, and so do
/// the marks of direction (U+200E, U+200F, U+061C), which turn nothing but what they stand beside.
enum DisplayText {
    /// How a text is shown.
    enum Place {
        case line
        case paragraph

        var characterCountMax: Int {
            switch self {
            case .line: 120
            case .paragraph: 2_000
            }
        }
    }

    private static let markCountMax = 4
    private static let clusterScalarCountMax = 16
    private static let emptyLineCountMax = 1
    private static let ellipsis = "…"

    /// - Parameters:
    ///   - text: any.
    ///   - place: a title has one line.
    /// - Returns: what may be shown; empty where nothing of it can be seen.
    static func safe(_ text: String, in place: Place) -> String {
        var shown = ""
        var characterCount = 0
        var lineBreakCount = 0
        var hasVisible = false
        for character in text {
            let isLineBreak = character.isNewline
            guard !isLineBreak || place == .paragraph else {
                append(" ", to: &shown, &characterCount)
                continue
            }
            lineBreakCount = isLineBreak ? lineBreakCount + 1 : 0
            guard lineBreakCount <= emptyLineCountMax + 1 else { continue }
            guard let kept = isLineBreak ? "\n" : safe(character) else { continue }
            guard characterCount < place.characterCountMax else { return shown + ellipsis }
            append(kept, to: &shown, &characterCount)
            hasVisible = hasVisible || !kept.allSatisfy(\.isWhitespace)
        }
        return hasVisible ? shown : ""
    }

    private static func append(_ text: String, to shown: inout String, _ characterCount: inout Int) {
        shown += text
        characterCount += 1
    }

    /// - Returns: nil where nothing of the character stays.
    private static func safe(_ character: Character) -> String? {
        guard character != "\t" else { return " " }
        var kept = String.UnicodeScalarView()
        var markCount = 0
        for scalar in character.unicodeScalars where isAllowed(scalar) {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark:
                // U+FE0E and U+FE0F choose between text and emoji and stack nothing.
                let isSelector = (0xFE00...0xFE0F).contains(scalar.value)
                if !isSelector { markCount += 1 }
                guard markCount <= markCountMax else { continue }
            default: break
            }
            guard kept.count < clusterScalarCountMax else { break }
            kept.append(scalar)
        }
        return kept.isEmpty ? nil : String(kept)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Embeddings and overrides, isolates: what follows them would be read backwards.
        case 0x202A...0x202E, 0x2066...0x2069: false
        // Without width, and without a use in words: zero-width space, word joiner and its kin, byte order mark, soft
        // hyphen, Mongolian vowel separator, Hangul fillers, interlinear annotation.
        case 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0x00AD, 0x180E, 0x115F...0x1160, 0x3164, 0xFFA0,
            0xFFF9...0xFFFB:
            false
        default:
            switch scalar.properties.generalCategory {
            case .control, .surrogate, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
