/// Text of a stranger, or of a contact that means ill, made safe to look at: signed is not trusted.
///
/// Gone are the characters that turn the direction of what follows, that cannot be seen, or that control a terminal.
/// Stacks of combining marks, floods of lines and endless texts are cut; marks before the first letter are gone. Joiners stay, which emoji and Persian need, and so do
/// the marks of direction (U+200E, U+200F, U+061C), which turn nothing but what they stand beside.
package enum DisplayText {
    /// How a text is shown.
    package enum Place: Sendable {
        case line
        case paragraph
        /// In the place of a `%@`: one line, as long as what is around it.
        case argument
        /// A contact's, which is bounded in bytes already.
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

    /// - Parameters:
    ///   - text: any.
    ///   - place: a title has one line.
    ///   - keepsIsolates: for a text of the app's own, into which arguments were put.
    /// - Returns: what may be shown; empty where nothing of it can be seen.
    package static func safe(_ text: String, in place: Place, keepsIsolates: Bool = false) -> String {
        if isPlain(text, in: place) { return cut(text, to: place.characterCountMax) }
        // Many texts are letters that join with nothing, and there is nothing to take out of them.
        if text.unicodeScalars.allSatisfy(TextScalars.standsAlone) { return shown(text.unicodeScalars, in: place) }
        // Taken out first: what is left may join into other characters, and those are what is judged.
        return shown(TextScalars.allowed(text, keepsIsolates: keepsIsolates), in: place)
    }

    /// Whether all of it is shown as it is: letters that stand alone, and one blank at a time between them.
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
            // It would join what stands before the text on the screen.
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
            // Spaces without end make empty lines too. Before the first that can be seen, nothing needs room.
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

    /// What fills a place in a text of the app's own. It has one line, does not reach over the joint to change the letter
    /// before or behind it, and where it is written in the other direction, the text around it stays in order.
    ///
    /// - Parameters:
    ///   - text: any.
    ///   - inRightToLeft: whether the text around it is written from right to left.
    /// - Returns: what goes into the text.
    package static func argument(_ text: String, inRightToLeft: Bool) -> String {
        let shown = TextScalars.withoutJoints(safe(text, in: .argument))
        guard hasRightToLeft(shown) || inRightToLeft else { return shown }
        return "\u{2068}" + shown + "\u{2069}"
    }

    /// Whether any of it is written from right to left.
    package static func hasRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: TextScalars.isRightToLeft)
    }

    /// An identifier that is the app's to compare, so that nothing of it may change: all of it, or nothing where no app
    /// would have made it so long.
    package static func identifier(_ text: String) -> String { text.utf8.count <= identifierByteCountMax ? text : "" }
}
