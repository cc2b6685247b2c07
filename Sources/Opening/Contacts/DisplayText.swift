/// Makes text safe to display: signed is not trusted.
///
/// Removed: characters that reverse following text, are invisible, or control a terminal; marks before the first
/// letter. Cut: stacks of marks, floods of lines, endless texts. Joiners stay, for emoji and Persian, and marks of
/// direction (U+200E, U+200F, U+061C), which affect only their neighbours.
package enum DisplayText {
    package enum Place: Sendable {
        case line
        case paragraph
        /// For a `%@`: one line, as long as the text around it.
        case argument
        /// Bounded in bytes already.
        case name

        var characterCountMax: Int {
            switch self {
            case .line: 120
            case .name: Contact.nameByteCountMax
            case .paragraph, .argument: 2_000
            }
        }
    }

    private static let emptyLineCountMax = 1
    private static let spaceCountMax = 8
    private static let identifierByteCountMax = 256
    private static let ellipsis = "…"

    /// Text to show; empty if nothing is visible.
    ///
    /// - Parameter keepsIsolates: for an app's own text with arguments.
    package static func safe(_ text: String, in place: Place, keepsIsolates: Bool = false) -> String {
        if isPlain(text, in: place) { return cut(text, to: place.characterCountMax) }
        // Common case: letters that join with nothing, and nothing to remove.
        if text.unicodeScalars.allSatisfy(TextScalars.standsAlone) { return shown(text.unicodeScalars, in: place) }
        // Remove first, then judge the characters that remain.
        return shown(TextScalars.allowed(text, keepsIsolates: keepsIsolates), in: place)
    }

    /// True if shown unchanged: letters that stand alone, single blanks between.
    private static func isPlain(_ text: String, in place: Place) -> Bool {
        var isAfterBlank = true
        for scalar in text.unicodeScalars {
            guard TextScalars.standsAlone(scalar), place == .paragraph || scalar != "\n" else { return false }
            guard !scalar.isWhitespace || !isAfterBlank else { return false }
            isAfterBlank = scalar.isWhitespace
        }
        return true
    }

    private static func cut(_ text: String, to scalarCountMax: Int) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: scalarCountMax, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + ellipsis
    }

    private static func shown(_ pieces: some Sequence<some DisplayPiece>, in place: Place) -> String {
        var shown = ""
        var count = 0
        var blanks = (lineBreakCount: 0, spaceCount: 0)
        var hasVisible = false
        for piece in pieces {
            // It would join the preceding text on the screen.
            guard hasVisible || !piece.isJoint else { continue }
            let isBreak = piece.isNewline && place == .paragraph
            if piece.isVisible {
                hasVisible = true
                blanks = (0, 0)
            } else if isBreak {
                blanks.lineBreakCount += 1
            } else {
                blanks.spaceCount += 1
            }
            // Endless spaces make empty lines too.
            guard blanks.lineBreakCount <= emptyLineCountMax + 1, blanks.spaceCount <= spaceCountMax,
                hasVisible || !piece.isWhitespace
            else { continue }
            guard count < place.characterCountMax else { return hasVisible ? shown + ellipsis : "" }
            count += 1
            if piece.isNewline {
                shown += isBreak ? "\n" : " "
            } else {
                piece.append(to: &shown)
            }
        }
        return hasVisible ? shown : ""
    }

    /// Argument for an app's own text: one line, whose ends do not change the letters around it, isolated if of the
    /// other direction.
    package static func argument(_ text: String, inRightToLeft: Bool) -> String {
        let shown = TextScalars.withoutJoints(safe(text, in: .argument))
        guard hasRightToLeft(shown) || inRightToLeft else { return shown }
        return "\u{2068}" + shown + "\u{2069}"
    }

    package static func hasRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: TextScalars.isRightToLeft)
    }

    /// Identifier for comparison, so unchanged, or empty if longer than 256 bytes.
    package static func identifier(_ text: String) -> String { text.utf8.count <= identifierByteCountMax ? text : "" }
}
